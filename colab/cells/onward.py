"""What to do with the notebook next."""

# %% [markdown] ru
# ## Что попробовать
#
# Запись справа можно вставить в поле `scenario_code`: вместо кода оно понимает и часть адреса после вопросительного
# знака.
#
# {{scenario.tries}}
#
# ## О чём это не говорит
#
# {{lab.limits}}

# %% [markdown] en
# ## What to try
#
# What stands on the right can be pasted into the field `scenario_code`: besides a code it takes the part of an address
# after the question mark.
#
# {{scenario.tries}}
#
# ## What this does not say
#
# {{lab.limits}}
