// Try a point: the exact outputs of the network there, and how they change with each of the most important inputs.

/** Inputs that are listed at first, slices that are drawn, points of a slice, steps of a slider and for all slices, starts. */
const FIRST_INPUTS = 12, SLICES = 6, SAMPLES = 241, STEPS = 200n, MOST_STEPS = 2e8, STARTS = 12;
/** Milliseconds without a change until the slices are drawn again. */
const PAUSE = 120;

const fourDigits = (x) => String(Number(x.toPrecision(4))).replace("-", "−");
const floatOf = (terms) => drawnAt(numberText(terms));

class PointPanel {
  constructor(network, names) {
    this.network = network;
    this.label = (name) => names[name] || name;
    this.ends = network.box.map(([low, high]) => [floatOf(low), floatOf(high)]);
    this.choice = 0;
    this.isWhole = network.inputs.length <= FIRST_INPUTS;
    this.toStart();
    this.order = this.isWhole ? network.inputs.map((_, i) => i) : this.heights().map(([, i]) => i);
    byId("point-middle").addEventListener("click", () => { this.moveTo(() => STEPS / 2n); this.list(); });
    byId("point-more").addEventListener("click", () => { this.isWhole = true; this.list(); });
    byId("point").hidden = false;
    this.choose();
    this.list();
  }

  /** Offer a choice of the output that slices show, if there are several. */
  choose() {
    const { outputs } = this.network, place = byId("slices-output");
    place.parentElement.hidden = outputs.length < 2;
    outputs.forEach((name, k) => place.append(make("option", { value: k }, this.label(name))));
    place.addEventListener("change", () => { this.choice = +place.value; this.drawSlices(); });
  }

  /** Move every input to a step of its range. */
  moveTo(step) {
    this.texts = this.network.box.map((ends, i) => this.between(ends, step(i)));
    this.point = this.texts.map(typedTerms);
  }

  /** Begin in the middle of the box; if no output changes there, at one of a few points where the outputs change most. */
  toStart() {
    const scattered = (k) => (i) => BigInt(Math.floor(Number(STEPS) * ((0.5 + k * (i + 1) * 0.618034) % 1)));
    const change = (k) => {
      this.moveTo(scattered(k));
      return this.network.outputs.reduce((sum, _, output) => { this.choice = output; return sum + this.heights()[0][0]; }, 0);
    };
    let best = 0;
    if (!(change(0) > 0)) {
      const found = Array.from({ length: STARTS }, (_, k) => change(k));
      best = found.indexOf(Math.max(...found));
    }
    this.moveTo(scattered(best));
    this.choice = 0;
  }

  /** Return low + (high − low)·step/STEPS as text; exactly, if the ends are rational. */
  between([low, high], step) {
    const [[a, b], [c, d]] = [low, high].map((terms) => (terms.length === 1 && terms[0][2] === 1n ? terms[0] : typedTerms(floatOf(terms).toPrecision(6))[0]));
    const top = a * d * (STEPS - step) + c * b * step, bottom = b * d * STEPS, shared = gcd(top, bottom) || 1n;
    return plainNumber(numberText([[top / shared, bottom / shared, 1n]]), 12);
  }

  list() {
    const { network } = this, shown = this.isWhole ? this.order : this.order.slice(0, FIRST_INPUTS);
    byId("point-inputs").replaceChildren(...shown.flatMap((i) => this.row(i)));
    byId("point-more").hidden = shown.length === network.inputs.length;
    byId("point-more").textContent = `All ${network.inputs.length} inputs`;
    byId("point-note").hidden = shown.length === network.inputs.length;
    this.update();
  }

  /** Return the name, slider and number of an input. */
  row(i) {
    const [low, high] = this.network.box[i], name = this.label(this.network.inputs[i]), [from, to] = this.ends[i];
    const range = `${spokenEnd(low)} to ${spokenEnd(high)}`;
    const slider = make("input", { type: "range", min: 0, max: Number(STEPS), value: this.step(i), "aria-label": `${name}, ${range}` });
    const number = make("input", { type: "text", inputmode: "decimal", value: this.texts[i], "aria-label": name, "data-input": this.network.inputs[i] });
    const change = (text) => {
      const terms = typedTerms(text);
      number.setAttribute("aria-invalid", String(!terms));
      if (!terms) return;
      this.texts[i] = text.trim();
      this.point[i] = terms;
      this.update();
    };
    slider.addEventListener("input", () => { number.value = this.between([low, high], BigInt(slider.value)); change(number.value); });
    number.addEventListener("input", () => { change(number.value); slider.value = this.step(i); });
    slider.disabled = from === to;
    return [make("span", { class: "who" }, name, make("small", {}, range)), slider, number];
  }

  step(i) {
    const [low, high] = this.ends[i];
    return low === high ? 0 : Math.round(((floatOf(this.point[i]) - low) / (high - low)) * Number(STEPS));
  }

