"""The axes and kinds of a Protocol in plain words, Russian and English, and the difference list written with them."""

from pycore.domain import option
from pycore.nearest import Difference, Nearest, Value

LANGUAGES = ("ru", "en")

# axis -> (Russian, English)
AXES: dict[str, tuple[str, str]] = {
    "baseline": ("опорный уровень", "baseline"),
    "scale": ("масштаб преимущества", "advantage scale"),
    "ddof": ("поправка в стандартном отклонении (ddof)", "std correction (ddof)"),
    "eps": ("добавка к делителю (eps)", "added to the divisor (eps)"),
    "singleton": ("группа из одного ответа", "group of one response"),
    "ratio": ("уровень отношения вероятностей", "ratio level"),
    "clip": ("вид клиппирования", "clip family"),
    "clip_low": ("нижний диапазон клиппирования", "lower clip range"),
    "clip_high": ("верхний диапазон клиппирования", "upper clip range"),
    "clip_cap": ("предел отношения при A < 0", "ratio cap for A < 0"),
    "weight_floor": ("наименьший вес", "smallest weight"),
    "weight_ceiling": ("наибольший вес", "largest weight"),
    "tau_positive": ("температура при A > 0", "temperature for A > 0"),
    "tau_negative": ("температура при A ≤ 0", "temperature for A ≤ 0"),
    "aggregation": ("усреднение по токенам", "token aggregation"),
    "accumulation": ("правило накопления градиента", "gradient accumulation rule"),
    "max_tokens": ("постоянная длина L", "constant length L"),
    "count_empty": ("пустые ответы входят в N", "empty responses count in N"),
    "kl": ("оценка KL", "KL estimator"),
    "kl_coefficient": ("коэффициент KL", "KL coefficient"),
    "kl_placement": ("место KL", "KL placement"),
    "kl_ratio": ("KL умножается на отношение вероятностей", "KL multiplied by the ratio"),
    "kl_gradient": ("градиент KL", "KL gradient"),
    "entropy_coefficient": ("коэффициент энтропии", "entropy coefficient"),
    "entropy_aggregation": ("усреднение энтропии", "entropy aggregation"),
    "truncation": ("усечённые ответы", "truncated responses"),
    "overlong_cache": ("ширина мягкого штрафа за длину", "width of the soft length penalty"),
    "iterations": ("итераций на один роллаут", "iterations per rollout"),
    "dynamic_sampling": ("динамический добор", "dynamic sampling"),
}

