// The list of exercises: marks those that the learner has solved on this device.

import { watch } from './progress.js'

watch(all => {
  for (const entry of document.querySelectorAll('[data-exercise]')) {
    const mark = entry.querySelector('[data-passed]')
    if (mark instanceof HTMLElement) mark.hidden = !all.exercises[/** @type {HTMLElement} */ (entry).dataset.exercise ?? '']?.solved
  }
})
