"""The side with an operating system: notebooks, training libraries, subprocesses. `pycore` knows nothing of it."""
