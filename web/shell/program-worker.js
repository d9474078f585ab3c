/**
 * A worker that runs one learner's program and nothing else: Pyodide, the harness, one request, one report.
 *
 * What it promises: the page is never blocked (it terminates the worker when the time is over); memory stops at the
 * limit; before the program runs, the worker has lost its ways to the network, to storage and to further workers.
 * What it does not promise: there is no processor-time limit apart from the clock, a browser is no container, and a
 * determined program may still load scripts that the page's content security policy allows. It is for learners' own
 * code, started by themselves. Expected results are never sent here, so tampering gains nothing.
 *
 * Started as a classic worker, because a module worker cannot be started from the blob that sandboxed frames need.
 * In:  {pyodide, harness, memoryBytes, archives} once, then {request}.
 * Out: {ready}, {report}, {failed, detail} and, from a harness that has `listen`, {output} while a program runs.
 * `archives` are zips for Python to import from; the harness of the exercises wants NumPy and the judge.
 */

/* The ways out of a worker. They are closed after Pyodide is up and before the program starts. */
const WAYS_OUT = [
  "fetch", "XMLHttpRequest", "WebSocket", "WebSocketStream", "WebTransport", "EventSource", "Worker", "SharedWorker",
  "importScripts", "indexedDB", "caches", "navigator", "BroadcastChannel", "RTCPeerConnection", "Notification",
];

const PAGE_BYTES = 65536;

/**
 * WebAssembly memory that cannot grow beyond a limit; Python then raises MemoryError instead of taking it all.
 * @param {number} bytes
 */
function limitMemory(bytes) {
  const Native = WebAssembly.Memory;
  const most = Math.ceil(bytes / PAGE_BYTES);
  WebAssembly.Memory = /** @type {any} */ (function Memory(/** @type {WebAssembly.MemoryDescriptor} */ descriptor) {
    const maximum = Math.max(descriptor.initial, Math.min(descriptor.maximum ?? most, most));
    return new Native({ ...descriptor, maximum });
  });
  WebAssembly.Memory.prototype = Native.prototype;
}

function closeWaysOut() {
  for (const name of WAYS_OUT) {
    if (name in self) {
      Object.defineProperty(self, name, { value: undefined, writable: false, configurable: false });
    }
  }
}

/** @type {(request: string) => string} */
let observe;

/** @param {string} address */
async function load(address) {
  const name = address.split("/").pop();
  const response = await fetch(address).catch(() => { throw new Error(name); });
  if (!response.ok) throw new Error(`${name} (${response.status})`);
  return response;
}

/** @param {{pyodide: string, harness: string, memoryBytes: number, archives?: string[]}} message */
async function start({ pyodide, harness, memoryBytes, archives = [] }) {
  limitMemory(memoryBytes);
  const packed = Promise.all(archives.map(async (address) => (await load(address)).arrayBuffer()));
  packed.catch(() => {}); // told when it is awaited
  const source = await (await load(harness)).text();
  const { loadPyodide } = await import(new URL("pyodide.mjs", pyodide).href).catch(() => { throw new Error("pyodide.mjs"); });
  // An empty object for `import js`: Python finds nothing of the worker there.
  const python = await loadPyodide({ indexURL: pyodide, jsglobals: Object.create(null) });
  for (const archive of await packed) {
    python.unpackArchive(archive, "zip", { extractDir: "/lib/python3.13/site-packages" });
  }
  python.runPython(source, { filename: "harness.py" });
  observe = python.globals.get("observe");
  python.globals.get("listen")?.((/** @type {string} */ text) => answer({ output: text }));
  closeWaysOut();
}

const answer = self.postMessage.bind(self);

self.onmessage = async ({ data }) => {
  try {
    if (data.pyodide) {
      await start(data);
      answer({ ready: true });
    } else {
      answer({ report: observe(data.request) });
    }
  } catch (error) {
    answer({ failed: data.pyodide ? "start" : "run", detail: String(/** @type {any} */ (error)?.message ?? error).slice(-500) });
  }
};
