// Starts the browser's Python as web/builder/runtime.py says, and runs the program beside it.
try {
    const runtime = new URL("runtime/", self.location.href).href;
    const started = performance.now();
    const archive = fetch(`${runtime}numpy.zip`).then((answer) => answer.arrayBuffer());
    const { loadPyodide } = await import(`${runtime}pyodide.mjs`);
    const python = await loadPyodide({ indexURL: runtime });
    python.unpackArchive(await archive, "zip", { extractDir: "/lib/python3.13/site-packages" });
    const program = await fetch("program.py").then((answer) => answer.text());
    postMessage({ answer: python.runPython(program), milliseconds: Math.round(performance.now() - started) });
} catch (error) {
    postMessage({ error: String(error.stack ?? error) });
}
