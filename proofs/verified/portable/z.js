// Integers. One of at most 2^53 - 1 is a number of JavaScript, any other one a BigInt: so each integer is kept in one way
// only. Sums and products of numbers that are at most 2^53 - 1 are exact; that is looked at after each operation.
// This file is trusted; tests/kernels/test_portable.py compares it with Python's integers.

//Provides: verimv_most const
var verimv_most = 9007199254740991;

//Provides: verimv_long_most const
var verimv_long_most = globalThis.BigInt(9007199254740991);

//Provides: verimv_long_least const
var verimv_long_least = globalThis.BigInt(-9007199254740991);

//Provides: verimv_0 const
var verimv_0 = globalThis.BigInt(0);

//Provides: verimv_1 const
var verimv_1 = globalThis.BigInt(1);

// An integer as a BigInt.
//Provides: verimv_long
function verimv_long(a) {
  return typeof a === "number" ? BigInt(a) : a;
}

// A BigInt as it is kept. BigInts are compared quickly with BigInts, slowly with numbers.
//Provides: verimv_kept
//Requires: verimv_long_most, verimv_long_least
function verimv_kept(a) {
  return a <= verimv_long_most && a >= verimv_long_least ? Number(a) : a;
}

//Provides: verimv_add
//Requires: verimv_long, verimv_most, verimv_kept
function verimv_add(a, b) {
  if (typeof a === "number" && typeof b === "number") {
    var sum = a + b;
    if (sum <= verimv_most && sum >= -verimv_most) return sum;
  }
  return verimv_kept(verimv_long(a) + verimv_long(b));
}

//Provides: verimv_sub
//Requires: verimv_long, verimv_most, verimv_kept
function verimv_sub(a, b) {
  if (typeof a === "number" && typeof b === "number") {
    var difference = a - b;
    if (difference <= verimv_most && difference >= -verimv_most) return difference;
  }
  return verimv_kept(verimv_long(a) - verimv_long(b));
}

// Adding 0 makes 0 of -0.
//Provides: verimv_mul
//Requires: verimv_long, verimv_most, verimv_kept
function verimv_mul(a, b) {
  if (typeof a === "number" && typeof b === "number") {
    var product = a * b;
    if (product <= verimv_most && product >= -verimv_most) return product + 0;
  }
  return verimv_kept(verimv_long(a) * verimv_long(b));
}

//Provides: verimv_neg
function verimv_neg(a) {
  return typeof a === "number" ? 0 - a : -a;
}

// Remainders of numbers are exact, and so is the quotient without the remainder.
//Provides: verimv_div
//Requires: verimv_long, verimv_kept
function verimv_div(a, b) {
  if (typeof a === "number" && typeof b === "number") return (a - (a % b)) / b + 0;
  return verimv_kept(verimv_long(a) / verimv_long(b));
}

//Provides: verimv_rem
//Requires: verimv_long, verimv_kept
function verimv_rem(a, b) {
  if (typeof a === "number" && typeof b === "number") return (a % b) + 0;
  return verimv_kept(verimv_long(a) % verimv_long(b));
}

// Rounded down.
//Provides: verimv_fdiv
//Requires: verimv_long, verimv_kept, verimv_0, verimv_1
function verimv_fdiv(a, b) {
  if (typeof a === "number" && typeof b === "number") {
    var rest = a % b, whole = (a - rest) / b;
    return (rest !== 0 && rest < 0 !== b < 0 ? whole - 1 : whole) + 0;
  }
  var x = verimv_long(a), y = verimv_long(b), left = x % y, quotient = x / y;
  return verimv_kept(left !== verimv_0 && left < verimv_0 !== y < verimv_0 ? quotient - verimv_1 : quotient);
}

// Views of the same eight bytes, for the exponent of a number.
//Provides: verimv_bytes const
var verimv_bytes = new globalThis.ArrayBuffer(8);
//Provides: verimv_float const
//Requires: verimv_bytes
var verimv_float = new globalThis.Float64Array(verimv_bytes);
//Provides: verimv_words const
//Requires: verimv_bytes
var verimv_words = new globalThis.Uint32Array(verimv_bytes);
//Provides: verimv_high const
//Requires: verimv_float, verimv_words
var verimv_high = (verimv_float[0] = 1, verimv_words[1] === 0 ? 0 : 1);

// Binary digits of |a|. A BigInt may be rounded up to a power of two: then it has a digit less.
//Provides: verimv_numbits
//Requires: verimv_float, verimv_words, verimv_high, verimv_0, verimv_1
function verimv_numbits(a) {
  if (a === 0) return 0;
  var n = Math.abs(Number(a));
  if (n === Infinity) {
    var digits = (a < verimv_0 ? -a : a).toString(16);
    return 4 * digits.length - Math.clz32(parseInt(digits[0], 16)) + 28;
  }
  verimv_float[0] = n;
  var exponent = (verimv_words[verimv_high] >>> 20) - 1023;
  if (typeof a === "number") return exponent + 1;
  var power = verimv_1 << BigInt(exponent);
  return (a < verimv_0 ? -a : a) < power ? exponent : exponent + 1;
}

// About how many words of 64 bits |a| takes: a number 1, others at most twice as many as they need, but 3 at least. It is a
// matter of cost only, and to be asked quickly.
//Provides: verimv_length
//Requires: verimv_0, verimv_powers
function verimv_length(a) {
  if (typeof a === "number") return 1;
  var x = a < verimv_0 ? -a : a;
  if (x < verimv_powers[0]) return 3;
  for (var i = 1; i < verimv_powers.length; i++) if (x < verimv_powers[i]) return 8 << i;
  return 8 << i;
}

