// The visible part of the graph, and what happens on clicks, drags and searches.

class Explorer {
  constructor(graph) {
    this.graph = graph;
    this.canvas = byId("graph-canvas");
    this.details = byId("graph-details");
    this.depth = 4;
    this.selected = -1;
    this.setUpTools();
    this.setUpMoving();
    if (graph.size <= WHOLE) this.showOnly(Array.from({ length: graph.size }, (_, n) => n));
    else this.centre(graph.outputs[0][1]);
    this.select(graph.outputs[0][1]);
  }

  setUpTools() {
    const graph = this.graph;
    for (const [name, node] of graph.outputs) {
      const button = make("button", { type: "button" }, name);
      button.addEventListener("click", () => this.visit(node));
      byId("graph-outputs").append(button);
    }
    byId("graph-names").append(...Object.values(graph.names).slice(0, 500).map((name) => make("option", { value: name })));
    byId("graph-search").addEventListener("submit", (event) => {
      event.preventDefault();
      this.visitName(byId("graph-query").value);
    });
    byId("graph-in").addEventListener("click", () => this.zoom(1.3));
    byId("graph-out").addEventListener("click", () => this.zoom(1 / 1.3));
    byId("graph-fit").addEventListener("click", () => this.fit());
    for (const link of document.querySelectorAll("a[data-node]")) {
      link.addEventListener("click", () => this.visitName(link.dataset.node));
    }
  }

