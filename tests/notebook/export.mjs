// Makes notebooks with the site's own Python under Node, and writes them into one JSON file.
//   node export.mjs RUNTIME APP_ZIP SOURCES_JSON REQUESTS_JSON TARGET
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [runtime, app, sources, requests, target] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(path.join(runtime, "pyodide.mjs")).href);
const python = await loadPyodide({ indexURL: `${runtime}/` });
const bytes = (file) => new Uint8Array(fs.readFileSync(file));
python.unpackArchive(bytes(path.join(runtime, "numpy.zip")), "zip", { extractDir: "/lib/python3.13/site-packages" });
python.unpackArchive(bytes(app), "zip", { extractDir: "/home/pyodide" });
const { notebook } = python.pyimport("web.labs.export");
const text = fs.readFileSync(sources, "utf-8");
const made = JSON.parse(requests).map(([lab, language, query]) => notebook(lab, language, query, text));
fs.writeFileSync(target, JSON.stringify(made));
