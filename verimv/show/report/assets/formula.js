// Pages about a formula: what is stated, read from the files that are checked, and after the check from the kernel's text.

/** Return everything that the page tells about its files. */
async function readSubject(files) {
  const text = readAs(files, "formula.mv", (found) => found), formula = readFormula(text);
  const network = readAs(files, "network.json", readNetwork), source = readAs(files, "source.json", readNetwork) || network;
  const original = readAs(files, "original.mv", (found) => ({ text: found, formula: readFormula(found) }));
  const other = readAs(files, "other.json", readNetwork);
  const file = readAs(files, "source.json", (found) => found) || readAs(files, "network.json", (found) => found);
  const { lines, found } = await scanCertificate(files, other ? /\["(?:output|bound|formula)"/y : /\["output"/y);
  const maps = found.filter(([rule]) => rule === "output").map(([, , , scale, offset]) => mapText(String(scale), String(offset)));
  if (!other) return { text, formula, network, source, file, original, other, lines, maps };
  const errors = errorsOf(network, other, found);
  return { text, formula, network, source, file, original, other, lines, maps: maps.map((map, k) => (errors[k] === null ? map : `${map} ± ${errors[k]}`)) };
}

/** Return the error of each output, from the bounds of the difference of two networks; null if it has none. */
function errorsOf(network, other, found) {
  const layer = network.layers.length + other.layers.length + 1, last = new Map();
  for (const [rule, at, k, side, value] of found) {
    if (rule === "formula") break;
    if (rule === "bound" && at === layer && termsOf(value)) last.set(`${k} ${side}`, value);
  }
  return network.outputs.map((_, k) => {
    const [low, high] = ["low", "high"].map((side) => last.get(`${k} ${side}`));
    if (low === undefined || high === undefined) return null;
    return compared(sizeOf(low), sizeOf(high)) < 0 ? sizeOf(high) : sizeOf(low);
  });
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
  if (!source) {
    const inputs = (original && original.formula ? original.formula : formula || { inputs: [] }).inputs;
    return inputs.length === 1 ? `${inputs[0]} ∈ [0,1]` : "point of the unit cube";
  }
  return boxText(source);
}

const isOnCube = ({ source }) => !source || isUnitCube(source);
function outputsOf({ source, original, formula }) {
  return source ? source.outputs : (original && original.formula) ? original.formula.outputs : formula ? formula.outputs : [];
}

/** Return "scale · formula + offset", and its error in words, for a map such as "2·formula − 1 ± 3/8". */
function mapParts(map) {
  const [value, error] = map.split(" ± ");
  return [shortened(value).replace("·", " · "), error === undefined ? null : spokenNumber(error.replace(/^\((.*)\)$/, "$1"), true)];
}

/** Return the sentence above the formula; with the error of the one output, if it is proved. */
function leadText(subject, proved) {
  const { source, formula, text, other } = subject;
  const size = logicOf(text) + (formula ? ` of ${counted(countNodes(formula), "shared node")}` : "");
  if (!source) return `Two formulas; the second is ${size}.`;
  const error = other && proved && proved.length === 1 ? ` of ${mapParts(proved[0])[1]}` : "";
  if (other) return `A network with ${counted(source.inputs.length, "input")} and ${shapeText(source)}, and, within an error${error}, ${size}. The formula equals a network with ${shapeText(other)}.`;
  return `A network with ${counted(source.inputs.length, "input")} and ${shapeText(source)}, and ${size}.`;
}

/** Return the equation of each output, for maps such as "2·formula − 1" or those that are missing. */
function equations(subject, maps) {
  if (!subject.source) {
    const names = outputsOf(subject);
    return names.length ? names.map((name) => `${safeName(name)}: original = formula`) : ["original = formula, for every output"];
  }
  return outputsOf(subject).map((name, k) => {
    const map = maps[k];
    if (map === undefined) return `${safeName(name)}: the certificate does not reach this output`;
    const [value, error] = mapParts(map);
    return `${safeName(name)} = ${value}${error === null ? "" : ` ± ${error}`}`;
  });
}

/** Return the statement as one sentence, after it was proved. */
function provedText(subject, maps) {
  const names = outputsOf(subject), every = `for every ${domainText(subject)}`;
  if (!subject.source) return `${every}, original.mv and formula.mv have the same ${names.length === 1 ? "value" : "values"}`;
  if (subject.other && names.length > 1) return `${every}, the network's ${names.length} outputs are within the errors stated above of those of the formula`;
  if (subject.other) {
    const [value, error] = mapParts(maps[0]);
    return `${every}, the network's output ${safeName(names[0])} differs by at most ${error} from ${value === "formula" ? "the formula's value" : value}`;
  }
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
    const map = statement[k].slice(start.length, end);
    if (map.includes(" ± ") !== Boolean(subject.other)) throw new Damaged("the kernel's statement does not match the outputs shown here");
    return map;
  });
}

/** Write what the files say into the page. */
function showStatement(subject, proved) {
  byId("lead").textContent = leadText(subject, proved);
  const lines = equations(subject, proved || subject.maps);
  const shown = lines.length <= TOLD ? lines : [...lines.slice(0, TOLD), `… (${lines.length - TOLD} more)`];
  const mapped = isOnCube(subject) ? "" : " (the formula's inputs are these, mapped onto [0,1])";
  byId("statement").replaceChildren(
    make("p", {}, `${proved ? "Proved" : "Statement"}: for every ${domainText(subject)}${mapped}, in exact arithmetic over the real numbers:`),
    make("p", { class: "formula" }, ...shown.map((line) => make("span", { class: "line" }, line))),
    ...(subject.other ? [make("p", {}, "± E means: at every point, the network's output and the value from the formula differ by at most E.")] : []),
  );
}

