"""The objective of a Protocol written in LaTeX, in the notation of the course: J is maximised, the loss is -J."""

from typing import TYPE_CHECKING

from pycore.sequence_ratio import GAMMA_NEGATIVE, GAMMA_POSITIVE

if TYPE_CHECKING:
    from pycore.protocol import Protocol

_BASELINE = {
    "mean": r"\operatorname{mean}(r)",
    "leave_one_out": r"\tfrac{1}{G-1}\sum_{j\ne i} r_j",
    "length_weighted": r"\tfrac{\sum_j |o_j|\, r_j}{\sum_j |o_j|}",
    "batch": r"\operatorname{mean}_{\mathrm{batch}}(r)",
    "batch_token": r"\operatorname{mean}_{\mathrm{tokens}}(r)",
    "none": "",
}
_SCALE = {
    "group_std": r"\operatorname{std}(r)",
    "batch_std": r"\operatorname{std}_{\mathrm{batch}}(r)",
    "batch_token_std": r"\operatorname{std}_{\mathrm{tokens}}(r)",
    "mean": r"\operatorname{mean}(r)",
}
_SUM = {
    "response_mean": r"\frac{1}{N}\sum_{i=1}^{N}\frac{1}{|o_i|}\sum_{t=1}^{|o_i|}",
    "token_mean": r"\frac{1}{\sum_{i}|o_i|}\sum_{i=1}^{N}\sum_{t=1}^{|o_i|}",
    "constant": r"\frac{1}{N\cdot %d}\sum_{i=1}^{N}\sum_{t=1}^{|o_i|}",
    "sequence_sum": r"\frac{1}{N}\sum_{i=1}^{N}\sum_{t=1}^{|o_i|}",
    "token_sum": r"\sum_{i=1}^{N}\sum_{t=1}^{|o_i|}",
}
_TOKEN_RATIO = r"\frac{\pi_\theta(o_{i,t}\mid q,o_{i,<t})}{\pi_{\mathrm{old}}(o_{i,t}\mid q,o_{i,<t})}"
_RATIO = {
    "token": (r"\rho_{i,t}", rf"\rho_{{i,t}}={_TOKEN_RATIO}"),
    "sequence_mean": ("s_i", rf"s_i=\exp\Big(\tfrac{{1}}{{|o_i|}}\sum_t\log {_TOKEN_RATIO}\Big)"),
    "sequence_product": ("w_i", rf"w_i=\prod_t {_TOKEN_RATIO}"),
    "none": ("", ""),
}
_KL = {
    "k1": r"-\log u_{i,t}",
    "k2": r"\tfrac12\log^2 u_{i,t}",
    "k3": r"u_{i,t}-\log u_{i,t}-1",
    "exact": r"\mathrm{KL}\big(\pi_\theta\,\|\,\pi_{\mathrm{ref}}\big)_{i,t}",
}
_U = r"u_{i,t}=\frac{\pi_{\mathrm{ref}}(o_{i,t}\mid q,o_{i,<t})}{\pi_\theta(o_{i,t}\mid q,o_{i,<t})}"


def latex(protocol: "Protocol") -> str:
    """Objective, advantage, ratio and KL of a protocol as one `aligned` block.

    Args:
        protocol: any Protocol.

    Returns:
        LaTeX without delimiters; numbers are the protocol's own.
    """
    summation = _SUM[protocol.aggregation]
    if protocol.aggregation == "constant":
        summation %= protocol.max_tokens
    symbol, definition = _RATIO[protocol.ratio]
    terms = _surrogate(protocol, symbol)
    lines = [*_rewards(protocol), _advantage(protocol)]
    if protocol.clip in _CLIP_DEFINITION:
        lines.append(_CLIP_DEFINITION[protocol.clip](protocol))
    if protocol.clip == "geometric":
        definition = _RATIO["token"][1]
    in_loss = protocol.kl_coefficient > 0 and protocol.kl_placement == "loss"
    if definition and (protocol.clip != "gamma" or (in_loss and protocol.kl_ratio)):
        lines.append(definition)
    if in_loss:
        factor = symbol if protocol.kl_ratio else ""
        terms += rf"-{_number(protocol.kl_coefficient)}\,{factor}K_{{i,t}}"
    if protocol.kl_coefficient > 0:
        lines.append(rf"K_{{i,t}}={_KL[protocol.kl]}" + ("" if protocol.kl == "exact" else rf",\quad {_U}"))
    if protocol.kl_gradient == "k2" and in_loss and protocol.kl != "k2":
        lines.append(r"\nabla K_{i,t}:=\nabla\,\tfrac12\log^2 u_{i,t}")
    objective = rf"J(\theta)={summation}\Big[{terms}\Big]"
    if protocol.entropy_coefficient > 0:
        bonus = _number(protocol.entropy_coefficient)
        over = (
            r"\operatorname{mean}_{i,t}H_{i,t}"
            if protocol.entropy_aggregation == "token_mean"
            else rf"{summation}H_{{i,t}}"
        )
        objective += rf"+{bonus}\,{over}"
    return r"\begin{aligned}" + r"\\ ".join("&" + line for line in [objective, *lines]) + r"\end{aligned}"


