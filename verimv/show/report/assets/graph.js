// The shared graph as data: nodes in columns, operands before users.

const VARIABLE = 0, OPLUS = 4, ODOT = 5, DIVIDE = 6, SCALE = 7;
const SIGNS = ["", "0", "1", "¬", "⊕", "⊙"];
/** Numbers of nodes: of a graph shown whole, of the first view, added by a click, and the most that are shown. */
const WHOLE = 120, FIRST = 45, MORE = 16, MOST = 400;

class Graph {
  constructor(data) {
    Object.assign(this, data);
    this.size = data.kinds.length;
    this.kind = Uint8Array.from(data.kinds);
    const counts = new Int32Array(this.size + 1);
    for (let n = 0; n < this.size; n++) for (const o of this.operands(n)) counts[o + 1]++;
    for (let n = 0; n < this.size; n++) counts[n + 1] += counts[n];
    this.start = counts;
    this.users = new Int32Array(counts[this.size]);
    const next = counts.slice();
    for (let n = 0; n < this.size; n++) for (const o of this.operands(n)) this.users[next[o]++] = n;
    this.byName = new Map(Object.entries(this.names).map(([node, name]) => [name, +node]));
  }
  isBinary(n) { return this.kind[n] === OPLUS || this.kind[n] === ODOT; }
  /** Return the different operands that are in the page. */
  operands(n) {
    const a = this.left[n], b = this.isBinary(n) ? this.right[n] : -1;
    return a < 0 ? (b < 0 ? [] : [b]) : b < 0 || a === b ? [a] : [a, b];
  }
  usersOf(n) { return this.users.subarray(this.start[n], this.start[n + 1]); }
  /** Return the symbol of a node: δ[3], Δ[1/2], ¬ …, or the name of an input. */
  sign(n, number = (text) => text) {
    const kind = this.kind[n];
    if (kind === VARIABLE) return this.payloads[this.right[n]];
    if (kind === DIVIDE || kind === SCALE) return `${kind === DIVIDE ? "δ" : "Δ"}[${number(this.payloads[this.right[n]])}]`;
    return SIGNS[kind];
  }
  shortSign(n) { return this.sign(n, rounded); }
  nameOf(n) { return this.kind[n] === VARIABLE ? this.sign(n) : this.names[n] || `n${n}`; }
  isNamed(n) { return this.kind[n] === VARIABLE || n in this.names; }
  find(text) {
    const wanted = text.trim();
    if (this.byName.has(wanted)) return this.byName.get(wanted);
    const number = /^n?(\d+)$/.exec(wanted);
    return number && +number[1] < this.size ? +number[1] : -1;
  }
  /** Return the subformula to a depth, as pieces of text and nodes. Named and deeper nodes are not written out. */
  subformula(root, depth) {
    const pieces = [];
    const binds = { [ODOT]: 6, [OPLUS]: 5 };
    const stack = [[root, depth, 0]];
    while (stack.length) {
      const item = stack.pop();
      if (typeof item === "string") { pieces.push(item); continue; }
      const [n, left, around] = item;
      const kind = this.kind[n];
      if (kind <= 2 || (n !== root && (left <= 0 || this.isNamed(n)))) { pieces.push(n); continue; }
      const operand = (o, strength) => (o < 0 ? "…" : [o, left - 1, strength]);
      if (!this.isBinary(n)) {
        pieces.push(this.sign(n));
        stack.push(operand(this.left[n], 8));
        continue;
      }
      const own = binds[kind];
      if (own < around) { pieces.push("("); stack.push(")"); }
      stack.push(operand(this.right[n], own + 1), ` ${SIGNS[kind]} `, operand(this.left[n], own));
    }
    return pieces;
  }
}
