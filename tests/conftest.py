"""How hypothesis searches: without a clock, and with fewer examples where Python runs ten times slower."""

import sys

from hypothesis import settings

settings.register_profile("native", deadline=None)
settings.register_profile("wasm", deadline=None, max_examples=15, database=None, derandomize=True)
settings.load_profile("wasm" if sys.platform == "emscripten" else "native")
