// Starts Python before anything else of the page: it has the longest way to go, and goes it beside Bokeh's scripts.
import { start } from './python.js'

start()
