// Exact values of a network, read from its file: sums of integers times square roots, over one denominator per layer.

const gcd = (a, b) => { while (b) [a, b] = [b, a % b]; return a < 0n ? -a : a; };
const lcm = (a, b) => (a / gcd(a, b)) * b;

/** Return [factor, radicand] of √r·√s, for radicands without square factors. */
function rootProduct(r, s) {
  if (r === 1n || s === 1n) return [1n, r * s];
  const shared = gcd(r, s);
  return [shared, (r / shared) * (s / shared)];
}

/** Return numbers, given as terms, over their common denominator: maps from a radicand to an integer. */
function overOneBottom(numbers) {
  let bottom = 1n;
  for (const terms of numbers) for (const [, under] of terms) bottom = lcm(bottom, under);
  const tops = numbers.map((terms) => {
    const sum = new Map();
    for (const [top, under, radicand] of terms) if (top) sum.set(radicand, (sum.get(radicand) || 0n) + top * (bottom / under));
    return sum;
  });
  return { bottom, tops };
}

/** Add factor·a·b to a sum. */
function addProduct(sum, a, b, factor = 1n) {
  for (const [r, x] of a) for (const [s, y] of b) {
    const [more, radicand] = rootProduct(r, s);
    sum.set(radicand, (sum.get(radicand) || 0n) + factor * more * x * y);
  }
}

const asTerms = (sum, bottom) => [...sum].filter(([, top]) => top).map(([radicand, top]) => [top, bottom, radicand]);
const signOfSum = (sum, bottom) => { const terms = asTerms(sum, bottom); return terms.length ? signOf(terms) : 0; };

/** Return max(0, t), or min(1, max(0, t)), or t. */
function afterActivation(sum, bottom, activation) {
  if (activation === "identity") return sum;
  if (signOfSum(sum, bottom) <= 0) return new Map();
  if (activation === "relu") return sum;
  const above = new Map(sum);
  above.set(1n, (above.get(1n) || 0n) - bottom);
  return signOfSum(above, bottom) > 0 ? new Map([[1n, bottom]]) : sum;
}

/** Return the text of a number as files write it. */
function numberText(terms) {
  const parts = terms.filter(([top]) => top).sort((a, b) => (a[2] < b[2] ? -1 : 1)).map(([top, bottom, radicand]) => {
    const shared = gcd(top, bottom), over = top / shared, under = bottom / shared, tail = under === 1n ? "" : `/${under}`;
    if (radicand === 1n) return `${over}${tail}`;
    const factor = over === 1n ? "" : over === -1n ? "-" : `${over}*`;
    return `${factor}sqrt(${radicand})${tail}`;
  });
  return parts.length ? parts.join("+").replaceAll("+-", "-") : "0";
}

/** Return the terms of what a person types, such as 1/3, -2.5 or 1e-3; null if it is no number. */
function typedTerms(text) {
  const found = /^([-+−]?)(\d{0,60})(?:\.(\d{0,60}))?(?:[eE]([-+]?\d{1,2}))?$|^([-+−]?)(\d{1,60})\/(\d{1,60})$/.exec(text.trim());
  if (!found) return null;
  const [, sign, whole, decimals = "", power = "0", otherSign, top, bottom] = found;
  if (top !== undefined) return /^0+$/.test(bottom) ? null : [[BigInt(top) * (otherSign && otherSign !== "+" ? -1n : 1n), BigInt(bottom), 1n]];
  if (!whole && !decimals) return null;
  const by = Number(power) - decimals.length, digits = BigInt(whole + decimals) * (sign && sign !== "+" ? -1n : 1n);
  return [by >= 0 ? [digits * 10n ** BigInt(by), 1n, 1n] : [digits, 10n ** BigInt(-by), 1n]];
}

/** A network, with exact values and, for drawings, values in floating point. */
class ExactNetwork {
  constructor(text) {
    const { inputs, outputs, box, layers } = JSON.parse(text);
    Object.assign(this, { inputs, outputs, weights: 0 });
    const terms = (number) => termsOf(String(number)) || (() => { throw new Error(`this page cannot compute with ${shortened(String(number))}`); })();
    this.box = box.map((ends) => ends.map(terms));
    this.layers = layers.map(({ weights, bias, activation }) => {
      const width = weights.length ? weights[0].length : 0, { bottom, tops } = overOneBottom([...weights.flat(), ...bias].map(terms));
      this.weights += width * weights.length;
      const rows = weights.map((_, i) => tops.slice(i * width, (i + 1) * width));
      const floats = Float64Array.from([...weights.flat(), ...bias], drawnAt);
      return { rows, bias: tops.slice(width * weights.length), bottom, activation, width, floats };
    });
  }

  /** Return the terms of every output at a point, given as terms. */
  at(point) {
    let { bottom, tops } = overOneBottom(point);
    for (const layer of this.layers) {
      const one = new Map([[1n, bottom]]), below = bottom;
      bottom = below * layer.bottom;
      tops = layer.rows.map((row, i) => {
        const sum = new Map();
        addProduct(sum, layer.bias[i], one);
        row.forEach((weight, j) => { if (weight.size && tops[j].size) addProduct(sum, weight, tops[j]); });
        return afterActivation(sum, bottom, layer.activation);
      });
    }
    return tops.map((sum) => asTerms(sum, bottom));
  }

  /** Return the outputs at a point of floats: for drawings only. */
  near(point) {
    let values = point;
    for (const { rows, width, floats, activation } of this.layers) {
      const next = new Float64Array(rows.length), biases = rows.length * width;
      for (let i = 0; i < next.length; i++) {
        let sum = floats[biases + i];
        for (let j = 0, at = i * width; j < width; j++, at++) sum += floats[at] * values[j];
        next[i] = activation === "identity" ? sum : activation === "relu" ? Math.max(0, sum) : Math.min(1, Math.max(0, sum));
      }
      values = next;
    }
    return values;
  }
}