  setUpMoving() {
    const pointers = new Map();
    this.canvas.addEventListener("pointerdown", (event) => {
      pointers.set(event.pointerId, event);
      this.moved = 0;
    });
    addEventListener("pointerup", (event) => pointers.delete(event.pointerId));
    addEventListener("pointercancel", (event) => pointers.delete(event.pointerId));
    this.canvas.addEventListener("pointermove", (event) => {
      const before = pointers.get(event.pointerId);
      if (!before) return;
      pointers.set(event.pointerId, event);
      if (pointers.size === 2) {
        const [a, b] = [...pointers.values()], other = a.pointerId === event.pointerId ? b : a;
        const gap = (p) => Math.hypot(p.clientX - other.clientX, p.clientY - other.clientY) || 1;
        this.zoom(gap(event) / gap(before));
        return;
      }
      this.moved += Math.abs(event.clientX - before.clientX) + Math.abs(event.clientY - before.clientY);
      this.x += event.clientX - before.clientX;
      this.y += event.clientY - before.clientY;
      this.moveTo();
    });
    this.canvas.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey && document.activeElement !== this.canvas) return;  // the page scrolls
      event.preventDefault();
      this.zoom(Math.exp(-event.deltaY / 400), event.offsetX, event.offsetY);
    }, { passive: false });
    this.canvas.addEventListener("keydown", (event) => this.key(event));
  }

  key(event) {
    const graph = this.graph;
    const on = event.target.dataset && event.target.dataset.n !== undefined ? +event.target.dataset.n : -1;
    const steps = { ArrowDown: () => graph.operands(on)[0], ArrowUp: () => [...graph.usersOf(on)].find((n) => this.shown.has(n)) };
    if (event.key === "+" || event.key === "=") this.zoom(1.3);
    else if (event.key === "-") this.zoom(1 / 1.3);
    else if (on >= 0 && (event.key === "Enter" || event.key === " ")) this.select(on);
    else if (on >= 0 && event.key in steps) {
      const next = steps[event.key]();
      if (next !== undefined && this.shown.has(next)) this.canvas.querySelector(`[data-n="${next}"]`).focus();
    } else return;
    event.preventDefault();
  }

  // the nodes shown

  showOnly(nodes) {
    this.shown = new Set(nodes);
    this.render();
    this.fit(READABLE);
  }

  /** Show a node, some nodes under it, breadth first, and some of its users. */
  centre(node) {
    const shown = new Set([node]);
    this.grow(shown, [node], FIRST);
    for (const user of this.graph.usersOf(node).subarray(0, 6)) shown.add(user);
    this.showOnly(shown);
  }

  grow(shown, from, count) {
    const most = Math.min(shown.size + count, MOST), queue = [...from];
    for (let i = 0; i < queue.length; i++) {
      for (const operand of this.graph.operands(queue[i])) {
        if (shown.has(operand)) continue;
        if (shown.size >= most) return;
        shown.add(operand);
        queue.push(operand);
      }
    }
  }

  expand(node) {
    this.grow(this.shown, [node], MORE);
    this.render();
    this.moveTo();
  }

  addUsers(node) {
    for (const user of this.graph.usersOf(node).subarray(0, MORE)) if (this.shown.size < MOST) this.shown.add(user);
    this.render();
    this.fit(READABLE);
  }

  visit(node) {
    if (!this.shown.has(node)) this.centre(node);
    this.select(node);
  }

  visitName(name) {
    const node = this.graph.find(name);
    if (node >= 0) this.visit(node);
    else byId("graph-status").textContent = `This graph has no node ${name}.`;
  }

  // drawing

  render() {
    const { graph, canvas } = this;
    const laid = layOut(graph, this.shown);
    canvas.replaceChildren();
    this.layer = draw("g", {}, canvas);
    this.edges = [];
    const y = (item) => item.rank * RANK;
    for (const { from, to, way } of laid.edges) {
      let d = `M${way[0].x.toFixed(1)},${y(way[0])}`;
      for (let i = 1; i < way.length; i++) {
        const middle = (y(way[i - 1]) + y(way[i])) / 2;
        d += `C${way[i - 1].x.toFixed(1)},${middle} ${way[i].x.toFixed(1)},${middle} ${way[i].x.toFixed(1)},${y(way[i])}`;
      }
      this.edges.push({ from, to, path: draw("path", { class: "edge", d }, this.layer) });
    }
    this.places = laid.items;
    for (const [n, item] of laid.items) this.drawNode(n, item.x, y(item));
    const all = [...laid.items.values()];
    this.area = {
      left: Math.min(...all.map((item) => item.x - item.width / 2)), right: Math.max(...all.map((item) => item.x + item.width / 2)),
      top: -HALF - 6, bottom: (laid.rows.length - 1) * RANK + HALF + 6,
    };
    this.mark();
    this.tell();
  }

  drawNode(n, x, y) {
    const graph = this.graph, label = labelOf(graph, n), width = widthOf(label);
    const isPartial = graph.operands(n).some((o) => !this.shown.has(o)) || (graph.kind[n] > 2 && graph.left[n] < 0);
    const group = draw("g", {
      class: `node k${graph.kind[n]}${isPartial ? " partial" : ""}`, transform: `translate(${x.toFixed(1)},${y})`,
      tabindex: "0", role: "button", "data-n": n, "aria-label": `${graph.sign(n)}, node ${graph.nameOf(n)}`,
    }, this.layer);
    draw("rect", { x: -width / 2, y: -HALF, width, height: 2 * HALF, rx: graph.kind[n] === VARIABLE ? 5 : HALF }, group);
    draw("text", { y: 4.5 }, group).textContent = label;
    draw("title", {}, group).textContent = `${graph.nameOf(n)}: ${graph.sign(n)}`;
    group.addEventListener("click", () => { if (!(this.moved > 6)) this.select(n, false); });
    group.addEventListener("dblclick", () => this.expand(n));
  }

  tell() {
    const all = this.graph.size + this.graph.left_out;
    const count = (n) => n.toLocaleString("en");
    byId("graph-status").textContent = this.shown.size === all
      ? `All ${count(all)} nodes. Drag to move, Ctrl + wheel or the buttons to zoom.`
      : `${count(this.shown.size)} of ${count(all)} nodes. Double-click a dashed node to see more below it; drag to move, Ctrl + wheel to zoom.`;
  }

  /** Show the whole drawing, but not smaller than a least scale. */
  fit(least = 0.05) {
    const { width, height } = this.canvas.getBoundingClientRect(), area = this.area;
    const wide = area.right - area.left, high = area.bottom - area.top;
    this.scale = Math.max(least, Math.min(1.25, (width - 24) / wide, (height - 24) / high));
    this.x = (width - wide * this.scale) / 2 - area.left * this.scale;
    this.y = Math.max(12, (height - high * this.scale) / 2) - area.top * this.scale;
    this.moveTo();
  }

  zoom(factor, x, y) {
    const { width, height } = this.canvas.getBoundingClientRect();
    const scale = Math.min(4, Math.max(0.05, this.scale * factor)), by = scale / this.scale;
    const cx = x === undefined ? width / 2 : x, cy = y === undefined ? height / 2 : y;
    this.x = cx - (cx - this.x) * by;
    this.y = cy - (cy - this.y) * by;
    this.scale = scale;
    this.moveTo();
  }

  moveTo() {
    this.layer.setAttribute("transform", `translate(${this.x.toFixed(1)},${this.y.toFixed(1)}) scale(${this.scale.toFixed(4)})`);
  }

  /** Move the drawing until a node is visible. */
  reveal(node) {
    const { width, height } = this.canvas.getBoundingClientRect(), item = this.places.get(node);
    const x = item.x * this.scale + this.x, y = item.rank * RANK * this.scale + this.y;
    if (x < 20 || x > width - 20) this.x += width / 2 - x;
    if (y < 20 || y > height - 20) this.y += height / 2 - y;
    this.moveTo();
  }

  mark() {
    for (const element of this.layer.querySelectorAll(".node")) element.classList.toggle("on", +element.dataset.n === this.selected);
    for (const { from, to, path } of this.edges) path.classList.toggle("on", from === this.selected || to === this.selected);
  }

  // one node

  /** Select a node; one that was clicked stays where it is. */
  select(node, reveals = true) {
    this.selected = node;
    this.mark();
    if (reveals) this.reveal(node);
    this.describe(node);
  }

  link(node) {
    const anchor = make("a", { href: "#graph" }, this.graph.nameOf(node));
    anchor.addEventListener("click", (event) => { event.preventDefault(); this.visit(node); });
    return anchor;
  }

  /** Return text in which [12] is replaced by a link to node 12. */
  linked(text) {
    return text.split(/\[(\d+)\]/).map((part, i) => (i % 2 ? this.link(+part) : part));
  }

  describe(node) {
    const graph = this.graph, panel = this.details;
    panel.replaceChildren(make("h3", {}, graph.kind[node] === VARIABLE ? `Input ${graph.nameOf(node)}` : `${shorter(graph.shortSign(node))}  ${graph.nameOf(node)}`));
    const formula = make("p", { class: "formula", id: "graph-subformula" });
    const write = () => formula.replaceChildren(...graph.subformula(node, this.depth).map((part) => (typeof part === "number" ? (graph.kind[part] <= 2 && graph.kind[part] > 0 ? SIGNS[graph.kind[part]] : this.link(part)) : part)));
    if (graph.kind[node] > 2) {
      const depth = make("input", { type: "range", min: 1, max: 10, value: this.depth, "aria-label": "Depth of the subformula" });
      depth.addEventListener("input", () => { this.depth = +depth.value; write(); });
      panel.append(make("h4", {}, "Subformula, to depth"), depth, formula);
      write();
    }
    this.describeClaim(node);
    this.describeNeighbours(node);
  }

  describeClaim(node) {
    const graph = this.graph, panel = this.details, claim = graph.claims[node];
    if (!claim) {
      const whole = graph.inside[node];
      panel.append(make("h4", {}, "Claim"), whole === undefined ? make("p", {}, "The certificate has no claim about this node.")
        : whole < 0 ? make("p", {}, "An inner node: the claim is about a node that this page leaves out.")
        : make("p", {}, "An inner node: the claim is about ", this.link(whole), "."));
      return;
    }
    const [rule, line, form, text] = claim;
    const said = form === null ? ["The form is too long for this page; the certificate has it."] : [`${graph.nameOf(node)} = σ(`, ...this.linked(form), ")"];
    panel.append(make("h4", {}, "Claim, at every point"), make("p", { class: "formula", id: "graph-claim" }, ...said));
    panel.append(make("h4", {}, "Rule"), make("p", { id: "graph-rule" }, make("strong", {}, rule), ` — ${graph.rules[rule] || ""}`));
    panel.append(make("p", { class: "dim" }, `line ${line.toLocaleString("en")} of the certificate: `, make("code", {}, text)));
  }

  describeNeighbours(node) {
    const graph = this.graph, panel = this.details;
    const listed = (title, nodes) => {
      const shown = [...nodes.slice(0, 12)].flatMap((n) => [this.link(n), " "]);
      const rest = nodes.length - 12;
      panel.append(make("h4", {}, `${title} (${nodes.length.toLocaleString("en")})`), make("p", {}, ...shown, rest > 0 ? `and ${rest.toLocaleString("en")} more` : ""));
    };
    if (graph.operands(node).length) listed("Operands", graph.operands(node));
    if (graph.usersOf(node).length) listed("Used by", graph.usersOf(node));
    const buttons = make("p", { class: "buttons" });
    const add = (label, action) => {
      const button = make("button", { type: "button" }, label);
      button.addEventListener("click", () => { action(); if (this.shown.has(node)) this.select(node); });
      buttons.append(button);
    };
    add("Centre", () => this.centre(node));
    if (graph.operands(node).some((o) => !this.shown.has(o))) add("Show operands", () => this.expand(node));
    if (graph.usersOf(node).some((u) => !this.shown.has(u))) add("Show users", () => this.addUsers(node));
    panel.append(make("h4", {}, "View"), buttons);
  }
}
