// Runs pytest inside the browser's Python, under Node, and prints one line for each test.
//   node run.mjs RUNTIME WHOLE_STDLIB NUMPY_WHEEL PACKAGES_ZIP REPOSITORY PYTEST_ARGUMENT...
// RUNTIME is what the site ships. What pytest and hypothesis need beyond it is found only after it, in the whole library.
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const [runtime, stdlib, wheel, packages, repository, ...pytestArguments] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(path.join(runtime, "pyodide.mjs")).href);
const site = "/lib/python3.13/site-packages";
const python = await loadPyodide({ indexURL: `${runtime}/`, env: { PYTHONDONTWRITEBYTECODE: "1", HOME: "/home/pyodide" } });
const bytes = (file) => new Uint8Array(fs.readFileSync(file));
python.unpackArchive(bytes(path.join(runtime, "numpy.zip")), "zip", { extractDir: site });
python.unpackArchive(bytes(packages), "zip", { extractDir: site });
python.unpackArchive(bytes(wheel), "zip", { extractDir: "/whole" });
python.FS.writeFile("/whole/stdlib.zip", bytes(stdlib));
python.FS.mkdir("/repository");
python.mountNodeFS("/repository", repository);
const program = path.join(path.dirname(fileURLToPath(import.meta.url)), "inside.py");
python.FS.writeFile(`${site}/inside.py`, bytes(program));
process.exitCode = python.pyimport("inside").main(python.toPy(pytestArguments));
