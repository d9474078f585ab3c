// Times every lab's answer inside the site's own Python under Node; prints one JSON line for each lab.
//   node _labs_wasm.mjs RUNTIME APP_ZIP SETTINGS_JSON REPEATS TOP
// Files that labs read are taken from below TOP.
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [runtime, app, settings, repeats, top] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(path.join(runtime, "pyodide.mjs")).href);
const python = await loadPyodide({ indexURL: `${runtime}/` });
const bytes = (file) => new Uint8Array(fs.readFileSync(file));
python.unpackArchive(bytes(path.join(runtime, "numpy.zip")), "zip", { extractDir: "/lib/python3.13/site-packages" });
python.unpackArchive(bytes(app), "zip", { extractDir: "/home/pyodide" });
for (const file of python.pyimport("web.labs").files()) {
  python.FS.mkdirTree(path.posix.dirname(`/home/pyodide/${file}`));
  python.FS.writeFile(`/home/pyodide/${file}`, bytes(path.join(top, file)));
}
// The processor's time, not the clock's: a busy machine must not speak for the lab.
globalThis.processorSeconds = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};
const time = python.runPython(`
import json
from js import processorSeconds as now
from web.labs import engine
from web.labs.frame import Frame

def once(lab, values):
    """Milliseconds of one frame and of writing it out."""
    begin = now()
    frame = engine.lab_of(lab).compute(values)
    middle = now()
    engine.show(lab, "ru", frame, values)
    return 1e3 * (middle - begin), 1e3 * (now() - middle)

def steps(lab, values, frames=5, most=1500):
    """Milliseconds of every step of a process up to its fifth frame, and of writing the last one out."""
    found, seen, last = [], 0, None
    begin = now()
    for one in engine.lab_of(lab).compute(values):
        found.append(now() - begin)
        if not isinstance(one, float):
            begin = now()
            last = one() if callable(one) else one
            if callable(one):
                found.append(now() - begin)
            seen += 1
        if seen == frames or len(found) >= most:
            break
        begin = now()
    begin = now()
    engine.show(lab, "ru", last, values)
    return found, 1e3 * (now() - begin)

def slowest(lab, values, tries):
    """The same steps several times, the best try of each: the longest of them."""
    runs = [steps(lab, values) for _ in range(tries)]
    longest = max(min(times) for times in zip(*(found for found, _ in runs)))
    return 1e3 * longest, min(writing for _, writing in runs)

def timed(lab, kinds, repeats):
    states = {
        kind: [engine.values_of(engine.scenario_of(lab, values), lab) for values in wanted]
        for kind, wanted in json.loads(kinds).items()
    }
    if engine.lab_of(lab).process:
        slowest(lab, next(iter(states.values()))[0], 1)
        found = {kind: [slowest(lab, values, 3) for values in settings] for kind, settings in states.items()}
        return json.dumps({"lab": lab, "process": True, **found})
    found = {}
    for kind, settings in states.items():
        once(lab, settings[0])
        found[kind] = [once(lab, values) for values in settings for _ in range(repeats if kind == "default" else 3)]
    return json.dumps({"lab": lab, "process": False, **found})
timed
`);
const wanted = Object.entries(JSON.parse(fs.readFileSync(settings, "utf-8")));
// V8 goes on compiling the interpreter in other threads of this process: that is not the first lab's time.
const [[first, its]] = wanted;
time(first, JSON.stringify(its), Number(repeats));
for (const [lab, kinds] of wanted) {
  try {
    console.log(time(lab, JSON.stringify(kinds), Number(repeats)));
  } catch (error) {
    console.log(JSON.stringify({ lab, error: String(error.message).trim().split("\n").pop() }));
  }
}
process.exit(0);
