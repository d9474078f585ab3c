// A page of the course: its questions, its explanations, and what the learner has done so far.

import * as check from './check.js'
import * as popover from './popover.js'
import './journey.js'

popover.wake()
if (document.querySelector('article[data-step]')) check.wake()