// 2^512, 2^1024, 2^2048, …
//Provides: verimv_powers const
//Requires: verimv_1
var verimv_powers = [9, 10, 11, 12, 13, 14, 15, 16].map(function (n) {
  return verimv_1 << globalThis.BigInt(1 << n);
});

//Provides: verimv_shift_left
//Requires: verimv_long, verimv_mul, verimv_kept
function verimv_shift_left(a, n) {
  return n < 32 ? verimv_mul(a, Math.pow(2, n)) : verimv_kept(verimv_long(a) << BigInt(n));
}

//Provides: verimv_shift_right
//Requires: verimv_long, verimv_kept
function verimv_shift_right(a, n) {
  if (typeof a === "number" && n < 32) return Math.floor(a / Math.pow(2, n));
  return verimv_kept(verimv_long(a) >> BigInt(n));
}

//Provides: verimv_and
//Requires: verimv_long, verimv_kept
function verimv_and(a, b) {
  if (typeof a === "number" && typeof b === "number" && a === (a | 0) && b === (b | 0)) return a & b;
  return verimv_kept(verimv_long(a) & verimv_long(b));
}

// Of numbers that are not negative.
//Provides: verimv_gcd_of_numbers
function verimv_gcd_of_numbers(a, b) {
  while (b !== 0) {
    var rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

// Denominators are mostly powers of two. b > 0 is one, if b & (b - 1) is 0; then a & (b - 1) is what is left of a, and its
// last binary digit is the divisor, unless there is none.
//Provides: verimv_gcd
//Requires: verimv_long, verimv_gcd_of_numbers, verimv_kept, verimv_0, verimv_1
function verimv_gcd(a, b) {
  if (typeof a === "number" && typeof b === "number") return verimv_gcd_of_numbers(Math.abs(a), Math.abs(b));
  var x = verimv_long(a), y = verimv_long(b);
  if (x < verimv_0) x = -x;
  if (y < verimv_0) y = -y;
  if (y === verimv_0) return verimv_kept(x);
  if (x === verimv_0) return verimv_kept(y);
  var ones = y - verimv_1;
  if ((y & ones) === verimv_0) {
    var left = x & ones;
    return verimv_kept(left === verimv_0 ? y : left & -left);
  }
  while (y !== verimv_0) {
    var p = verimv_kept(x), q = verimv_kept(y);
    if (typeof p === "number" && typeof q === "number") return verimv_gcd_of_numbers(p, q);
    var rest = x % y;
    x = y;
    y = rest;
  }
  return verimv_kept(x);
}

// The largest integer whose square is at most a >= 0. Newton's steps go down from a first value that is too large by a 2^25th
// part of it, or less.
//Provides: verimv_sqrt
//Requires: verimv_long, verimv_kept, verimv_1, verimv_numbits
function verimv_sqrt(a) {
  if (a === 0) return 0;
  var n = verimv_long(a), half = BigInt(Math.max(0, (verimv_numbits(a) - 51) >> 1));
  var next = BigInt(Math.floor(Math.sqrt(Number(n >> (half + half)))) + 1) << half, x;
  do {
    x = next;
    next = (x + n / x) >> verimv_1;
  } while (next < x);
  return verimv_kept(x);
}

// a / b where b > 0 divides a.
//Provides: verimv_divexact
//Requires: verimv_long, verimv_kept, verimv_1, verimv_numbits
function verimv_divexact(a, b) {
  if (typeof a === "number" && typeof b === "number") return a / b + 0;
  var x = verimv_long(a), y = verimv_long(b), digits = BigInt(verimv_numbits(b) - 1);
  return verimv_kept(y === verimv_1 << digits ? x >> digits : x / y);
}

//Provides: verimv_compare
function verimv_compare(a, b) {
  return a < b ? -1 : a > b ? 1 : 0;
}

//Provides: verimv_equal
function verimv_equal(a, b) {
  return a === b ? 1 : 0;
}

//Provides: verimv_sign
function verimv_sign(a) {
  return a < 0 ? -1 : a > 0 ? 1 : 0;
}

//Provides: verimv_is_even
//Requires: verimv_0, verimv_1
function verimv_is_even(a) {
  return (typeof a === "number" ? a % 2 === 0 : (a & verimv_1) === verimv_0) ? 1 : 0;
}

//Provides: verimv_to_int
function verimv_to_int(a) {
  return Number(a) | 0;
}

//Provides: verimv_of_digits
//Requires: verimv_kept, caml_jsbytes_of_string
function verimv_of_digits(text) {
  var digits = caml_jsbytes_of_string(text);
  return digits.length < 16 ? Number(digits) : verimv_kept(BigInt(digits));
}

//Provides: verimv_to_string
//Requires: caml_string_of_jsbytes
function verimv_to_string(a) {
  return caml_string_of_jsbytes(String(a));
}

// The function that others call.
//Provides: verimv_publish
//Requires: caml_call_gen, caml_string_of_jsbytes, caml_jsstring_of_string
function verimv_publish(check) {
  globalThis.verimvKernel = function (files, progress, seconds) {
    var names = [0], contents = [0];
    Object.keys(files).forEach(function (name) {
      names.push(caml_string_of_jsbytes(name));
      contents.push(caml_string_of_jsbytes(files[name]));
    });
    var report = function (lines) {
      if (progress) progress(lines);
      return 0;
    };
    return caml_jsstring_of_string(caml_call_gen(check, [names, contents, report, seconds || 0]));
  };
  return 0;
}
