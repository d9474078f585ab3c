/**
 * Runs a learner's program against tests, in workers that are terminated when their time is over.
 *
 * The program's worker only observes what the program returns. Requests are made and results judged by `core`, the
 * page's own Python worker, where no foreign code ever runs: `pycore.verify.program.requests_json` and `judge_json`.
 *
 *     const runner = createProgramRunner({ worker, pyodide, harness, core });
 *     const verdict = await runner.verify(source, tests, { wall_seconds: 5 });
 *
 * @typedef {{function: string, arguments: unknown[], expected: unknown, hidden?: boolean, tolerance?: number}} ProgramTest
 * @typedef {{wall_seconds?: number, memory_bytes?: number, output_bytes?: number, runs?: number}} ProgramLimits
 * @typedef {{status: "done"|"timeout"|"memory"|"output"|"broken", report: string, isolation: string[]}} Run
 * @typedef {{passed: boolean, reason: string, hidden: boolean, call: string, expected: string, got: string}} Outcome
 * @typedef {{reward: number, correct: boolean, reason: string, detail: string, visible: [number, number],
 *   hidden: [number, number], outcomes: Outcome[], isolation: string[]}} ProgramVerdict
 * @typedef {(name: "requests_json"|"judge_json", ...args: string[]) => Promise<string>} Core
 * @typedef {{verify: (source: string, tests: ProgramTest[], limits?: ProgramLimits) => Promise<ProgramVerdict>,
 *   warm: (limits?: ProgramLimits) => void, close: () => void}} ProgramRunner
 */

export const DEFAULT_LIMITS = Object.freeze({ wall_seconds: 5, memory_bytes: 256 * 2 ** 20 });

/** Starting Python is not the program's fault, so it has a clock of its own. */
const START_SECONDS = 60;

const ISOLATION = Object.freeze(["worker of its own", "terminated on timeout", "WebAssembly memory limit"]);

/**
 * @param {{worker: string|URL, pyodide: string|URL, harness: string|URL, core: Core}} parts absolute addresses of
 *   program-worker.js, of the folder with pyodide.mjs and of harness.py; and the caller's way to pycore.
 * @returns {ProgramRunner}
 */
export function createProgramRunner({ worker, pyodide, harness, core }) {
  /** @type {{bytes: number, isolate: ReturnType<typeof startIsolate>}|null} */
  let spare = null;
  let closed = false;

  /** @param {number} bytes */
  function warm(bytes) {
    if (spare?.bytes !== bytes) {
      spare?.isolate.end();
      spare = { bytes, isolate: startIsolate({ worker, pyodide, harness, bytes }) };
    }
  }

  /**
   * @param {string} request
   * @param {Required<Pick<ProgramLimits, "wall_seconds"|"memory_bytes">>} limits
   * @returns {Promise<Run>}
   */
  async function run(request, { wall_seconds, memory_bytes }) {
    warm(memory_bytes);
    const isolate = /** @type {NonNullable<typeof spare>} */ (spare).isolate;
    spare = null;
    try {
      await isolate.ready;
      return await isolate.run(request, wall_seconds);
    } finally {
      isolate.end();
      if (!closed) warm(memory_bytes);
    }
  }

  return {
    warm: (limits = {}) => warm({ ...DEFAULT_LIMITS, ...limits }.memory_bytes),
    close() {
      closed = true;
      spare?.isolate.end();
      spare = null;
    },
    async verify(source, tests, limits = {}) {
      const bounds = { ...DEFAULT_LIMITS, ...limits };
      const asked = JSON.stringify(tests);
      /** @type {string[]} */
      const requests = JSON.parse(await core("requests_json", source, asked, JSON.stringify(limits)));
      /** @type {Run[]} */
      const runs = [];
      for (const request of requests) {
        runs.push(await run(request, bounds));
        if (runs[runs.length - 1].status !== "done") break;
      }
      return JSON.parse(await core("judge_json", asked, JSON.stringify(runs)));
    },
  };
}

/**
 * One worker for one run.
 * @param {{worker: string|URL, pyodide: string|URL, harness: string|URL, bytes: number}} parts
 */
function startIsolate({ worker, pyodide, harness, bytes }) {
  const isolate = new Worker(worker);
  const ready = reply(isolate, START_SECONDS).then((message) => {
    if (!message?.ready) throw new Error(message?.detail ?? "Python did not start in time");
  });
  // Nobody may be waiting yet; whoever awaits `ready` later still sees the error.
  ready.catch(() => {});
  isolate.postMessage({ pyodide: String(pyodide), harness: String(harness), memoryBytes: bytes });
  return {
    ready,
    end: () => isolate.terminate(),
    /** @param {string} request @param {number} seconds @returns {Promise<Run>} */
    async run(request, seconds) {
      isolate.postMessage({ request });
      const message = await reply(isolate, seconds);
      const isolation = [...ISOLATION];
      if (message === null) return { status: "timeout", report: "", isolation };
      if (typeof message.report === "string") return { status: "done", report: message.report, isolation };
      return { status: "broken", report: "", isolation };
    },
  };
}

/**
 * The worker's next message, null when the time is over; a worker that dies answers at once.
 * @param {Worker} isolate
 * @param {number} seconds
 * @returns {Promise<{ready?: boolean, report?: unknown, failed?: string, detail?: string}|null>}
 */
function reply(isolate, seconds) {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(null), seconds * 1000);
    isolate.onmessage = ({ data }) => {
      clearTimeout(timer);
      resolve(data);
    };
    isolate.onerror = (event) => {
      clearTimeout(timer);
      resolve({ failed: "worker", detail: event.message || "the worker could not be started" });
    };
  });
}
