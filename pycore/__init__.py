"""The mathematics of reinforcement learning with verifiable rewards: NumPy and the standard library, nothing else.

The same files run natively under pytest, inside the browser's Pyodide worker, and in the exported notebook.
Shapes are always ordered `(prompts, group, tokens)`.
"""
