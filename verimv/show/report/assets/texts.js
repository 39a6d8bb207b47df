// The text of formula.mv, and what is written from it: one line, LaTeX, SMT-LIB.

/** Nodes and characters of a formula that is written on one line; characters of a file that is read at all. */
const ONE_LINE = 400, WIDEST = 400, MOST_READ = 3_000_000;
const NAME = "[A-Za-z_][A-Za-z0-9_.']*";
const PREFIX = "¬|δ\\[\\d+\\]|Δ\\[[-+*/()a-z0-9]+\\]";
const OPERAND = `(?:${PREFIX})*(?:${NAME}|[01])`;
const DEFINITION = new RegExp(`^(${NAME}) = (${OPERAND}(?: ([⊕⊙]) ${OPERAND}(?: \\3 ${OPERAND})*)?)$`);
const PREFIXES = new RegExp(PREFIX, "g");

/** Read a formula written in the plain way that verimv writes; return null for any other file. */
function readFormula(text) {
  const lines = text.split("\n");
  if (text.length > MOST_READ || lines.length < 4 || lines.pop() !== "" || lines[0] !== "verimv-formula 1") return null;
  const listed = (line, word) => (new RegExp(`^${word}(?: ${NAME})*$`).test(line) ? line.split(" ").slice(1) : null);
  const inputs = listed(lines[1], "inputs"), outputs = listed(lines[lines.length - 1], "outputs");
  if (!inputs || !outputs || !outputs.length) return null;
  const defined = new Map(inputs.map((name) => [name, null]));
  for (const line of lines.slice(2, -1)) {
    const found = DEFINITION.exec(line);
    if (!found || defined.has(found[1])) return null;
    const operands = found[2].split(/ [⊕⊙] /).map((operand) => {
      const prefixes = operand.match(PREFIXES) || [];
      return { prefixes, name: operand.slice(prefixes.join("").length) };
    });
    if (operands.some(({ name }) => name !== "0" && name !== "1" && !defined.has(name))) return null;
    defined.set(found[1], { operator: found[3] || "", operands });
  }
  if (outputs.some((name) => !defined.has(name))) return null;
  return { inputs, outputs, defined };
}

/** Return the number of different subformulas. */
function countNodes({ inputs, outputs, defined }) {
  const numbers = new Map(), operands = [], places = new Map();
  const node = (key, ...below) => {
    if (!numbers.has(key)) { numbers.set(key, operands.length); operands.push(below); }
    return numbers.get(key);
  };
  for (const name of ["0", "1", ...inputs]) places.set(name, node(`name ${name}`));
  for (const [name, definition] of defined) {
    if (!definition) continue;
    const read = definition.operands.map((operand) => operand.prefixes.reduceRight(
      (a, prefix) => node(`${prefix}${a}`, a), places.get(operand.name)));
    places.set(name, read.reduce((a, b) => node(`${a}${definition.operator}${b}`, a, b)));
  }
  const used = new Set(), stack = outputs.map((name) => places.get(name));
  while (stack.length) {
    const at = stack.pop();
    if (used.has(at)) continue;
    used.add(at);
    stack.push(...operands[at]);
  }
  return used.size;
}

