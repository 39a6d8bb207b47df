// Pages about bounds: of the outputs of a network, or of the differences of the outputs of two networks. What is stated is
// read from the files that are checked, and after the check from the kernel's text.

/** What the kernel prints in place of a number that is too long. */
const LONG_NUMBER = "a long number";
/** Rows of a table, and characters of a number in a statement of one line. */
const MOST_ROWS = 200, WRITTEN_OUT = 120;

/** Return everything that the page tells about its files. */
async function readBounds(files) {
  const networks = ["network.json", "other.json"].map((name) => readAs(files, name, readNetwork)).filter((network) => network);
  const layer = networks.reduce((sum, { layers }) => sum + layers.length, networks.length - 1);  // the last one, of the difference
  const { lines, found } = await scanCertificate(files, new RegExp(`[ \\t]*\\[[ \\t]*"bound"[ \\t]*,[ \\t]*${layer}[ \\t]*,`, "y"));
  return subjectOf(networks, found.map(([, , k, side, value]) => [k, side, value]), lines);
}

/** Return what is stated about networks, for the bounds of their last layer. */
function subjectOf(networks, bounds, lines) {
  const [first, other] = networks, isPair = networks.length > 1;
  const areAlike = (key) => JSON.stringify(first[key]) === JSON.stringify(other[key]);
  if (isPair && !(areAlike("inputs") && areAlike("outputs"))) throw new Error("network.json and other.json do not have the same inputs and outputs");
  const last = new Map(bounds.map(([k, side, value]) => [`${k} ${side}`, value]));
  const activation = isPair ? "identity" : first.layers[first.layers.length - 1][1];
  const end = (k, side) => {
    const value = last.get(`${k} ${side}`);
    return termsOf(value) ? activated(String(value), activation) : null;
  };
  return { networks, isPair, lines, claimed: first.outputs.map((_, k) => ({ low: end(k, "low"), high: end(k, "high") })) };
}

/** Return the value of an activation. */
function activated(text, activation) {
  if (activation !== "identity" && compared(text, "0") < 0) return "0";
  return activation === "crelu" && compared(text, "1") > 0 ? "1" : text;
}

// -- what the kernel says ---------------------------------------------------------------------------------

/** Return what the bounds are about, as the kernel writes it. */
const quantity = (name, isPair) => (isPair ? `${safeName(name)} − other ${safeName(name)}` : safeName(name));

/** Return the box as the kernel names it. */
function domainName({ inputs, box }) {
  if (!box.every(([low, high]) => compared(low, "0") === 0 && compared(high, "1") === 0)) return "its box";
  return `[0,1]${inputs.length === 1 ? "" : String(inputs.length).replace(/\d/g, (digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit])}`;
}

/** Return the bounds from the kernel's lines; throw if these are not about the files that are shown. */
function provedBounds({ networks: [network], isPair }, statement) {
  const end = ` on ${domainName(network)}`, isNumber = (text) => text === LONG_NUMBER || termsOf(text);
  const isAbout = statement.length === network.outputs.length && statement.every((line, k) => {
    const [low, middle, rest, ...more] = line.split(" ≤ ");
    return !more.length && middle === quantity(network.outputs[k], isPair) && rest && rest.endsWith(end) && isNumber(low) && isNumber(rest.slice(0, -end.length));
  });
  if (!isAbout) throw new Damaged("the kernel's statement does not match the outputs shown here");
  return statement.map((line) => {
    const [low, , rest] = line.split(" ≤ ");
    return { low, high: rest.slice(0, -end.length) };
  });
}

/** Return the text of the largest of some numbers; null if one of them is not known. */
function largest(texts) {
  return texts.some((text) => !termsOf(text)) ? null : texts.reduce((a, b) => (compared(a, b) < 0 ? b : a));
}
/** Return by how much two networks differ at most, for the bounds of a difference. */
const distanceOf = ({ low, high }) => largest([low, high].map((end) => (termsOf(end) ? sizeOf(end) : LONG_NUMBER)));

