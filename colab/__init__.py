"""From a scenario to a notebook that carries its own code: for Colab, Jupyter and VS Code.

The package imports `pycore` and nothing of the site. `colab/cells/` are programs of the
notebook, where the carried code is on the path; nothing here imports them, they come in as text. `sandbox` is where
programs are verified natively.
"""
