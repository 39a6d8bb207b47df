// Layout of a part of the graph, in the same three steps as verimv/show/pictures/layout.py.

const RANK = 62, HALF = 15, GAP = 20, READABLE = 0.6;
/** Return a long fraction as a rounded decimal. */
function rounded(text) {
  const parts = /^(\d+)\/(\d+)$/.exec(text);
  if (text.length <= 9 || !parts) return text;
  const scale = 10n ** 15n;
  return `≈${(Number((BigInt(parts[1]) * scale) / BigInt(parts[2])) / Number(scale)).toPrecision(3)}`;
}
const shorter = (text) => (text.length > 16 ? `${text.slice(0, 15)}…` : text);

function labelOf(graph, n) {
  const sign = shorter(graph.shortSign(n));
  return graph.kind[n] !== VARIABLE && n in graph.names ? `${sign} ${shorter(graph.names[n])}` : sign;
}
const widthOf = (label) => Math.max(2 * HALF, 8 * [...label].length + 16);

/** Set places in this order, without overlap, as near to the wanted ones as possible (least squares). */
function spread(row) {
  let total = 0;
  const offsets = row.map((item) => { const at = total + item.width / 2; total += item.width; return at; });
  const blocks = [];
  row.forEach((item, i) => {
    let mean = item.want - offsets[i], count = 1;
    while (blocks.length && blocks[blocks.length - 1][0] > mean) {
      const [other, more] = blocks.pop();
      mean = (mean * count + other * more) / (count + more);
      count += more;
    }
    blocks.push([mean, count]);
  });
  let i = 0;
  for (const [mean, count] of blocks) for (let k = 0; k < count; k++, i++) row[i].x = mean + offsets[i];
}

/** Return a layout of the nodes shown: ranks, an order with few crossings, places. Long edges bend on each rank. */
function layOut(graph, shown) {
  const nodes = [...shown].sort((a, b) => b - a);  // users come after their operands in the table
  const items = new Map(nodes.map((n) => [n, { n, rank: 0, width: widthOf(labelOf(graph, n)) + GAP, up: [], down: [] }]));
  for (const n of nodes) for (const o of graph.operands(n)) {
    if (items.has(o)) items.get(o).rank = Math.max(items.get(o).rank, items.get(n).rank + 1);
  }
  const last = Math.max(...nodes.map((n) => items.get(n).rank));
  if (shown.size === graph.size) for (const n of nodes) if (graph.kind[n] <= 2) items.get(n).rank = last;
  const rows = Array.from({ length: last + 1 }, () => []);
  for (const n of nodes) rows[items.get(n).rank].push(items.get(n));
  const edges = [];
  for (const n of nodes) for (const o of graph.operands(n)) {
    if (!items.has(o)) continue;
    const way = [items.get(n)];
    for (let rank = items.get(n).rank + 1; rank < items.get(o).rank; rank++) {
      const bend = { rank, width: GAP / 2, up: [], down: [] };
      rows[rank].push(bend);
      way.push(bend);
    }
    way.push(items.get(o));
    for (let i = 0; i + 1 < way.length; i++) { way[i].down.push(way[i + 1]); way[i + 1].up.push(way[i]); }
    edges.push({ from: n, to: o, way });
  }
  place(rows);
  return { items, edges, rows };
}

function place(rows) {
  const SWEEPS = 12;
  for (const row of rows) { for (const item of row) item.want = 0; spread(row); }
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const isLast = sweep >= SWEEPS - 2;
    for (const row of sweep % 2 ? [...rows].reverse() : rows) {
      for (const item of row) {
        const near = isLast ? [...item.up, ...item.down] : sweep % 2 ? item.down : item.up;
        item.want = near.length ? near.reduce((sum, other) => sum + other.x, 0) / near.length : item.x;
      }
      if (!isLast) row.sort((a, b) => a.want - b.want);
      spread(row);
    }
  }
}
