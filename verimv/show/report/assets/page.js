// Started when the page is loaded.

// -- light and dark -------------------------------------------------------------------------------------

function setUpTheme() {
  const root = document.documentElement;
  const isDark = () => (root.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  byId("theme").addEventListener("click", () => { root.dataset.theme = isDark() ? "light" : "dark"; });
  let closed = [];
  addEventListener("beforeprint", () => {
    closed = [...document.querySelectorAll("details:not([open])")];
    closed.forEach((element) => { element.open = true; });
  });
  addEventListener("afterprint", () => closed.forEach((element) => { element.open = false; }));
}

// -- the formula's text ---------------------------------------------------------------------------------

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

// -- start ------------------------------------------------------------------------------------------------

async function setUpGraph() {
  const explorer = new Explorer(new Graph(await unpack("graph-data")));
  let width = explorer.canvas.clientWidth;
  new ResizeObserver(() => {
    if (explorer.canvas.clientWidth !== width) { width = explorer.canvas.clientWidth; explorer.fit(READABLE); }
  }).observe(explorer.canvas);
}

setUpTheme();
setUpCopies();
const whenFilesAreShown = byId("check-proof")
  ? setUpFiles().catch((error) => { byId("browser-verdict").textContent = `incomplete: this page cannot check its proof: ${error.message}`; })
  : null;
Promise.all([setUpGraph(), whenFilesAreShown]).then(
  () => { document.documentElement.dataset.ready = "yes"; },
  (error) => { byId("graph-status").textContent = `This browser cannot show the graph: ${error.message || error}`; },
);
