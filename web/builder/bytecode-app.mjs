// Compiles the site's own Python inside Pyodide, under Node.
//   node bytecode-app.mjs PYODIDE_FOLDER BYTECODE_PY SOURCE_ZIP TARGET_ZIP
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [pyodide, program, source, target] = process.argv.slice(2).map((given) => path.resolve(given));
const { loadPyodide } = await import(pathToFileURL(path.join(pyodide, "pyodide.mjs")).href);
const python = await loadPyodide({ indexURL: `${pyodide}/` });
python.FS.writeFile("/tmp/app.zip", fs.readFileSync(source));
python.FS.writeFile("/tmp/bytecode.py", fs.readFileSync(program));
python.runPython(`
import sys
sys.path.append("/tmp")
import bytecode
bytecode.application("/tmp/app.zip", "/tmp/compiled.zip")
`);
fs.writeFileSync(target, python.FS.readFile("/tmp/compiled.zip"));
