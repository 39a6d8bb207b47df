// Functions that the other scripts share.

const byId = (id) => document.getElementById(id);

/** Return the JSON of a gzipped block of the page. */
async function unpack(id) {
  const bytes = Uint8Array.from(atob(byId(id).textContent), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}
