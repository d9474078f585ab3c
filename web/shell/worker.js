// The Python worker: brings up Pyodide, NumPy and the course's own code, then answers one request at a time.
// A classic script, so that it also runs from a blob in a sandboxed frame. Messages: protocol.js.

/** @type {any} */ let python = null
/** @type {any} */ let engine = null
/** @type {any} */ let toJs = null
/** @type {any} */ let slices = null
let base = ''
let counted = 0
let uncounted = 0
let told = 0
let total = 0

const post = (/** @type {any} */ message, /** @type {Transferable[]} */ transfer = []) =>
  self.postMessage({ v: 1, ...message }, { transfer })

/**
 * Fetches a file of the site, telling the page how many bytes have come.
 * @param {string} path
 */
async function load(path) {
  let response
  try {
    response = await plainFetch(new URL(path, base))
  } catch {
    throw new Error(path)
  }
  if (!response.ok || !response.body) throw new Error(`${path} (${response.status})`)
  // Only an answer that comes straight from the network may be kept compiled for the next visit. On a slow line the
  // moving bar is worth more than that.
  if (path === WASM && response.headers.get('Content-Type') === 'application/wasm' && !slow()) {
    uncounted = sizes.get(path) ?? 0
    return response
  }
  const counter = new TransformStream({
    transform(chunk, controller) {
      counted += chunk.byteLength
      // The page has its own work to do while it loads: a few messages a second are enough for a bar.
      if (performance.now() - told > 100) {
        told = performance.now()
        post({ type: 'progress', stage: 'download', done: counted, total })
      }
      controller.enqueue(chunk)
    },
  })
  const headers = new Headers(response.headers)
  // Some hosts do not know the type, without which the browser refuses to compile while downloading.
  if (path.endsWith('.wasm')) headers.set('Content-Type', 'application/wasm')
  return new Response(response.body.pipeThrough(counter), { headers })
}

const plainFetch = self.fetch.bind(self)
const HOME = '/home/pyodide'
const WASM = 'runtime/pyodide.asm.wasm'
/** @type {Map<string, number>} */
const sizes = new Map()

/** Whether the browser knows the line to be slower than 3G at its best. */
const slow = () => !['4g', undefined].includes(/** @type {any} */ (navigator).connection?.effectiveType)

/**
 * Rejects when the wasm file cannot be had or compiled: Pyodide only logs that, and would be waited for in vain.
 * @returns {Promise<never>}
 */
function failedWasm() {
  const { instantiateStreaming } = WebAssembly
  const lost = new Promise((_, reject) => {
    WebAssembly.instantiateStreaming = (...all) => {
      const made = instantiateStreaming.apply(WebAssembly, all)
      made.then(() => { counted += uncounted }, () => {})
      made.catch(error => reject(new Error(/\.wasm/.test(error.message) ? error.message : `runtime/pyodide.asm.wasm: ${error.message}`)))
      return made
    }
  })
  lost.catch(() => {})
  return /** @type {Promise<never>} */ (lost)
}

