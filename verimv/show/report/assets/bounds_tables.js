// Tables of pages about bounds, with a bar for each output; and the networks and inputs.

/** Return a table that scrolls, of `count` rows; `row` returns what stands in the cells of one. */
function tableOf(kind, head, count, row, most = MOST_ROWS) {
  const named = (i) => (typeof head[i] === "string" ? { "data-head": head[i] } : {});  // shown beside the cell in a narrow window
  const cells = ([first, ...others]) => make("tr", {}, make("th", { scope: "row" }, first), ...others.map((cell, i) => make("td", named(i + 1), cell)));
  const rows = Array.from({ length: Math.min(count, most) }, (_, i) => cells(row(i)));
  const top = make("thead", {}, make("tr", {}, ...head.map((cell) => make("th", { scope: "col" }, cell))));
  const more = count > most ? [make("p", { class: "hint" }, `… and ${counted(count - most, "more row")}`)] : [];
  return make("div", { class: "scroll tall" }, make("table", { class: kind }, top, make("tbody", {}, ...rows)), ...more);
}

/** Return a number for a cell: its decimal, and below it the exact number, folded if it is long. */
function numberCell(text, isUp) {
  if (text === null) return make("span", { class: "dim" }, "not given");
  const exact = text.replaceAll("-", "−");
  if (isPlain(text) || !termsOf(text)) return make("span", {}, exact);
  const written = make("code", { class: "exact" }, exact);
  const folded = text.length > LONGEST ? make("details", {}, make("summary", {}, "exactly"), written) : written;
  return make("div", {}, make("span", {}, decimalOf(text, isUp)), folded);
}

/** Return the bounds of each output, with bars on one scale. */
function boundsTable(outputs, ranges, isPair) {
  const scale = new Scale(ranges);
  const head = ["output", ...(isPair ? ["difference from", "to", "differ by at most"] : ["from", "to"]), scale.axis()];
  return tableOf("bounds", head, outputs.length, (k) => [
    safeName(outputs[k]), numberCell(ranges[k].low, false), numberCell(ranges[k].high, true),
    ...(isPair ? [numberCell(distanceOf(ranges[k]), true)] : []), scale.bar(ranges[k]),
  ]);
}

/** The common scale of all bars; 0 is always on it. */
class Scale {
  constructor(ranges) {
    const ends = ranges.flatMap(({ low, high }) => [low, high]).map((end) => (end === null ? NaN : drawnAt(end))).filter(Number.isFinite);
    this.low = Math.min(0, ...ends);
    this.high = Math.max(0, ...ends);
  }

  /** Return the place of a number, in percent of the width; a margin keeps the ends visible. */
  place(x) { return this.high > this.low ? 2 + (96 * (x - this.low)) / (this.high - this.low) : 50; }

  picture(label, height) {
    const picture = document.createElementNS(SVG, "svg");
    for (const [name, value] of Object.entries({ class: "range", role: "img", "aria-label": label, width: "100%", height })) picture.setAttribute(name, value);
    return picture;
  }

  bar({ low, high }) {
    const ends = [low, high].map((end) => (end === null ? NaN : drawnAt(end)));
    const picture = this.picture(ends.every(Number.isFinite) ? `from ${decimalOf(low, false)} to ${decimalOf(high, true)}` : "not drawn", 22);
    const zero = this.place(0);
    draw("line", { class: "track", x1: "2%", x2: "98%", y1: 11, y2: 11 }, picture);
    if (ends.every(Number.isFinite)) {
      const [from, to] = ends.map((end) => this.place(end)), width = Math.max(0.8, to - from);
      draw("rect", { class: "span", x: `${(from + to - width) / 2}%`, width: `${width}%`, y: 5, height: 12, rx: 3 }, picture);
    }
    draw("line", { class: "zero", x1: `${zero}%`, x2: `${zero}%`, y1: 0, y2: 22 }, picture);
    return picture;
  }

  axis() {
    const picture = this.picture("scale of the bars, with 0", 16);
    const label = (x, anchor) => draw("text", { x: `${this.place(x)}%`, y: 12, "text-anchor": anchor }, picture).append(Number(x.toPrecision(3)).toString().replaceAll("-", "−"));
    const zero = this.place(0);
    if (this.low < 0 && zero > 25) label(this.low, "start");
    if (this.high > 0 && zero < 75) label(this.high, "end");
    label(0, zero > 90 ? "end" : zero < 10 ? "start" : "middle");
    return picture;
  }
}

// -- networks and inputs ----------------------------------------------------------------------------------

const ACTIVATIONS = { relu: "ReLU", crelu: "clipped ReLU", identity: "affine" };
const LAYERS_TOLD = 60;

function networksTable(networks) {
  const layer = (network, i) => {
    if (i >= network.layers.length) return "";
    const [width, activation] = network.layers[i];
    return `${counted(width, "neuron")}, ${ACTIVATIONS[activation] || safeName(activation)}`;
  };
  const depth = Math.max(...networks.map(({ layers }) => layers.length));
  const rows = Array.from({ length: depth }, (_, i) => [`layer ${i + 1}`, ...networks.map((network) => layer(network, i))]);
  const count = (name, counter) => [name, ...networks.map((network) => counter(network).toLocaleString("en"))];
  rows.unshift(
    count("inputs", ({ inputs }) => inputs.length), count("outputs", ({ outputs }) => outputs.length),
    count("neurons", ({ layers }) => layers.reduce((sum, [width]) => sum + width, 0)),
  );
  return tableOf("sizes", ["", ...["network.json", "other.json"].slice(0, networks.length)], rows.length, (i) => rows[i], LAYERS_TOLD);
}

/** Return the box; a line if all inputs have the same interval. Decimals are rounded inwards: there, too, all is proved. */
function inputsTable({ inputs, box }) {
  const isSame = box.every((ends) => ends.join() === box[0].join());
  if (isSame && inputs.length > 3) return make("p", {}, `${counted(inputs.length, "input")}: ${boxText({ inputs, box })}.`);
  return tableOf("sizes", ["input", "from", "to"], inputs.length, (i) => [safeName(inputs[i]), numberCell(box[i][0], true), numberCell(box[i][1], false)]);
}