// -- the formula's text ---------------------------------------------------------------------------------

/** What was read from the files and is shown; `text` is that of the formula, `decimals` its long constants, rounded. */
const shown = { subject: null, text: "", decimals: new Map(), isExact: false, isWhole: false };
/** Characters of a constant that is shown exactly, and constants of a formula whose long ones are rounded. */
const SHORT_CONSTANT = 9, MOST_CONSTANTS = 20_000;
const CONSTANT = /(Δ\[)([^\]\s]+)(?=\])/;
/** Lines of a formula that are shown at first. */
const FIRST_LINES = 40;

function showAll(subject, proved) {
  showStatement(subject, proved);
  const text = shownText(subject.text, subject.formula), isNew = text !== shown.text;
  Object.assign(shown, { subject, text, decimals: decimalsOf(text) });
  if (isNew) showFormula(false);
  showPoint(subject.file);
}

/** Return a decimal for each long constant. Those that would look the same stay exact. */
function decimalsOf(text) {
  const found = new Set(text.split(CONSTANT).filter((part, i) => i % 3 === 2 && part.length > SHORT_CONSTANT && /^\d+\/\d+$/.test(part)));
  const decimals = new Map(), seen = new Map();
  if (found.size > MOST_CONSTANTS) return decimals;
  for (const exact of found) {
    const rounded = `≈${approximate(exact)}`;
    seen.set(rounded, (seen.get(rounded) || 0) + 1);
    decimals.set(exact, rounded);
  }
  return new Map([...decimals].filter(([, rounded]) => seen.get(rounded) === 1));
}

/** Return elements for a text, with exact numbers as tooltips. */
function withDecimals(text) {
  return text.split(CONSTANT).map((part, i) => (i % 3 === 2 && shown.decimals.has(part)
    ? make("span", { class: "rounded", title: part }, shown.decimals.get(part)) : part));
}

function showFormula(isWhole) {
  shown.isWhole = isWhole;
  const lines = shown.text.split("\n"), rest = isWhole ? 0 : lines.length - FIRST_LINES;
  const text = rest > 0 ? lines.slice(0, FIRST_LINES).join("\n") : shown.text;
  byId("formula-text").replaceChildren(...(shown.isExact ? [text] : withDecimals(text)));
  const button = byId("exact-numbers");
  if (button) {
    button.hidden = !shown.decimals.size;
    button.textContent = shown.isExact ? "Show decimals" : "Show exact numbers";
  }
  byId("formula-more").hidden = rest <= 0;
  byId("formula-count").textContent = `${counted(rest, "more line")}: `;
}

/** Return the formula in one of the formats that can be copied. */
function copyOf(format) {
  if (!shown.subject) throw new Error("the formula cannot be read");
  if (format === "text") return shown.text;
  const { formula } = shown.subject;
  if (!formula) throw new Error("formula.mv is too large, or written in another way than verimv writes: use verimv convert");
  return format === "latex" ? latexText(formula) : smtlibText(formula);
}

async function toClipboard(text) {
  if (navigator.clipboard && isSecureContext) {
    try { await navigator.clipboard.writeText(text); return; } catch (refused) { /* fall back */ }
  }
  const area = document.createElement("textarea");
  area.value = text;
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  if (!done) throw new Error("the browser does not allow copying");
}

function setUpCopies() {
  for (const button of document.querySelectorAll("[data-copy]")) {
    const label = button.textContent;
    button.addEventListener("click", async () => {
      try {
        await toClipboard(copyOf(button.dataset.copy));
        button.textContent = "Copied";
      } catch (error) {
        button.textContent = "Not copied";
        button.title = String(error.message || error);
      }
      setTimeout(() => { button.textContent = label; }, 1500);
    });
  }
}

// -- the kind of page ------------------------------------------------------------------------------------

async function setUpGraph() {
  const explorer = new Explorer(new Graph(await unpack("graph-data")));
  let width = explorer.canvas.clientWidth;
  new ResizeObserver(() => {
    if (explorer.canvas.clientWidth !== width) { width = explorer.canvas.clientWidth; explorer.fit(READABLE); }
  }).observe(explorer.canvas);
}

/** What the check needs to know about this kind of page. */
const KIND = {
  files: ["network.json", "source.json", "other.json", "original.mv", "formula.mv"],
  needed: [["formula.mv"], ["network.json", "original.mv"]],
  places: ["formula-text"],
  read: readSubject,
  proved: mapsOf,
  sentence: provedText,
  show: showAll,
  async setUp() {
    setUpCopies();
    if (byId("show-formula")) byId("show-formula").addEventListener("click", () => showFormula(true));
    if (byId("exact-numbers")) byId("exact-numbers").addEventListener("click", () => {
      shown.isExact = !shown.isExact;
      showFormula(shown.isWhole);
    });
    await setUpGraph().catch((error) => { byId("graph-status").textContent = `This browser cannot show the graph: ${error.message || error}`; });
  },
};
