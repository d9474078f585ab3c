// Compiles the browser's Python archives inside Pyodide, under Node.
//   node bytecode.mjs PYODIDE_FOLDER NUMPY_WHEEL BYTECODE_PY RUNTIME_TOML TARGET_FOLDER
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [pyodide, wheel, program, rules, target] = process.argv.slice(2).map((given) => path.resolve(given));
const { loadPyodide } = await import(pathToFileURL(path.join(pyodide, "pyodide.mjs")).href);
const python = await loadPyodide({ indexURL: `${pyodide}/` });
for (const [name, file] of [["stdlib.zip", path.join(pyodide, "python_stdlib.zip")], ["numpy.whl", wheel]])
    python.FS.writeFile(`/tmp/${name}`, fs.readFileSync(file));
python.FS.mkdir("/out");
python.FS.writeFile("/tmp/bytecode.py", fs.readFileSync(program));
python.globals.set("rules", fs.readFileSync(rules, "utf8"));
python.runPython(`
import sys
sys.path.append("/tmp")
import bytecode
bytecode.main("/tmp/stdlib.zip", "/tmp/numpy.whl", rules, "/out")
`);
for (const name of python.FS.readdir("/out").filter((name) => name.endsWith(".zip")))
    fs.writeFileSync(path.join(target, name), python.FS.readFile(`/out/${name}`));