def _temperatures(protocol: "Protocol") -> str:
    positive, negative = _number(protocol.tau_positive), _number(protocol.tau_negative)
    return rf"\tau_i=\begin{{cases}}{positive}&A_i>0\\{negative}&A_i\le 0\end{{cases}}"


def _gamma(protocol: "Protocol") -> str:
    (k, rate), (k_negative, rate_negative) = GAMMA_POSITIVE, GAMMA_NEGATIVE
    cases = rf"({k:g},{rate:g})&A_i\ge 0\\({k_negative:g},{rate_negative:g})&A_i<0"
    return rf"{_RATIO['sequence_product'][1]},\quad(k,\lambda)=\begin{{cases}}{cases}\end{{cases}}"


_CLIP_DEFINITION = {"soft": _temperatures, "gamma": _gamma}


def _surrogate(protocol: "Protocol", symbol: str) -> str:
    advantage, log_pi = "A_i", r"\log\pi_\theta(o_{i,t}\mid q,o_{i,<t})"
    low, high = _number(1 - protocol.clip_low), _number(1 + protocol.clip_high)
    plain, band = f"{symbol} {advantage}", rf"\operatorname{{clip}}({symbol},{low},{high})\,{advantage}"
    if protocol.clip == "none":
        return plain if symbol else f"{advantage}{log_pi}"
    if protocol.clip == "weight":
        bounds = f"{_number(protocol.weight_floor)},{_number(protocol.weight_ceiling)}"
        return rf"\operatorname{{sg}}\big[\operatorname{{clip}}({symbol},{bounds})\big]{advantage}{log_pi}"
    if protocol.clip == "soft":
        return rf"\tfrac{{4}}{{\tau_i}}\,\sigma\big(\tau_i({symbol}-1)\big)\,{advantage}"
    if protocol.clip == "geometric":
        inner = rf"\rho_{{i,u}},\,e^{{-{_number(protocol.clip_low)}}},\,e^{{{_number(protocol.clip_high)}}}"
        return rf"{advantage}\prod_u\big[\operatorname{{clip}}_{{\operatorname{{sgn}}A_i}}({inner})\big]^{{1/|o_i|}}"
    if protocol.clip == "gamma":
        return rf"\operatorname{{sg}}\big[w_i^{{k}}e^{{\lambda(1-w_i)}}\big]{advantage}{log_pi}"
    pessimistic = rf"\min\big({plain},\,{band}\big)"
    if protocol.clip == "dual":
        bounded = rf"\max\big({pessimistic},\,{_number(protocol.clip_cap)}{advantage}\big)"
        return rf"\begin{{cases}}{bounded}&A_i<0\\{pessimistic}&A_i\ge 0\end{{cases}}"
    if protocol.clip == "delta":
        return rf"\min\big(\min({symbol},{_number(protocol.clip_cap)})\,{advantage},\,{band}\big)"
    return pessimistic


def _advantage(protocol: "Protocol") -> str:
    if protocol.baseline == "critic":
        return r"A_{i,t}=\mathrm{GAE}(V_\phi)"
    baseline = _BASELINE[protocol.baseline]
    centred = f"r_i-{baseline}" if baseline else "r_i"
    if protocol.scale == "none":
        return f"A_i={centred}"
    if protocol.scale == "informative_share":
        return rf"A_i=\frac{{B}}{{B_{{\max r>\min r}}}}\big({centred}\big)"
    eps = f"+{_number(protocol.eps)}" if protocol.eps > 0 else ""
    scale = _SCALE[protocol.scale]
    if protocol.ddof == 1 and protocol.scale != "mean":
        scale = scale.replace("{std}", r"{std}^{\mathrm{ddof}=1}")
    return rf"A_i=\frac{{{centred}}}{{{scale}{eps}}}"


def _rewards(protocol: "Protocol") -> list[str]:
    """What is done to rewards before they become advantages, and which groups are left out."""
    lines = []
    if protocol.overlong_cache > 0:
        free, width = protocol.max_tokens - protocol.overlong_cache, protocol.overlong_cache
        lines.append(rf"r_i\leftarrow r_i+\min\big(0,\max\big(-1,\tfrac{{{free}-|o_i|}}{{{width}}}\big)\big)")
    if protocol.kl_coefficient > 0 and protocol.kl_placement == "reward":
        beta = _number(protocol.kl_coefficient)
        lines.append(rf"r_i\leftarrow r_i-{beta}\sum_t K_{{i,t}}\big|_{{\theta=\mathrm{{old}}}}")
    if protocol.dynamic_sampling:
        lines.append(r"\max_i r_i>\min_i r_i")
    return lines


def _number(value: float | None) -> str:
    text = f"{value:.6g}"
    if text == "inf":
        return r"\infty"
    mantissa, _, exponent = text.partition("e")
    return rf"{mantissa}\cdot10^{{{int(exponent)}}}".replace(r"1\cdot10", "10") if exponent else mantissa
