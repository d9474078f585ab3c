// Keeps the run that is going on in the browser's own store, so that leaving and returning loses nothing.
// Where there is no store, as in a sandboxed frame, the run lives as long as the page.

const STORE = 'runs'
/** Milliseconds between two looks at what is new. */
const EVERY = 3000

/** @returns {Promise<IDBDatabase | null>} */
function database() {
  return new Promise(resolve => {
    try {
      const asked = indexedDB.open('rlvr-lab', 1)
      asked.onupgradeneeded = () => asked.result.createObjectStore(STORE)
      asked.onsuccess = () => resolve(asked.result)
      asked.onerror = asked.onblocked = () => resolve(null)
    } catch { resolve(null) }
  })
}

/**
 * @param {IDBDatabase} store
 * @param {IDBTransactionMode} mode
 * @param {(objects: IDBObjectStore) => IDBRequest} act
 * @returns {Promise<any>} undefined where the store refuses
 */
function done(store, mode, act) {
  return new Promise(resolve => {
    try {
      const transaction = store.transaction(STORE, mode)
      const asked = act(transaction.objectStore(STORE))
      // A full disk is noticed only after the request itself has succeeded.
      transaction.oncomplete = () => resolve(asked.result)
      transaction.onerror = transaction.onabort = () => resolve(undefined)
    } catch { resolve(undefined) }
  })
}

/** What another version, or somebody else, left under our name counts as nothing. @param {any} found @returns {found is Kept} */
const whole = found => typeof found?.query === 'string' && Array.isArray(found.lines)
  && found.lines.every((/** @type {unknown} */ line) => typeof line === 'string')
  && found.checkpoint instanceof Uint8Array && Number.isInteger(found.update)

/**
 * @typedef {{query: string, lines: string[], checkpoint: Uint8Array, update: number}} Kept
 * @param {import('./dashboard.js').Host} host
 * @param {{words: Record<string, string>, fill: (template: string, values: Record<string, string>) => string, status: HTMLElement,
 *   complain: (problems: string[]) => void}} board
 */
export function keep(host, { words, fill, status, complain }) {
  const opened = database()
  /** @type {Kept} */
  let kept = { query: '', lines: [], checkpoint: new Uint8Array(), update: -1 }
  let busy = false
  let told = false

  /** Says once that a run will not outlive the page. */
  const unkept = () => {
    if (!told) status.textContent = words.keep_refused
    told = true
  }

  const look = async () => {
    const store = await opened
    if (busy) return
    busy = true
    try {
      const reply = await host.desk('take')
      if (reply.type !== 'file') return
      const { lines, first, checkpoint, trained } = JSON.parse(reply.text)
      if (first) kept = { query: '', lines: [], checkpoint: new Uint8Array(), update: -1 }
      kept.lines.push(...lines)
      if (!store) {
        if (trained) unkept()
        return
      }
      if (checkpoint > kept.update) {
        const data = await host.desk('checkpoint')
        if (data.type === 'file' && data.bytes) { kept.checkpoint = data.bytes; kept.update = checkpoint }
      }
      // A run that has not learnt anything yet must not take the place of one that has.
      if (trained && lines.length) kept.query = host.query()
      if (trained && lines.length && await done(store, 'readwrite', objects => objects.put(kept, 'last')) === undefined) unkept()
    } finally { busy = false }
  }

  return {
    look,
    /**
     * Lays the run of an earlier visit down: Python takes it up where it is of the recipe that is asked for. An address
     * that says nothing becomes that run's own.
     * @param {string} query
     */
    async before(query) {
      const store = await opened
      /** @type {Kept | undefined} */
      const found = store ? await done(store, 'readonly', objects => objects.get('last')) : undefined
      setInterval(look, EVERY)
      document.addEventListener('visibilitychange', look)
      if (!whole(found)) return query
      const reply = await host.desk('bring', found.lines.join('\n'), found.checkpoint, found.update, host.language)
      if (reply.type !== 'file') return query
      const answer = JSON.parse(reply.text)
      if (answer.fault) {
        complain([fill(words.keep_failed, { what: answer.fault })])
        return query
      }
      kept = found
      const wanted = query === host.defaults ? found.query : query
      if (wanted === found.query) status.textContent = fill(words.keep_found, { update: String(answer.update) })
      return wanted
    },
  }
}
