"""From a scenario to what leaves the browser: notebooks; and the native sandbox in which programs are verified."""
