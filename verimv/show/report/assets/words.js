// Names, numbers and networks in words for people.

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

/** Return the box, inputs and outputs of a network, and the number of neurons and the activation of each layer. */
function readNetwork(text) {
  const { inputs, outputs, box, layers } = JSON.parse(text);
  const areNames = (names) => Array.isArray(names) && names.length && names.every((name) => typeof name === "string");
  const isBox = Array.isArray(box) && box.length === inputs.length && box.every((ends) => Array.isArray(ends) && ends.length === 2 && ends.every((end) => typeof end === "string" && /^[-+*/()0-9a-z]+$/.test(end)));
  if (!areNames(inputs) || !areNames(outputs) || !isBox) throw new Error("it does not have inputs, outputs and a box");
  return { inputs, outputs, box, layers: layers.map(({ bias, activation }) => [bias.length, String(activation)]) };
}

/** Return what `reader` finds in the text of a file, or null if the page does not hold it. */
function readAs(files, name, reader) {
  try {
    return files.has(name) ? reader(utf8(files.get(name))) : null;
  } catch (error) {
    throw new Error(`${name} cannot be read: ${error.message}`);
  }
}

/** Return "19 neurons (4–8–8–3)". */
function shapeText({ inputs, layers }) {
  const widths = layers.map(([width]) => width), all = [inputs.length, ...widths];
  const shape = all.length <= TOLD ? all : [...all.slice(0, TOLD - 2), "…", all[all.length - 1]];
  return `${counted(widths.reduce((a, b) => a + b, 0), "neuron")} (${shape.join("–")})`;
}

const intervalText = ([low, high]) => `[${shortened(plainNumber(low), 16)},${shortened(plainNumber(high), 16)}]`;
const isUnitCube = ({ box }) => box.every(([low, high]) => low === "0" && high === "1");

/** Return the box of a network: "x1 ∈ [0,1], x2 ∈ [0,2]". */
function boxText({ inputs, box }) {
  const names = inputs.map(safeName);
  if (names.length > 3 && box.every((ends) => ends.join() === box[0].join())) return `${names[0]}, ${names[1]}, …, ${names[names.length - 1]} ∈ ${intervalText(box[0])}`;
  const more = names.length > TOLD ? `, … (${names.length - TOLD} more)` : "";
  return names.slice(0, TOLD).map((name, i) => `${name} ∈ ${intervalText(box[i])}`).join(", ") + more;
}

/** Return a fraction as a decimal if that is exact and short, such as 6.981 for 6981/1000; otherwise as it is. */
function plainNumber(text, places = 6) {
  const found = /^(-?)(\d+)\/(\d+)$/.exec(text);
  if (!found || /^0+$/.test(found[3])) return text;
  const [, sign, top, bottom] = found, scaled = BigInt(top) * 10n ** BigInt(places);
  if (scaled % BigInt(bottom)) return text;
  const digits = String(scaled / BigInt(bottom)).padStart(places + 1, "0");
  return `${sign}${digits.slice(0, -places)}.${digits.slice(-places).replace(/0+$/, "")}`;
}
