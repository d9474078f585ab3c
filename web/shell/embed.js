// For pages that embed labs: fits each frame's height to the lab inside it. Optional; a frame works without it.
(() => {
  const site = new URL('../', /** @type {HTMLScriptElement} */ (document.currentScript).src).href
  addEventListener('message', event => {
    const height = event.data?.type === 'rlvr-lab:height' ? Number(event.data.height) : NaN
    if (!(height >= 100 && height <= 10000)) return
    for (const frame of document.querySelectorAll('iframe')) {
      // The frame is told by its window; its origin may be opaque, so its address tells that it is ours.
      if (frame.contentWindow === event.source && frame.src.startsWith(site)) frame.style.height = `${Math.ceil(height)}px`
    }
  })
})()
