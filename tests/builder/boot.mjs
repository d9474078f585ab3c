// The page of test_runtime.py: starts the worker and leaves its answer where the test reads it.
const worker = new Worker("boot-worker.mjs", { type: "module" });
worker.onmessage = (event) => (document.body.dataset.answer = JSON.stringify(event.data));
worker.onerror = (event) => (document.body.dataset.answer = JSON.stringify({ error: event.message }));
