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

// -- start ------------------------------------------------------------------------------------------------

async function setUpCheck() {
  if (!byId("check-proof")) return;
  await setUpFiles().catch((error) => { byId("browser-verdict").textContent = `incomplete: this page cannot check its proof: ${error.message}`; });
}

setUpTheme();
Promise.all([KIND.setUp(), setUpCheck()]).then(() => { document.documentElement.dataset.ready = "yes"; });
