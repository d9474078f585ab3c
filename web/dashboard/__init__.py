"""The dashboard: up to four run journals side by side, whoever wrote them (curriculum 4.5).

`opening` reads a file, `panel` says what is drawn, `board` turns journals into columns and numbers, `words` into words,
`show` into a lab's Frame. `desk` is what the browser's worker remembers of a learner's files and runs; `recipe` and
`training` are the run of the lab `train`.
"""