// -- in words ---------------------------------------------------------------------------------------------

function introduction({ networks, isPair }) {
  const [network, other] = networks, outputs = network.outputs.length;
  const inputs = network.inputs.length > 1 ? counted(network.inputs.length, "input") : "input", where = isUnitCube(network) ? "the unit cube" : isPair ? "their box" : "its box";
  if (!isPair) return `A network with ${counted(network.inputs.length, "input")} and ${shapeText(network)}: bounds of its ${outputs > 1 ? `${outputs.toLocaleString("en")} outputs` : "output"} on ${where}.`;
  const shapes = networks.map(shapeText), same = shapes[0] === shapes[1];
  const shaped = same ? `each with ${shapes[0]}` : `one with ${shapes[0]}, the other with ${shapes[1]}`;
  return `Two networks with the same ${inputs}, ${shaped}: bounds of the difference of their ${other.outputs.length > 1 ? `${outputs.toLocaleString("en")} outputs` : "outputs"} on ${where}.`;
}

/** Return the largest difference as a sentence without a point; null if it is not known. */
function differenceText(ranges) {
  const most = largest(ranges.map(distanceOf));
  if (most === null) return null;
  if (compared(most, "0") === 0) return "the two networks are equal";
  return `the two networks differ by at most ${spokenNumber(most, true)}${ranges.length > 1 ? ` in each of ${ranges.length.toLocaleString("en")} outputs` : ""}`;
}

/** Return the statement as one sentence, after it was proved. */
function boundsSentence({ networks: [network], isPair }, proved) {
  const every = `for every ${boxText(network)}`, [name] = network.outputs, [{ low, high }] = proved;
  if (isPair) return `${every}, ${differenceText(proved) || "the differences of the two networks are bounded as stated above"}`;
  if (proved.length > 1) return `${every}, the network's ${proved.length.toLocaleString("en")} outputs lie within the bounds stated above`;
  return `${every}, the network's output ${safeName(name)} is at least ${spokenNumber(low, false)} and at most ${spokenNumber(high, true)}`;
}

// -- in the page ------------------------------------------------------------------------------------------

function showBounds(subject, proved) {
  const { networks, isPair } = subject, [network] = networks, ranges = proved || subject.claimed;
  byId("lead").textContent = introduction(subject);
  const parts = [make("p", {}, `${proved ? "Proved" : "Statement"}: for every ${boxText(network)}, in exact arithmetic over the real numbers:`)];
  if (ranges.length === 1) parts.push(make("p", { class: "formula" }, inequality(quantity(network.outputs[0], isPair), ranges[0])));
  parts.push(boundsTable(network.outputs, ranges, isPair));
  const difference = isPair && differenceText(ranges);
  if (difference) parts.push(make("p", {}, `That is, ${difference}, at every point of the box.`));
  byId("statement").replaceChildren(...parts);
  byId("networks").replaceChildren(networksTable(networks));
  byId("inputs").replaceChildren(inputsTable(network));
}

/** Return "−3/16 ≤ y ≤ 3/64", with very long numbers rounded. */
function inequality(name, { low, high }) {
  const end = (text, isUp) => (text === null ? "?" : text.length > WRITTEN_OUT && termsOf(text) ? decimalOf(text, isUp) : text.replaceAll("-", "−"));
  return `${end(low, false)} ≤ ${name} ≤ ${end(high, true)}`;
}

/** What the check needs to know about this kind of page. */
const KIND = {
  files: ["network.json", "other.json"],
  needed: [["network.json"]],
  places: ["networks", "inputs"],
  read: readBounds,
  proved: provedBounds,
  sentence: boundsSentence,
  show: showBounds,
  /** Show what Python has read, if the page does not hold the files. */
  async setUp() {
    if (!byId("bounds-data")) return;
    const { networks, bounds } = await unpack("bounds-data");
    showBounds(subjectOf(networks, bounds, 0));
  },
};
