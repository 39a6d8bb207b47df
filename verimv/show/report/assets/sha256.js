// SHA-256 (FIPS 180-4). Browsers offer crypto.subtle on some addresses only, so the page has its own.

/** Return the first 32 bits of the fractional parts of the square (or cube) roots of the first primes. */
function rootBits(count, root) {
  const bits = [];
  for (let n = 2; bits.length < count; n++) {
    let isPrime = true;
    for (let d = 2; d * d <= n; d++) if (n % d === 0) isPrime = false;
    if (isPrime) bits.push((root(n) % 1) * 2 ** 32 | 0);
  }
  return Int32Array.from(bits);
}

const turned = (x, n) => (x >>> n) | (x << (32 - n));

/** Follow one block of 64 bytes: `h` is the state, `w` room for 64 words. */
function shaBlock(view, at, h, w, k) {
  for (let i = 0; i < 16; i++) w[i] = view.getInt32(at + 4 * i);
  for (let i = 16; i < 64; i++) {
    const x = w[i - 15], y = w[i - 2];
    w[i] = ((turned(x, 7) ^ turned(x, 18) ^ (x >>> 3)) + w[i - 7] | 0) + ((turned(y, 17) ^ turned(y, 19) ^ (y >>> 10)) + w[i - 16] | 0) | 0;
  }
  let a = h[0], b = h[1], c = h[2], d = h[3], e = h[4], f = h[5], g = h[6], last = h[7];
  for (let i = 0; i < 64; i++) {
    const first = ((last + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) | 0) + (((e & f) ^ (~e & g)) + (k[i] + w[i] | 0) | 0)) | 0;
    const second = ((turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    last = g; g = f; f = e; e = (d + first) | 0;
    d = c; c = b; b = a; a = (first + second) | 0;
  }
  h[0] += a; h[1] += b; h[2] += c; h[3] += d; h[4] += e; h[5] += f; h[6] += g; h[7] += last;
}

/** Return the hash of bytes, in hexadecimal. */
function sha256(bytes) {
  const k = rootBits(64, Math.cbrt), h = rootBits(8, Math.sqrt), w = new Int32Array(64);
  const rest = bytes.length % 64, tail = new Uint8Array(rest < 56 ? 64 : 128);
  tail.set(bytes.subarray(bytes.length - rest));
  tail[rest] = 0x80;
  const end = new DataView(tail.buffer), body = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  end.setBigUint64(tail.length - 8, BigInt(bytes.length) * 8n);
  for (let at = 0; at + 64 <= bytes.length; at += 64) shaBlock(body, at, h, w, k);
  for (let at = 0; at < tail.length; at += 64) shaBlock(end, at, h, w, k);
  return [...h].map((x) => (x >>> 0).toString(16).padStart(8, "0")).join("");
}