/** @param {{base: string, files: {url: string, bytes: number}[]}} message */
async function boot(message) {
  base = message.base
  for (const file of message.files) sizes.set(file.url, file.bytes)
  total = message.files.reduce((sum, file) => sum + file.bytes, 0)
  let stage = 'download'
  try {
    const archive = (/** @type {string} */ path) => load(path).then(response => response.arrayBuffer())
    const own = message.files.map(file => file.url).filter(path => path.startsWith('runtime/labs/'))
    const waiting = ['runtime/numpy.zip', 'runtime/app.zip', ...own].map(archive)
    const lock = load('runtime/pyodide-lock.json').then(async response => {
      const text = await response.text()
      try { JSON.parse(text) } catch { throw new Lost('runtime/pyodide-lock.json') }
      return text
    })
    // Pyodide will ask for these after its own scripts have been read; they may be on their way by then.
    const early = new Map([WASM, 'runtime/python_stdlib.zip'].map(path => [path, load(path)]))
    // A rejected download is reported once, by whoever awaits it, however long Pyodide takes to start.
    for (const one of [...waiting, lock, ...early.values()]) one.catch(() => {})
    /** @type {(reason: unknown) => void} */
    let lose = () => {}
    const lostFile = new Promise((_, reject) => { lose = reject })
    lostFile.catch(() => {})
    self.fetch = (/** @type {any} */ resource, /** @type {any} */ options) => {
      const url = String(resource?.url ?? resource)
      if (!url.startsWith(base)) return plainFetch(resource, options)
      const path = url.slice(base.length)
      const coming = early.get(path) ?? load(path)
      early.delete(path)
      // Pyodide would stumble on without the file and say something else; it is left waiting while the loss is reported.
      return coming.catch(error => { lose(error); return new Promise(() => {}) })
    }
    const lostWasm = failedWasm()
    const { loadPyodide } = await import(new URL('runtime/pyodide.mjs', base).href)
    const started = loadPyodide({
      indexURL: new URL('runtime/', base).href,
      stdLibURL: new URL('runtime/python_stdlib.zip', base).href,
      lockFileContents: await lock,
    })
    // What Pyodide makes of a lost file differs from file to file; the loss itself has the file's name.
    python = await Promise.race([started, lostWasm, lostFile])
    const [numpy, ...parts] = await Promise.all(waiting)
    post({ type: 'progress', stage: 'start', done: total, total })
    unpack('runtime/numpy.zip', numpy, '/lib/python3.13/site-packages')
    parts.forEach((part, index) => unpack(['runtime/app.zip', ...own][index], part, HOME))
    stage = 'start'
    for (const path of own) brought.set(path, Promise.resolve())
    engine = python.pyimport('web.labs.engine')
    toJs = (/** @type {any} */ proxy) => {
      const value = proxy.toJs({ dict_converter: Object.fromEntries })
      proxy.destroy()
      return value
    }
    post({ type: 'ready' })
  } catch (error) {
    post({ type: 'failed', stage, what: lastLine(error) })
  }
}

/** What went wrong in one line: the last of Python's traceback; the whole goes to the console. @param {any} error */
function lastLine(error) {
  console.error(error)
  return (String(error?.message ?? error).trim().split('\n').pop() ?? '').slice(0, 300)
}

/** @param {any} shown */
function buffers(shown) {
  /** @type {Transferable[]} */
  const found = []
  for (const columns of Object.values(shown.sources ?? {})) {
    for (const column of Object.values(/** @type {any} */ (columns))) {
      // A column of lines holds one array for each.
      for (const part of Array.isArray(column) ? column : [column]) if (ArrayBuffer.isView(part)) found.push(/** @type {ArrayBuffer} */ (part.buffer))
    }
  }
  return found
}

/** What was asked for did not come, or something else came in its place. The message is the file's path. */
class Lost extends Error {}

/** Fetches a file that the start left out; what does not come is named. @param {string} path */
async function get(path) {
  // Not through `load`: the page would take its progress for a restart.
  const response = await plainFetch(new URL(path, base)).catch(() => { throw new Lost(path) })
  if (!response.ok) throw new Lost(`${path} (${response.status})`)
  return response
}

/** Unpacks an archive; a torn one, or a login page in its place, counts as lost. @param {string} path @param {ArrayBuffer} data @param {string} folder */
function unpack(path, data, folder) {
  try { python.unpackArchive(data, 'zip', { extractDir: folder }) } catch (error) {
    console.error(error)
    throw new Lost(path)
  }
}

/** The course's whole Python as JSON, path to text: what most pages never need. Fetched once. */
async function sources() {
  return (await get('runtime/sources.json')).text()
}

/** @type {Map<string, Promise<void>>} */
const brought = new Map()
/** Unpacks an archive that the start left out; once. @param {string} path */
function bring(path) {
  const coming = brought.get(path) ?? (async () => {
    unpack(path, await (await get(path)).arrayBuffer(), HOME)
    python.pyimport('importlib').invalidate_caches()
  })()
  brought.set(path, coming)
  coming.catch(() => brought.delete(path))
  return coming
}

let unpacked = false
/** Puts the parts of pycore that no lab imports beside those that are there. */
async function unpackSources() {
  if (unpacked) return
  for (const [path, text] of Object.entries(JSON.parse(await sources()))) {
    const target = `${HOME}/${path}`
    python.FS.mkdirTree(target.slice(0, target.lastIndexOf('/')))
    // A module that came compiled stays so.
    if (!python.FS.analyzePath(target.replace(/\.py$/, '.pyc')).exists) python.FS.writeFile(target, text)
  }
  python.pyimport('importlib').invalidate_caches()
  unpacked = true
}

