// Runs _policy_step.py inside the browser's Python, under Node: node _policy_wasm.mjs RUNTIME REPOSITORY BASE
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [runtime, repository, base] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(path.join(runtime, "pyodide.mjs")).href);
const python = await loadPyodide({ indexURL: `${runtime}/`, env: { PYTHONDONTWRITEBYTECODE: "1", HOME: "/home/pyodide" } });
const numpy = new Uint8Array(fs.readFileSync(path.join(runtime, "numpy.zip")));
python.unpackArchive(numpy, "zip", { extractDir: "/lib/python3.13/site-packages" });
python.FS.mkdir("/repository");
python.mountNodeFS("/repository", repository);
python.FS.writeFile("/base", new Uint8Array(fs.readFileSync(base)));
python.runPython(`
import json, sys
sys.path.insert(0, "/repository")
from tests.benchmarks._policy_step import measure
with open("/base", "rb") as file:
    print("@" + json.dumps(measure(file.read())))
`);
