// Exact numbers, such as −3/16 or 1/2+2*sqrt(5): which one is larger, and decimals that are rounded to the safe side.

/** Characters of an exact number that is shown beside its decimal, and digits of a decimal. */
const LONGEST = 24, DIGITS = 6;
/** Decimal places to which a number is computed: at first, and at most. */
const PLACES_AT_FIRST = 40, MOST_PLACES = 20_000;

const TERM = /^([-+]?)(\d+)(?:\/(\d+))?$/, ROOT = /^([-+]?)(?:(\d+)(?:\/(\d+))?\*)?sqrt\((\d+)\)(?:\/(\d+))?$/;

/** Return the terms of a number as [top, bottom, radicand]; null if it is not written as certificates write numbers. */
function termsOf(text) {
  const parts = String(text).replace(/(?!^)(?=[-+])/g, " ").split(" ").map((part) => TERM.exec(part) || ROOT.exec(part));
  if (String(text).startsWith("+") || parts.some((found) => !found)) return null;
  const terms = parts.map(([, sign, top = "1", bottom = "1", radicand = "1", under = "1"]) => [
    BigInt(`${sign.replace("+", "")}${top}`), BigInt(bottom) * BigInt(under), BigInt(radicand)]);
  return terms.some(([, bottom]) => bottom === 0n) ? null : terms;
}

function floorOf(top, bottom) { return top / bottom - (top % bottom < 0n ? 1n : 0n); }

/** Return the largest integer whose square is at most n. */
function rootOf(n) {
  if (n < 2n) return n;
  for (let x = 1n << BigInt((n.toString(2).length + 1) >> 1); ;) {
    const next = (x + n / x) >> 1n;
    if (next >= x) return x;
    x = next;
  }
}

/** Return integers between which 10^places times the number lies. */
function enclosed(terms, places) {
  const scale = 10n ** BigInt(places);
  let low = 0n, high = 0n;
  for (const [top, bottom, radicand] of terms) {
    const root = radicand === 1n ? scale : rootOf(radicand * scale * scale), isExact = root * root === radicand * scale * scale;
    const ends = [top * root, top * (isExact ? root : root + 1n)];
    low += floorOf(top < 0n ? ends[1] : ends[0], bottom);
    high -= floorOf(-(top < 0n ? ends[0] : ends[1]), bottom);
  }
  return [low, high];
}

/** Return { low, high, places } with several digits that are right; low = high if the number is a short decimal. */
function narrowed(terms) {
  for (let places = PLACES_AT_FIRST; ; places *= 2) {
    const [low, high] = enclosed(terms, places), size = low < 0n ? -high : low;
    if ((high - low) * 10n ** BigInt(DIGITS + 3) <= size || low === high || places > MOST_PLACES) return { low, high, places };
  }
}

/** Return −1, 0 or 1; 0 also for a number that is too small to tell. */
function signOf(terms) {
  const { low, high } = narrowed(terms);
  return low > 0n ? 1 : high < 0n ? -1 : 0;
}

const negated = (terms) => terms.map(([top, bottom, radicand]) => [-top, bottom, radicand]);
/** Return the sign of a − b, for the texts of two numbers. */
const compared = (a, b) => signOf([...termsOf(a), ...negated(termsOf(b))]);
/** Return the text of the number without its sign: −x for a number x < 0. */
function sizeOf(text) {
  if (signOf(termsOf(text)) >= 0) return text;
  return text.replace(/^(?=[^-])/, "+").replace(/[-+]/g, (sign) => (sign === "-" ? "+" : "-")).replace(/^\+/, "");
}

/** Return a decimal of some digits that is at least the number if `isUp`, otherwise at most the number; with ≈ if it is not equal. */
function decimalOf(text, isUp) {
  const terms = termsOf(text);
  if (!terms) return text;
  const { low, high, places } = narrowed(terms), end = isUp ? high : low, size = end < 0n ? -end : end;
  const cut = 10n ** BigInt(Math.max(0, String(size).length - DIGITS));
  const rounded = (isUp ? -floorOf(-end, cut) : floorOf(end, cut)) * cut;
  return `${rounded === low && low === high ? "" : "≈"}${decimalText(rounded, places)}`;
}

/** Return rounded / 10^places as people write it. */
function decimalText(rounded, places) {
  if (rounded === 0n) return "0";
  const sign = rounded < 0n ? "−" : "", digits = String(rounded).replace("-", ""), power = digits.length - 1 - places;
  const kept = digits.replace(/0+$/, "");
  if (power >= 9 || power < -5) return `${sign}${kept[0]}${kept.length > 1 ? `.${kept.slice(1)}` : ""}·10^${String(power).replace("-", "−")}`;
  if (power < 0) return `${sign}0.${"0".repeat(-power - 1)}${kept}`;
  const whole = kept.padEnd(power + 1, "0");
  return sign + whole.slice(0, power + 1) + (whole.length > power + 1 ? `.${whole.slice(power + 1)}` : "");
}

/** Return a number for drawing. */
function drawnAt(text) {
  const terms = termsOf(text);
  if (!terms) return NaN;
  const { low, places } = narrowed(terms);
  return Math.max(-1e100, Math.min(1e100, Number(`${low}e-${places}`)));
}

const isPlain = (text) => /^-?\d{1,12}$/.test(text);
/** Return "3/16 (0.1875)", or for a long number "0.131896 (rounded up)", which is as true: "at most" goes up, "at least" down. */
function spokenNumber(text, isUp) {
  const exact = text.replaceAll("-", "−");
  if (isPlain(text) || !termsOf(text)) return exact;
  return text.length > LONGEST ? `${decimalOf(text, isUp).replace("≈", "")} (rounded ${isUp ? "up" : "down"})` : `${exact} (${decimalOf(text, isUp)})`;
}
