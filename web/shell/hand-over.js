// What the page gives to the learner: a text on the clipboard, a file in the folder for downloads.

/** @param {string | Uint8Array<ArrayBuffer>} content @param {string} name @param {string} type its media type */
export function save(content, name, type) {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([content], { type }))
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
}

/**
 * Copies a text and says so on the button for a moment.
 * @param {string} text
 * @param {HTMLElement} pressed
 * @param {string} copied what the button then says
 */
export async function copy(text, pressed, copied) {
  try {
    await navigator.clipboard.writeText(text)
  } catch {
    // No permission, or a sandboxed frame: the old way needs a selection only.
    const area = document.createElement('textarea')
    area.value = text
    ;(pressed.closest('dialog') ?? document.body).append(area)
    area.select()
    document.execCommand('copy')
    area.remove()
    pressed.focus()
  }
  const label = pressed.textContent
  pressed.textContent = copied
  setTimeout(() => { pressed.textContent = label }, 1500)
}
