"""What the notebook is, and the lab in words."""

# %% [markdown] ru
# # {{lab.title}}
#
# *{{lab.question}}*
#
# Это блокнот той же лаборатории, что и на сайте RLVR Lab, в том состоянии, в котором вы её сохранили. Он ничего не
# скачивает: код, которым считала страница, лежит здесь же, в свёрнутых ячейках. Нужны только Python 3.11 или новее,
# NumPy и Matplotlib; видеокарта не нужна, весь расчёт занимает секунды.
#
# В Colab выберите «Файл → Загрузить блокнот» и выполните все ячейки (Ctrl+F9). В Jupyter и VS Code просто откройте файл
# и выполните всё подряд.
#
# $$ {{lab.formula}} $$
#
# {{lab.why}}

# %% [markdown] en
# # {{lab.title}}
#
# *{{lab.question}}*
#
# This is the lab from the RLVR Lab site as a notebook, in the state in which you saved it. It downloads nothing: the
# code that the page computed with is right here, in folded cells. All it needs is Python 3.11 or newer, NumPy and
# Matplotlib; no GPU, and the whole run takes seconds.
#
# In Colab choose “File → Upload notebook” and run all cells (Ctrl+F9). In Jupyter and VS Code open the file and run
# everything.
#
# $$ {{lab.formula}} $$
#
# {{lab.why}}
