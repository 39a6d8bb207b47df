// What is stated, in words for people: read from the files that are checked, and after the check from the kernel's text.

/** Inputs of a box, and outputs, that are listed. */
const TOLD = 12;

/** Return a name as the kernel prints it: a plain one as it is, any other as a JSON string of ASCII characters. */
function safeName(name) {
  if (/^[A-Za-z_][A-Za-z0-9_.']*$/.test(name) && name.length <= 100) return name;
  const escaped = JSON.stringify(name).slice(1, -1).replace(/[^\x20-\x7e]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return `"${escaped.slice(0, 100)}"${escaped.length > 100 ? "…" : ""}`;
}

/** Return a rational number as a rounded decimal. */
function approximate(text) {
  const [top, bottom = "1"] = text.split("/").map((digits) => digits.replace(/^0+(?=\d)/, ""));
  const by = 6 - (top.length - bottom.length), scale = 10n ** BigInt(Math.abs(by));
  if (/^0$/.test(bottom)) return text;
  const digits = String(by >= 0 ? (BigInt(top) * scale) / BigInt(bottom) : BigInt(top) / (BigInt(bottom) * scale));
  const [leading, power] = Number(`${digits[0]}.${digits.slice(1)}`).toExponential(3).split("e").map(Number);
  const exponent = digits.length - 1 - by + power;
  return exponent > -5 && exponent < 9 ? String(Number(`${leading}e${exponent}`)) : `${leading}·10^${exponent}`.replace("-", "−");
}
/** Return text in which long numbers are rounded, with ≈. */
const shortened = (text, most = 24) => text.replaceAll("-", "−").replace(/\d+(?:\/\d+)?/g, (number) => (number.length <= most ? number : `≈${approximate(number)}`));

function counted(n, noun) { return `${n.toLocaleString("en")} ${noun}${n === 1 ? "" : "s"}`; }
function spoken(seconds) { return seconds < 1 ? `${Math.max(1, Math.round(seconds * 1000))} ms` : `${seconds.toFixed(1)} s`; }

/** Return the box, inputs and outputs of a network, and its numbers of neurons. */
function readNetwork(text) {
  const { inputs, outputs, box, layers } = JSON.parse(text);
  const areNames = (names) => Array.isArray(names) && names.length && names.every((name) => typeof name === "string");
  const isBox = Array.isArray(box) && box.length === inputs.length && box.every((ends) => Array.isArray(ends) && ends.length === 2 && ends.every((end) => typeof end === "string"));
  if (!areNames(inputs) || !areNames(outputs) || !isBox) throw new Error("it does not have inputs, outputs and a box");
  return { inputs, outputs, box, widths: [inputs.length, ...layers.map((layer) => layer.bias.length)] };
}

/** Return everything that the page tells about its files. */
async function readSubject(files) {
  const read = (name, reader) => {
    try {
      return files.has(name) ? reader(utf8(files.get(name))) : null;
    } catch (error) {
      throw new Error(`${name} cannot be read: ${error.message}`);
    }
  };
  const text = read("formula.mv", (found) => found), formula = readFormula(text);
  const network = read("network.json", readNetwork), source = read("source.json", readNetwork) || network;
  const original = read("original.mv", (found) => ({ text: found, formula: readFormula(found) }));
  const { lines, outputs } = await scanCertificate(files);
  return { text, formula, network, source, original, lines, maps: outputs.map(([, , , scale, offset]) => mapText(String(scale), String(offset))) };
}

/** Return "scale·formula + offset" as the kernel writes it. */
function mapText(scale, offset) {
  const isRational = (number) => /^-?\d+(\/\d+)?$/.test(number);
  const times = scale === "1" ? "formula" : isRational(scale) ? `${scale}·formula` : `(${scale})·formula`;
  if (offset === "0") return times;
  if (!isRational(offset)) return `${times} + (${offset})`;
  return offset.startsWith("-") ? `${times} − ${offset.slice(1)}` : `${times} + ${offset}`;
}

function domainText({ source, formula, original }) {
  const interval = ([low, high]) => `[${shortened(low, 16)},${shortened(high, 16)}]`;
  if (!source) {
    const inputs = (original && original.formula ? original.formula : formula || { inputs: [] }).inputs;
    return inputs.length === 1 ? `${inputs[0]} ∈ [0,1]` : "point of the unit cube";
  }
  const { box } = source, names = source.inputs.map(safeName);
  if (names.length > 3 && box.every((ends) => interval(ends) === interval(box[0]))) return `${names[0]}, ${names[1]}, …, ${names[names.length - 1]} ∈ ${interval(box[0])}`;
  const more = names.length > TOLD ? `, … (${names.length - TOLD} more)` : "";
  return names.slice(0, TOLD).map((name, i) => `${name} ∈ ${interval(box[i])}`).join(", ") + more;
}

const isOnCube = ({ source }) => !source || source.box.every(([low, high]) => low === "0" && high === "1");
function outputsOf({ source, original, formula }) {
  return source ? source.outputs : (original && original.formula) ? original.formula.outputs : formula ? formula.outputs : [];
}

/** Return the sentence above the formula. */
function leadText(subject) {
  const { source, formula, text } = subject;
  const size = logicOf(text) + (formula ? ` of ${counted(countNodes(formula), "shared node")}` : "");
  if (!source) return `Two formulas; the second is ${size}.`;
  const [inputs, ...widths] = source.widths;
  const neurons = counted(widths.reduce((a, b) => a + b, 0), "neuron");
  const shape = source.widths.length <= TOLD ? source.widths : [...source.widths.slice(0, TOLD - 2), "…", widths[widths.length - 1]];
  return `A network with ${counted(inputs, "input")} and ${neurons} (${shape.join("–")}), and ${size}.`;
}

/** Return the equation of each output, for maps such as "2·formula − 1" or those that are missing. */
function equations(subject, maps) {
  if (!subject.source) {
    const names = outputsOf(subject);
    return names.length ? names.map((name) => `${safeName(name)}: original = formula`) : ["original = formula, for every output"];
  }
  return outputsOf(subject).map((name, k) => {
    const map = maps[k];
    return map === undefined ? `${safeName(name)}: the certificate does not reach this output` : `${safeName(name)} = ${shortened(map).replace("·", " · ")}`;
  });
}

/** Return the statement as one sentence, after it was proved. */
function provedText(subject, maps) {
  const names = outputsOf(subject), every = `for every ${domainText(subject)}`;
  if (!subject.source) return `${every}, original.mv and formula.mv have the same ${names.length === 1 ? "value" : "values"}`;
  if (names.length > 1) return `${every}, the network's ${names.length} outputs equal those of the formula, as stated above`;
  const map = maps[0] === "formula" ? "the formula's value" : shortened(maps[0]).replace("·", " · ");
  return `${every}, the network's output ${safeName(names[0])} equals ${map}`;
}

/** Return the maps of the outputs from the kernel's lines; throw if these are not about the files that are shown. */
function mapsOf(subject, statement) {
  const names = outputsOf(subject);
  const last = statement.length - names.length;
  const isSource = subject.source && subject.source !== subject.network;
  if (names.length && last !== (isSource ? 1 : 0)) throw new Damaged("the kernel's statement does not match the outputs shown here");
  return names.map((name, k) => {
    const start = subject.source ? `${safeName(name)} = ` : `${safeName(name)}: original = formula`;
    const end = statement[k].lastIndexOf(" on ");
    if (!statement[k].startsWith(start) || end < start.length) throw new Damaged("the kernel's statement does not match the outputs shown here");
    return statement[k].slice(start.length, end);
  });
}

/** Write what the files say into the page. */
function showStatement(subject, maps = subject.maps, isProved = false) {
  byId("lead").textContent = leadText(subject);
  const lines = equations(subject, maps);
  const shown = lines.length <= TOLD ? lines : [...lines.slice(0, TOLD), `… (${lines.length - TOLD} more)`];
  const mapped = isOnCube(subject) ? "" : " (the formula's inputs are these, mapped onto [0,1])";
  byId("statement").replaceChildren(
    make("p", {}, `${isProved ? "Proved" : "Statement"}: for every ${domainText(subject)}${mapped}, in exact arithmetic over the real numbers:`),
    make("p", { class: "formula" }, ...shown.map((line) => make("span", { class: "line" }, line))),
  );
}
