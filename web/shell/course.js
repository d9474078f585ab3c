// A page of the course: questions, explanations, and what the learner has done so far.

import * as check from './check.js'
import * as popover from './popover.js'
import * as progress from './progress.js'

popover.wake()
check.wake()
const step = document.querySelector('article[data-step]')?.getAttribute('data-step')
if (step) progress.visit(step)
