// The check of the proof: the kernel of the page, in a worker, follows the certificate of the page.

/** The worker's own code, after the kernel's. */
function serve() {
  const isKernel = typeof globalThis.verimvKernel === "function";
  const binary = (bytes) => {
    const parts = [];
    for (let at = 0; at < bytes.length; at += 8192) parts.push(String.fromCharCode.apply(null, bytes.subarray(at, at + 8192)));
    return parts.join("");
  };
  globalThis.onmessage = (event) => {
    try {
      const files = {};
      for (const [name, bytes] of event.data) files[name] = binary(bytes);
      const begin = performance.now();
      const text = globalThis.verimvKernel(files, (lines) => postMessage({ lines }));
      postMessage({ text: String(text), seconds: (performance.now() - begin) / 1000 });
    } catch (error) {
      postMessage({ failed: String((error && error.message) || error) });
    }
  };
  postMessage({ isKernel });
}

/** Milliseconds between two looks at the clock. */
const TICK = 200;

class Stopped extends Error {}

/** Run the kernel; return its text and the seconds it took. `progress` gets the number of lines followed. */
function runKernel(files, progress, stop) {
  const kernel = files.get(KERNEL), own = [...files].filter(([name]) => name !== KERNEL);
  const address = URL.createObjectURL(new Blob([kernel, `\n;(${serve})();\n`], { type: "text/javascript" }));
  let worker;
  const answer = new Promise((resolve, reject) => {
    let isReady = false;
    const send = () => {
      try { worker.postMessage(own); } catch (error) { reject(new Error(`the files cannot be given to the kernel: ${error.message}`)); }
    };
    try {
      worker = new Worker(address);
    } catch (error) {
      reject(new Error(`this browser does not start a worker: ${error.message}`));
      return;
    }
    worker.addEventListener("error", (event) => {
      event.preventDefault();
      if (isReady) reject(new Error(`the browser ended the check: ${event.message || "perhaps it ran out of memory"}`));
      else if (event.message) reject(new Damaged(`the kernel in this page does not run: ${event.message}`));
      else reject(new Error("this browser does not start a worker from this page"));
    });
    worker.addEventListener("messageerror", () => reject(new Error("the browser lost an answer of the kernel")));
    worker.addEventListener("message", ({ data }) => {
      if (data.isKernel === false) reject(new Damaged("the kernel in this page is not one: it defines no function verimvKernel"));
      else if (data.isKernel) { isReady = true; send(); }
      else if (data.lines !== undefined) progress(data.lines);
      else if (data.failed !== undefined) reject(new Error(`the kernel broke off: ${data.failed}`));
      else resolve(data);
    });
    stop(() => reject(new Stopped("stopped")));
  });
  return answer.finally(() => { if (worker) worker.terminate(); URL.revokeObjectURL(address); });
}

const VERDICT = /^(?:valid\n[^]+|(?:invalid|malformed|incomplete)(?:,[^\n]*)?(?::[^\n]*)?\n?)$/;
const COLOURS = { valid: "good", invalid: "bad", malformed: "bad", incomplete: "open", checking: "busy" };
const WORDS = { valid: "proved in this browser", invalid: "invalid", malformed: "malformed", incomplete: "not proved here" };

class Check {
  constructor(subject) {
    this.subject = subject;
    this.isRunning = false;
    this.stop = () => {};
    byId("check-proof").addEventListener("click", () => this.run());
    byId("check-stop").addEventListener("click", () => this.stop());
    addEventListener("hashchange", () => this.follow());
    this.follow();
  }

  /** Show what the files say; `proved` is what the kernel has said about them, if it has. */
  show(subject, proved) {
    KIND.show(subject, proved);
    this.subject = subject;
  }

  /** Check if the address says so. */
  follow() { if (location.hash === "#check") this.run(); }

  say(text, how = text.split(/[^a-z]/, 1)[0]) {
    const place = byId("browser-verdict"), colour = COLOURS[how] || "open";
    byId("check").className = `check ${colour}`;
    place.textContent = text;
    if (!WORDS[how]) return;
    byId("badge").textContent = WORDS[how];
    byId("badge").className = `badge ${colour}`;
  }

