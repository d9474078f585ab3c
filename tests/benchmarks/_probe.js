// Runs in the page before its own scripts and notes when things happen; the same for the site and for its peer.
(() => {
  const marks = { paint: null, visible: null, live: null, moved: null, answered: null }
  let step = 0
  const bokeh = () => window.Bokeh?.index?.roots?.[0]?.model?.document ?? null
  const models = () => [...(bokeh()?._all_models?.values() ?? [])]
  const named = name => models().find(model => model.name === name)
  const shadow = (selector, root = document) => {
    const found = root.querySelector(selector)
    if (found) return found
    for (const element of root.querySelectorAll('*')) {
      const inner = element.shadowRoot && shadow(selector, element.shadowRoot)
      if (inner) return inner
    }
    return null
  }

  const sides = {
    site: {
      slider: () => named('control:p')?.data,
      // The build has drawn the figures and written the numbers at these settings into the page itself.
      seen: () => document.querySelector('#lab .plot > .still')?.getBoundingClientRect().height > 100 && document.querySelector('#lab [data-readout]')?.textContent,
      controls: () => document.querySelector('[data-figures="shown"]') && shadow('input[type=range]'),
      live: () => document.querySelector('[data-figures="shown"]'),
      answer: () => document.querySelector('[data-readout]'),
      text: place => place.textContent,
    },
    stock: {
      slider: () => models().find(model => model.type === 'Slider' && model.step === 0.01),
      seen: () => false,
      controls: () => models().some(model => model.type === 'Slider') && shadow('.noUi-handle'),
      // Until the worker's own document has replaced the prerendered one, a change of a slider goes nowhere.
      live: () => { try { return Boolean(pyodideWorker.jsdoc) } catch { return false } },
      answer: () => shadow('.answer'),
      text: place => place.shadowRoot?.textContent ?? '',
    },
  }
  const side = sides[window.__side]

  const value = () => (step++ % 2 ? 0.3 : 0.7) + 0.01 * (step % 25) - 0.1
  const data = () => named('source:here')?.data

  /** Moves the slider; resolves when the plot's column and the readout have both changed, and the frame after it. */
  function move() {
    return new Promise(resolve => {
      const place = side.answer(), text = side.text(place), columns = data()
      // The column's own signal: a look from outside may have to wait until everything has been painted.
      let column = null
      const source = named('source:here'), told = () => { column ??= performance.now() }
      source?.properties.data.change.connect(told)
      const start = performance.now()
      side.slider().value = Math.round(value() * 100) / 100
      const look = () => {
        if (column === null && data() !== columns) column = performance.now()
        if (column === null || side.text(side.answer()) === text) { setTimeout(look); return }
        const answer = performance.now()
        source?.properties.data.change.disconnect(told)
        requestAnimationFrame(() => {
          const channel = new MessageChannel()
          channel.port1.onmessage = () => resolve({ start, column: column - start, answer: answer - start, frame: performance.now() - start })
          channel.port2.postMessage(0)
        })
      }
      look()
    })
  }

  new PerformanceObserver(list => {
    for (const entry of list.getEntries()) if (entry.name === 'first-contentful-paint') marks.paint = entry.startTime
  }).observe({ type: 'paint', buffered: true })

  // Asked before each frame and counted when the next one begins: by then the first is on the screen.
  let standing = false
  const look = () => {
    if (standing) marks.visible ??= performance.now()
    else standing = Boolean(side.seen())
    if (marks.visible === null) requestAnimationFrame(look)
  }
  requestAnimationFrame(look)

  const watch = setInterval(async () => {
    const now = performance.now()
    if (marks.live === null && bokeh()?.is_idle && side.controls()) {
      marks.live = now
      marks.visible ??= now
    }
    if (marks.live === null || !side.live() || !side.slider() || !data()) return
    clearInterval(watch)
    const first = await move()
    marks.moved = first.start
    marks.answered = first.start + first.answer
  }, 5)

  window.__bench = {
    marks: () => ({ ...marks, origin: performance.timeOrigin }),
    async moves(count) {
      const found = []
      for (let i = 0; i < count; i++) {
        found.push(await move())
        await new Promise(resolve => setTimeout(resolve, 30))
      }
      return found
    },
  }
})()
