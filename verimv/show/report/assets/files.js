// The files that the page holds: exact bytes, whose hashes the table of files names.

const KERNEL = "verimv-kernel.js";
const CERTIFICATES = ["certificate.jsonl", "certificate.jsonl.gz"];

/** Something is wrong with what the page holds: its proof is invalid. */
class Damaged extends Error {}
/** The files may be right, but cannot be shown here, so nothing is called proved. */
class Unusual extends Error {}

/** Places that the script fills; a second one of the same name could be shown in place of the first. */
const PLACES = ["lead", "badge", "statement", "browser-verdict", "check", "check-by", "check-kernel-words"];

function checkPlaces() {
  for (const id of [...PLACES, ...KIND.places]) {
    if (document.querySelectorAll(`[id="${id}"]`).length > 1) throw new Damaged(`this page has two places named ${id}`);
  }
}

/** Return the bytes of a block: base64 of the file itself, or of the gzipped file. */
async function bytesOf(block) {
  const name = block.dataset.file;
  let bytes;
  try {
    bytes = fromBase64(block.textContent);
  } catch (error) {
    throw new Damaged(`${name} in this page is damaged: its base64 cannot be read`);
  }
  if (block.type === "application/base64") return bytes;
  if (typeof DecompressionStream === "undefined") throw new Error("this browser cannot unpack gzip; a newer one can");
  try {
    return await gunzipped(bytes);
  } catch (error) {
    throw new Damaged(`${name} in this page is damaged: its gzip data cannot be unpacked`);
  }
}

/** Return all files of the page by name, the kernel included. */
async function readFiles() {
  const files = new Map();
  for (const block of document.querySelectorAll("script[data-file]")) {
    const name = block.dataset.file;
    if (![KERNEL, ...KIND.files, ...CERTIFICATES].includes(name)) throw new Damaged(`this page holds an unknown file, ${safeName(name)}`);
    if (files.has(name)) throw new Damaged(`this page holds ${name} twice`);
    files.set(name, await bytesOf(block));
  }
  for (const names of [[KERNEL], ...KIND.needed, CERTIFICATES]) {
    if (!names.some((name) => files.has(name))) throw new Damaged(`this page lacks ${names.join(" or ")}`);
  }
  return files;
}

/** Return the names of files that are not those whose hashes the page names. The kernel must be the one it names. */
function otherFiles(files) {
  const cells = [...document.querySelectorAll("[data-hash]")];
  const named = new Map(cells.map((cell) => [cell.dataset.hash, cell.textContent.trim()]));
  if (named.size !== cells.length) throw new Damaged("the table of hashes names a file twice");
  for (const name of named.keys()) {
    if (!files.has(name)) throw new Damaged(`the table of hashes names ${safeName(name)}, which this page does not hold`);
  }
  for (const name of files.keys()) if (!named.has(name)) throw new Damaged(`the table of hashes does not name ${name}`);
  const others = [...files.keys()].filter((name) => named.get(name) !== sha256(files.get(name)));
  if (sha256(files.get(KERNEL)) !== KERNEL_HASH) throw new Damaged("the kernel in this page is not the one that its script names");
  if (others.includes(KERNEL)) throw new Damaged(`the kernel in this page is not the one that the page names: its SHA-256 hash is ${sha256(files.get(KERNEL))}`);
  return others;
}

const certificateOf = (files) => CERTIFICATES.find((name) => files.has(name));
const utf8 = (bytes) => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);

async function unpackedCertificate(bytes) {
  try {
    return await gunzipped(bytes);
  } catch (error) {  // several members, or zeros at the end: the kernel knows what to do, but a browser does not
    throw new Unusual("this browser cannot unpack the certificate in order to show it: use verimv check");
  }
}

/** Return the number of lines of the certificate, and those whose text matches a pattern (with the flag y), read. */
async function scanCertificate(files, pattern) {
  const name = certificateOf(files), found = [];
  const text = utf8(name.endsWith(".gz") ? await unpackedCertificate(files.get(name)) : files.get(name));
  let lines = 0;
  for (let at = 0, end; at < text.length; at = end + 1, lines++) {
    end = text.indexOf("\n", at);
    if (end < 0) end = text.length;
    pattern.lastIndex = at;
    if (pattern.test(text)) found.push(JSON.parse(text.slice(at, end)));
  }
  return { lines, found };
}

// -- saving -----------------------------------------------------------------------------------------------

const FOLDER = "verimv-files";

/** Return a tar archive (ustar) of the certificate and its subjects. */
function archive(files) {
  const ascii = (text) => Uint8Array.from(text, (c) => c.charCodeAt(0));
  const parts = [];
  for (const [name, bytes] of files) {
    if (name === KERNEL) continue;
    const head = new Uint8Array(512);
    const put = (at, text) => head.set(ascii(text), at);
    put(0, `${FOLDER}/${name}`);
    put(100, "0000644\0" + "0000000\0" + "0000000\0");
    put(124, `${bytes.length.toString(8).padStart(11, "0")} ` + "00000000000 " + "        " + "0");
    put(257, "ustar\0" + "00");
    put(148, `${head.reduce((sum, byte) => sum + byte, 0).toString(8).padStart(6, "0")}\0 `);
    parts.push(head, bytes, new Uint8Array((512 - (bytes.length % 512)) % 512));
  }
  return new Blob([...parts, new Uint8Array(1024)], { type: "application/x-tar" });
}

async function saveFiles() {
  const link = make("a", { href: URL.createObjectURL(archive(await readFiles())), download: `${FOLDER}.tar` });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