  /** Show one button instead of the other, and keep the keyboard where it is. */
  turn(from, to) {
    const isFocused = document.activeElement === byId(from);
    byId("check-progress").hidden = to !== "check-stop";
    byId("check-proof").parentElement.hidden = to === "check-stop";
    if (isFocused) byId(to).focus();
  }

  async run() {
    if (this.isRunning) return;
    this.isRunning = true;
    const begin = performance.now();
    let lines = 0, all = 0;
    const tell = () => {
      const of = all ? `${lines.toLocaleString("en")} of ${counted(all, "line")}, ` : "";
      byId("check-count").textContent = `${of}${((performance.now() - begin) / 1000).toFixed(1)} s`;
      if (all) byId("check-bar").value = lines / all;
    };
    if (this.subject) KIND.show(this.subject);  // no longer as proved
    byId("check-by").textContent = "";
    byId("check-words").hidden = true;
    byId("check-bar").value = 0;
    this.turn("check-proof", "check-stop");
    this.say("checking …");
    tell();
    const clock = setInterval(tell, TICK);
    try {
      checkPlaces();
      const files = await readFiles();
      const others = otherFiles(files);
      const subject = await KIND.read(files).catch((error) => ({ unread: error }));
      all = subject.lines || 0;
      if (!subject.unread) this.show(subject);
      const found = await runKernel(files, (n) => { lines = n; tell(); }, (stop) => { this.stop = stop; });
      this.conclude(found, subject, others);
    } catch (error) {
      if (error instanceof Damaged) this.say(`invalid: ${error.message}`);
      else if (error instanceof Stopped) this.say("incomplete: the check was stopped");
      else this.say(`incomplete: ${error.message || error}`);
    } finally {
      clearInterval(clock);
      this.isRunning = false;
      this.stop = () => {};
      this.turn("check-stop", "check-proof");
      byId("check-proof").textContent = "Check again";
      byId("check-proof").classList.remove("main");
    }
  }

  /** Show the kernel's answer: as valid only if it is about the files that the page names and shows. */
  conclude({ text, seconds }, subject, others) {
    if (!VERDICT.test(text)) throw new Damaged("the kernel in this page gives no verdict");
    const [verdict, ...statement] = text.trimEnd().split("\n");
    byId("check-by").textContent = `By the verified kernel, proved sound in Coq and compiled to JavaScript, in this browser (${engine()}): `
      + `${verdict === "valid" && subject.lines ? `${counted(subject.lines, "line")} in ` : ""}${spoken(seconds)}.`;
    const mismatch = `${others.join(" and ")} in this page ${others.length > 1 ? "do" : "does"} not match the SHA-256 named below`;
    if (others.length && !verdict.startsWith("invalid")) throw new Damaged(`${mismatch} (the kernel says of the changed files: ${verdict})`);
    if (others.length) byId("check-by").append(` Note: ${mismatch}.`);
    if (verdict !== "valid") {
      this.say(verdict);
      return;
    }
    if (subject.unread instanceof Unusual) throw subject.unread;
    if (subject.unread) throw new Damaged(`the files cannot be shown: ${subject.unread.message}`);
    const proved = KIND.proved(subject, statement);
    this.show(subject, proved);
    this.say(`valid: ${KIND.sentence(subject, proved)}.`);
    byId("check-kernel-words").textContent = statement.join("\n");
    byId("check-words").hidden = false;
  }
}

/** Return the name of the browser, as far as it tells. */
function engine() {
  const [, name, version] = /(Firefox|Edg|Chrome)\/(\d+)/.exec(navigator.userAgent) || /()Version\/(\d+).*Safari/.exec(navigator.userAgent) || [];
  if (!version) return "unknown";
  return `${{ Firefox: "Firefox", Edg: "Edge", Chrome: "Chromium" }[name] || "Safari"} ${version}`;
}

async function setUpFiles() {
  byId("save-files").addEventListener("click", () => saveFiles().catch((error) => { byId("save-files").textContent = `Not saved: ${error.message}`; }));
  let subject = null;
  try {
    subject = await KIND.read(await readFiles());
    KIND.show(subject);
  } catch (error) {
    byId("lead").textContent = "The files of this page cannot be shown.";
    byId("statement").replaceChildren(make("p", { class: "note bad" }, `The statement cannot be read: ${error.message}.`));
  }
  new Check(subject);
}