/** Answers with the state of the controls; the process's frames follow on their own. @param {any} stream @param {any} request */
async function begin(stream, request) {
  const { id, lab, language } = request
  if (!slices) {
    const { Slices } = await import(new URL('assets/slices.js', base).href).catch(() => { throw new Lost('assets/slices.js') })
    slices = new Slices(post, toJs, buffers, lastLine)
  }
  let made
  if (request.type === 'open') made = stream.opened(lab, language, request.query)
  else {
    const controls = python.toPy(request.controls)
    try { made = stream.started(lab, language, controls) } finally { controls.destroy() }
  }
  const shown = toJs(made.reply)
  post({ type: 'shown', id, shown })
  // A wrong value leaves what runs alone.
  if (shown.fault) made.destroy()
  else slices.start(id, made, request.begin)
}

/** @type {Map<string, Promise<void>>} */
const fetched = new Map()
/** Puts the files that a lab reads where it looks for them; each is fetched once. @param {string} lab */
async function fetchFiles(lab) {
  await bring(`runtime/labs/${lab}.zip`)
  const files = toJs(engine.files(lab))
  await Promise.all(files.map((/** @type {string} */ path) => {
    const coming = fetched.get(path) ?? (async () => {
      const response = await get(`runtime/${path}`)
      const target = `${HOME}/${path}`
      python.FS.mkdirTree(target.slice(0, target.lastIndexOf('/')))
      python.FS.writeFile(target, new Uint8Array(await response.arrayBuffer()))
    })()
    fetched.set(path, coming)
    coming.catch(() => fetched.delete(path))
    return coming
  }))
}

/** @param {any} request */
async function answer(request) {
  const { id, lab, language } = request
  try {
    if (request.type === 'desk') {
      // Text and bytes in, text or bytes out.
      const parts = request.parts.map((/** @type {any} */ part) => (part instanceof Uint8Array ? python.toPy(part) : part))
      const found = python.pyimport('web.dashboard.desk')[request.name](...parts)
      const result = typeof found === 'string' ? { text: found } : { text: '', bytes: toJs(found) }
      post({ type: 'file', id, name: request.name, ...result })
      slices?.obey({ run: slices.run, action: 'look' })
      return
    }
    if (lab) await fetchFiles(lab) // a program to be judged belongs to none
    if (request.type === 'notebook') {
      await bring('runtime/export.zip')
      const { what, query } = request, make = python.pyimport('web.labs.export'), texts = await sources()
      if (what === 'trl' || what === 'verl') {
        post({ type: 'file', id, name: `rlvr-${what}.zip`, text: '', bytes: toJs(make.cluster(what, `lab=${lab}&${query}`, texts)) })
      } else {
        const practicum = what === 'practicum'
        const text = make[practicum ? 'practicum' : 'notebook'](lab, language, query, texts)
        post({ type: 'file', id, name: `${practicum ? 'practicum' : lab}-${language}.ipynb`, text })
      }
      return
    }
    if (request.type === 'program') {
      await unpackSources()
      const text = python.pyimport('pycore.verify.program')[request.name](...request.parts)
      post({ type: 'file', id, name: request.name, text })
      return
    }
    const stream = python.pyimport('web.labs.stream')
    if (stream.is_process(lab)) {
      await begin(stream, request)
      return
    }
    let shown
    if (request.type === 'open') shown = toJs(engine.answer(lab, language, request.query))
    else {
      const controls = python.toPy(request.controls)
      try { shown = toJs(engine.respond(lab, language, controls)) } finally { controls.destroy() }
    }
    post({ type: 'shown', id, shown }, buffers(shown))
  } catch (error) {
    post({ type: 'failed', id, stage: error instanceof Lost ? 'download' : 'compute', what: lastLine(error) })
  }
}

self.onmessage = (/** @type {MessageEvent} */ event) => {
  const message = event.data
  if (message?.v !== 1) return
  if (message.type === 'boot') boot(message)
  else if (['open', 'set', 'notebook', 'program', 'desk'].includes(message.type)) answer(message)
  else if (message.type === 'process') slices?.obey(message)
}