# (axis, kind) -> (Russian, English)
KINDS: dict[tuple[str, str], tuple[str, str]] = {
    ("baseline", "mean"): ("среднее группы", "group mean"),
    ("baseline", "leave_one_out"): ("среднее остальных ответов", "mean of the other responses"),
    ("baseline", "length_weighted"): ("среднее группы с весами по длине", "length-weighted group mean"),
    ("baseline", "batch"): ("среднее батча", "batch mean"),
    ("baseline", "batch_token"): ("среднее по токенам батча", "mean over the batch's tokens"),
    ("baseline", "none"): ("нет", "none"),
    ("baseline", "critic"): ("критик", "critic"),
    ("scale", "group_std"): ("стандартное отклонение группы", "group std"),
    ("scale", "batch_std"): ("стандартное отклонение батча", "batch std"),
    ("scale", "batch_token_std"): ("стандартное отклонение по токенам батча", "std over the batch's tokens"),
    ("scale", "mean"): ("среднее группы", "group mean"),
    ("scale", "informative_share"): ("доля информативных групп", "share of informative groups"),
    ("scale", "none"): ("нет", "none"),
    ("singleton", "zero"): ("преимущество ноль", "zero advantage"),
    ("singleton", "reward"): ("преимущество равно награде", "advantage is the reward"),
    ("ratio", "token"): ("токен", "token"),
    ("ratio", "sequence_mean"): ("ответ, среднее геометрическое", "response, geometric mean"),
    ("ratio", "sequence_product"): ("ответ, произведение", "response, product"),
    ("ratio", "none"): ("без отношения: A·log π", "no ratio: A·log π"),
    ("clip", "symmetric"): ("симметричное", "symmetric"),
    ("clip", "asymmetric"): ("несимметричное", "asymmetric"),
    ("clip", "dual"): ("двойное", "dual"),
    ("clip", "delta"): ("с пределом delta", "with a delta cap"),
    ("clip", "weight"): ("ограниченный вес без градиента (CISPO)", "bounded constant weight (CISPO)"),
    ("clip", "soft"): ("мягкое, сигмоида (SAPO)", "soft, sigmoid (SAPO)"),
    ("clip", "geometric"): ("в логарифмах, затем среднее (GMPO)", "in logs, then the mean (GMPO)"),
    ("clip", "gamma"): ("гамма-вес ответа (VESPO)", "gamma weight of the response (VESPO)"),
    ("clip", "none"): ("нет", "none"),
    ("aggregation", "response_mean"): ("среднее ответа, затем по ответам", "mean of each response, then of responses"),
    ("aggregation", "token_mean"): ("среднее по всем токенам", "mean over all tokens"),
    ("aggregation", "constant"): ("деление на постоянную N·L", "division by the constant N·L"),
    ("aggregation", "sequence_sum"): ("сумма ответа, затем среднее", "sum of each response, then the mean"),
    ("aggregation", "token_sum"): ("сумма по всем токенам", "sum over all tokens"),
    ("accumulation", "mean"): ("среднее микробатчей", "mean of micro-batches"),
    ("accumulation", "global"): ("знаменатель всего батча", "denominator of the whole batch"),
    ("accumulation", "sum"): ("сумма микробатчей", "sum of micro-batches"),
    ("kl", "k1"): ("k1", "k1"),
    ("kl", "k2"): ("k2", "k2"),
    ("kl", "k3"): ("k3", "k3"),
    ("kl", "exact"): ("точная", "exact"),
    ("kl_placement", "loss"): ("в потере", "in the loss"),
    ("kl_placement", "reward"): ("в награде", "in the reward"),
    ("kl_gradient", "own"): ("свой", "its own"),
    ("kl_gradient", "k2"): ("как у k2", "that of k2"),
    ("entropy_aggregation", "token_mean"): ("среднее по токенам", "mean over tokens"),
    ("entropy_aggregation", "loss"): ("как в потере", "as in the loss"),
    ("truncation", "keep"): ("как обычные", "like any other"),
    ("truncation", "mask"): ("токены исключены", "tokens left out"),
    ("truncation", "drop"): ("отброшены целиком", "dropped altogether"),
    ("truncation", "silence"): ("преимущество ноль, токены в знаменателе", "zero advantage, tokens in the denominator"),
}


def describe(difference: Difference, language: str) -> str:
    """One difference as a phrase.

    Args:
        difference: from `Protocol.nearest`.
        language: "ru" or "en".

    Returns:
        "axis: own value (preset: its value)".

    Raises:
        DomainError: an unknown language.

    >>> describe(Difference("scale", "none", "group_std"), "en")
    'advantage scale: none (preset: group std)'
    """
    option("language", language, LANGUAGES)
    column = LANGUAGES.index(language)
    own, theirs = (_value(difference.axis, value, column) for value in (difference.value, difference.preset_value))
    preset = ("у пресета", "preset")[column]
    return f"{AXES[difference.axis][column]}: {own} ({preset}: {theirs})"


def explain(nearest: Nearest, language: str) -> str:
    """The closest preset and every difference in one line.

    Args:
        nearest: from `Protocol.nearest`.
        language: "ru" or "en".

    Returns:
        The preset's name alone when nothing differs.

    Raises:
        DomainError: an unknown language.

    >>> explain(Nearest("grpo", ()), "en")
    'grpo'
    """
    phrases = [describe(difference, language) for difference in nearest.differences]
    return nearest.name + (" + " if phrases else "") + "; ".join(phrases)


def _value(axis: str, value: Value, column: int) -> str:
    if isinstance(value, str):
        return KINDS[axis, value][column]
    if isinstance(value, bool):
        return (("нет", "no"), ("да", "yes"))[value][column]
    if value is None:
        return ("нет", "none")[column]
    text = f"{value:.6g}"
    return text.replace(".", ",") if column == 0 else text
