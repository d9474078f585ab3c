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
const time = python.runPython(`
import json, time
from web.labs import engine
from web.labs.frame import Frame

def once(lab, values):
    """Milliseconds of one frame and of the whole answer; of a process, of the longest of its first dozen steps."""
    begin = time.perf_counter()
    found = engine.lab_of(lab).compute(values)
    steps = []
    if not isinstance(found, Frame):
        for _, one in zip(range(12), found):
            frame = one() if callable(one) else one
            steps.append(time.perf_counter() - begin)
            found, begin = frame if isinstance(frame, Frame) else found, time.perf_counter()
    else:
        steps.append(time.perf_counter() - begin)
    middle = time.perf_counter()
    if isinstance(found, Frame):
        engine.show(lab, "ru", found, values)
    return 1e3 * max(steps), 1e3 * (time.perf_counter() - middle)

def timed(lab, kinds, repeats):
    states = {
        kind: [engine.values_of(engine.scenario_of(lab, values), lab) for values in wanted]
        for kind, wanted in json.loads(kinds).items()
    }
    found = {}
    for kind, settings in states.items():
        once(lab, settings[0])
        found[kind] = [once(lab, values) for values in settings for _ in range(repeats if kind == "default" else 3)]
    return json.dumps({"lab": lab, **found})
timed
`);
for (const [lab, kinds] of Object.entries(JSON.parse(fs.readFileSync(settings, "utf-8")))) {
  try {
    console.log(time(lab, JSON.stringify(kinds), Number(repeats)));
  } catch (error) {
    console.log(JSON.stringify({ lab, error: String(error.message).trim().split("\n").pop() }));
  }
}
process.exit(0);