function logicOf(file) {
  const text = file.replace(/^\s*#.*$/gm, "");
  return /Δ/.test(text) ? "an RMV (Riesz) formula" : /δ/.test(text) ? "a DMV (Rational Łukasiewicz) formula" : "an MV formula";
}

// -- styles -----------------------------------------------------------------------------------------------

const PLAIN = { "⊕": "⊕", "⊙": "⊙", prefix: (text) => text, name: (text) => text, open: "(", close: ")" };

function latexName(name) {
  if (name === "0" || name === "1") return name;
  const [, stem, digits] = /^(.*?)(\d*)$/.exec(name);
  if (/^[A-Za-z]$/.test(stem)) return digits ? `${stem}_{${digits}}` : stem;
  return `\\mathrm{${name.replaceAll("_", "\\_")}}`;
}
const latexNumber = (text) => text.replace(/(\d*)\*?(sqrt\((\d+)\))?(?:\/(\d+))?/g, (all, factor, root, radicand, divisor) => {
  const top = factor + (root ? `\\sqrt{${radicand}}` : "");
  return divisor ? `\\frac{${top}}{${divisor}}` : top;
});
const LATEX = {
  "⊕": "\\oplus", "⊙": "\\odot", open: "\\left(", close: "\\right)", name: latexName,
  prefix: (text) => (text === "¬" ? "\\lnot " : `\\${text[0] === "δ" ? "delta" : "Delta"}_{${latexNumber(text.slice(2, -1))}} `),
};

/** Return (name, text) of each output on one line, or null if that would be long. */
function writtenOut({ inputs, outputs, defined }, style) {
  const texts = new Map([["0", ["0", 9, 1]], ["1", ["1", 9, 1]]]);
  const binds = { "⊕": 5, "⊙": 6 };
  let total = 0;
  for (const name of inputs) texts.set(name, [style.name(name), 9, 1]);
  for (const [name, definition] of defined) {
    if (!definition) continue;
    const { operator, operands } = definition;
    const sizes = operands.map((operand) => texts.get(operand.name)[2] + operand.prefixes.length);
    const size = sizes.reduce((a, b) => a + b + 1);
    const within = (text, needed) => (needed ? style.open + text + style.close : text);
    const written = size > ONE_LINE ? "" : operands.map(({ prefixes, name: inner }, i) => {
      const [text, strength] = texts.get(inner);
      if (prefixes.length) return prefixes.map(style.prefix).join("") + within(text, strength < 8);
      return within(text, operator && (strength < binds[operator] || (i && strength === binds[operator])));
    }).join(` ${style[operator]} `);
    const [only] = operands;
    const strength = operator ? binds[operator] : only.prefixes.length ? 8 : texts.get(only.name)[1];
    texts.set(name, [written, strength, size]);
  }
  for (const name of outputs) total += texts.get(name)[2];
  return total > ONE_LINE ? null : outputs.map((name) => [name, texts.get(name)[0]]);
}

/** Return (name, text) of each definition. */
function asDefinitions({ defined }, style) {
  return [...defined].filter(([, definition]) => definition).map(([name, { operator, operands }]) => [
    name,
    operands.map((operand) => operand.prefixes.map(style.prefix).join("") + style.name(operand.name)).join(` ${style[operator]} `),
  ]);
}

/** Return the text that is shown: written out if that is short, otherwise the file. */
function shownText(text, formula) {
  const pairs = formula && writtenOut(formula, PLAIN);
  if (!pairs || pairs.some(([, line]) => line.length > WIDEST)) return visible(text);
  return pairs.length === 1 ? pairs[0][1] : pairs.map(([name, line]) => `${name} = ${line}`).join("\n");
}

/** Return a file with everything that has no place in formulas as an escape, and single spaces: nothing can hide, or look
 * reversed. */
const visible = (text) => text.replace(/ {2,}/g, " ").replace(/[^\n\x20-\x7e¬⊕⊙δΔ]/gu, (c) => `\\u{${c.codePointAt(0).toString(16)}}`);

function latexText(formula) {
  const whole = writtenOut(formula, LATEX);
  const pairs = whole && whole.every(([, line]) => line.length <= 2 * WIDEST) ? whole : asDefinitions(formula, LATEX);
  if (pairs.length === 1) return pairs[0][1];
  const rows = pairs.map(([name, line]) => `${latexName(name)} &= ${line}`);
  return `\\begin{aligned}\n${rows.join(" \\\\\n")}\n\\end{aligned}`;
}

/** Return SMT-LIB 2 in which every input and definition is a constant, without a question. */
function smtlibText({ inputs, defined }) {
  const roots = new Map(), lines = [];
  const name = (text) => (/^[A-Za-z_]+\d+$/.test(text) ? text : `|${text}|`);  // never a reserved word
  const real = (digits) => `${digits}.0`;
  const number = (text) => {
    const terms = text.match(/[-+]?[^-+]+/g).map((term) => {
      const [, sign, factor, radicand, divisor] = /^([-+]?)(\d*)\*?(?:sqrt\((\d+)\))?(?:\/(\d+))?$/.exec(term);
      let value = factor ? real(factor) : "1.0";
      if (radicand) {
        if (!roots.has(radicand)) {
          roots.set(radicand, `root-${radicand}`);
          lines.push(`(declare-const root-${radicand} Real)`, `(assert (<= 0.0 root-${radicand}))`, `(assert (= (* root-${radicand} root-${radicand}) ${real(radicand)}))`);
        }
        value = `(* ${value} ${roots.get(radicand)})`;
      }
      if (divisor) value = `(/ ${value} ${real(divisor)})`;
      return sign === "-" ? `(- ${value})` : value;
    });
    return terms.length === 1 ? terms[0] : `(+ ${terms.join(" ")})`;
  };
  const prefixed = (prefix, value) => {
    if (prefix === "¬") return `(- 1.0 ${value})`;
    const factor = prefix.slice(2, -1);
    return prefix[0] === "δ" ? `(* (/ 1.0 ${real(factor)}) ${value})` : `(* ${number(factor)} ${value})`;
  };
  const operand = ({ prefixes, name: inner }) => prefixes.reduceRight(
    (value, prefix) => prefixed(prefix, value), inner === "0" || inner === "1" ? real(inner) : name(inner));
  for (const input of inputs) lines.push(`(declare-const ${name(input)} Real)`, `(assert (<= 0.0 ${name(input)} 1.0))`);
  for (const [own, definition] of defined) {
    if (!definition) continue;
    const call = definition.operator === "⊕" ? "mv-plus" : "mv-times";
    const value = definition.operands.map(operand).reduce((a, b) => `(${call} ${a} ${b})`);
    lines.push(`(declare-const ${name(own)} Real)`, `(assert (= ${name(own)} ${value}))`);
  }
  return [
    `(set-logic ${roots.size ? "QF_NRA" : "QF_LRA"})`,
    "(define-fun mv-plus ((a Real) (b Real)) Real (ite (<= (+ a b) 1.0) (+ a b) 1.0))",
    "(define-fun mv-times ((a Real) (b Real)) Real (ite (<= (+ a b) 1.0) 0.0 (- (+ a b) 1.0)))",
    ...lines, "",
  ].join("\n");
}