  update() {
    const { network } = this, values = network.at(this.point).map(numberText);
    const outside = network.inputs.filter((_, i) => { const [low, high] = network.box[i]; return isLess(this.point[i], low) || isLess(high, this.point[i]); });
    byId("point-outside").hidden = !outside.length;
    byId("point-outside").textContent = `Outside the box (${outside.slice(0, TOLD).map(this.label).join(", ")}): nothing is stated or proved about this point.`;
    const listed = values.slice(0, TOLD).map((text, k) => {
      const exact = text.replaceAll("-", "−"), decimal = decimalOf(text, false), isRounded = decimal.startsWith("≈");
      const value = make("span", { class: "value", "data-exact": text }, isPlain(text) ? exact : decimal.replace("≈", ""));
      const line = make("p", {}, make("span", { class: "dim" }, `${this.label(network.outputs[k])} ${isRounded ? "≈" : "="} `), value);
      if (!isPlain(text)) line.append(make("small", {}, ` exactly ${exact}`));
      return line;
    });
    if (values.length > TOLD) listed.push(make("p", { class: "dim" }, `and ${counted(values.length - TOLD, "more output")}`));
    byId("point-values").replaceChildren(...listed);
    const quoted = network.inputs.map((name, i) => `${name}=${this.texts[i]}`).join(",");
    byId("point-command").textContent = quoted.length <= 400 ? `verimv explain DIR --at ${quoted}` : "verimv explain DIR --at FILE.csv:ROW";
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => this.drawSlices(), PAUSE);
  }

  /** Return the chosen output over the range of an input, the others as they are. */
  slice(i, samples) {
    const at = Float64Array.from(this.point, floatOf), [low, high] = this.ends[i];
    return Array.from({ length: samples }, (_, k) => {
      at[i] = low + ((high - low) * k) / (samples - 1);
      return [at[i], this.network.near(at)[this.choice]];
    });
  }

  /** Return [change of the output, input] of all inputs, the largest first. */
  heights() {
    const { inputs, weights } = this.network, affordable = Math.floor(MOST_STEPS / Math.max(1, inputs.length * weights));
    const samples = Math.max(2, Math.min(SAMPLES, affordable));
    const found = inputs.map((_, i) => {
      const values = this.slice(i, samples).map(([, y]) => y);
      return [values.reduce((a, b) => Math.max(a, b)) - values.reduce((a, b) => Math.min(a, b)), i];
    });
    return found.sort((a, b) => b[0] - a[0] || a[1] - b[1]);
  }

  drawSlices() {
    const top = this.heights().slice(0, SLICES), slices = top.map(([, i]) => this.slice(i, SAMPLES));
    const values = slices.flat().map(([, y]) => y);
    let low = values.reduce((a, b) => Math.min(a, b)), high = values.reduce((a, b) => Math.max(a, b));
    if (high - low < 1e-9) [low, high] = [low - 0.5, high + 0.5];
    byId("slices").replaceChildren(...top.map(([height, i], k) => this.figure(i, height, slices[k], low, high)));
  }

  figure(i, height, slice, low, high) {
    const name = this.label(this.network.inputs[i]), output = this.label(this.network.outputs[this.choice]);
    const [left, width, up, tall] = [46, 246, 10, 120], [from, to] = this.ends[i];
    const x = (t) => left + (to > from ? ((t - from) / (to - from)) * width : width / 2), y = (v) => up + tall * (1 - (v - low) / (high - low));
    const here = floatOf(this.point[i]), value = this.network.near(Float64Array.from(this.point, floatOf))[this.choice];
    const picture = make("figure", { class: "slice" });
    const drawing = draw("svg", { viewBox: "0 0 304 158", role: "img", "aria-label": `${output} over ${name}` }, picture);
    draw("rect", { class: "frame", x: left, y: up, width, height: tall }, drawing);
    if (low < 0 && high > 0) {
      draw("line", { class: "zero", x1: left, x2: left + width, y1: y(0), y2: y(0) }, drawing);
      draw("text", { x: left - 5, y: y(0) + 4, "text-anchor": "end" }, drawing).textContent = "0";
    }
    for (const end of [low, high]) if (Math.abs(y(end) - (low < 0 && high > 0 ? y(0) : -99)) > 12) draw("text", { x: left - 5, y: y(end) + 4, "text-anchor": "end" }, drawing).textContent = fourDigits(end);
    draw("text", { x: left, y: 146 }, drawing).textContent = fourDigits(from);
    draw("text", { x: left + width, y: 146, "text-anchor": "end" }, drawing).textContent = fourDigits(to);
    draw("path", { class: "curve", d: slice.map(([t, v], k) => `${k ? "L" : "M"}${x(t).toFixed(1)},${y(v).toFixed(1)}`).join("") }, drawing);
    if (here >= from && here <= to) draw("circle", { class: "here", cx: x(here).toFixed(1), cy: y(value).toFixed(1), r: 4 }, drawing);
    picture.append(make("figcaption", {}, make("strong", {}, name), ` changes ${output} by ${height ? `≈${fourDigits(height)}` : "0"}`));
    return picture;
  }
}

const isLess = (a, b) => signOf([...a, ...negated(b), [0n, 1n, 1n]]) < 0;
const spokenEnd = (terms) => { const text = plainNumber(numberText(terms)); return text.length <= 9 ? text.replaceAll("-", "−") : fourDigits(floatOf(terms)); };

/** Fill in the section, from the text of the network's file. */
function showPoint(text) {
  const place = byId("point");
  if (!place || !text || !place.hidden) return;
  try {
    const names = byId("point-names");
    new PointPanel(new ExactNetwork(text), names ? JSON.parse(names.textContent) : {});
  } catch (error) {
    byId("point-unable").textContent = `Not possible in this page: ${error.message}.`;
    byId("point-unable").hidden = false;
  }
}
