"""The objective of a Protocol written in LaTeX, in the notation of the course: J is maximised, the loss is -J."""

from typing import TYPE_CHECKING

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
    lines = [_advantage(protocol)]
    if definition and protocol.clip != "geometric":
        lines.append(definition)
    in_loss = protocol.kl_coefficient > 0 and protocol.kl_placement == "loss"
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
        return rf"\tfrac{{4}}{{\tau}}\,\sigma\big(\tau({symbol}-1)\big)\,{advantage}" + (
            rf",\;\tau=\{{{_number(protocol.tau_positive)}\text{{ for }}A_i>0,"
            rf"\;{_number(protocol.tau_negative)}\text{{ for }}A_i\le 0\}}"
        )
    if protocol.clip == "geometric":
        inner = rf"{_TOKEN_RATIO},\,e^{{-{_number(protocol.clip_low)}}},\,e^{{{_number(protocol.clip_high)}}}"
        return rf"{advantage}\prod_t\big[\operatorname{{clip}}_{{\operatorname{{sgn}}A_i}}({inner})\big]^{{1/|o_i|}}"
    if protocol.clip == "gamma":
        return rf"\operatorname{{sg}}\big[{symbol}^{{k}}e^{{\lambda(1-{symbol})}}\big]{advantage}{log_pi}"
    pessimistic = rf"\min\big({plain},\,{band}\big)"
    if protocol.clip == "dual":
        return rf"\max_{{A_i<0}}\Big({pessimistic},\,{_number(protocol.clip_cap)}{advantage}\Big)"
    if protocol.clip == "delta":
        return rf"\min\big(\min({symbol},{_number(protocol.clip_cap)})\,{advantage},\,{band}\big)"
    return pessimistic


def _advantage(protocol: "Protocol") -> str:
    if protocol.baseline == "critic":
        return r"A_{i,t}=\text{GAE}(V_\phi)"
    reward = "r_i"
    if protocol.kl_coefficient > 0 and protocol.kl_placement == "reward":
        reward = rf"\big(r_i-{_number(protocol.kl_coefficient)}\sum_t K_{{i,t}}^{{\mathrm{{old}}}}\big)"
    baseline = _BASELINE[protocol.baseline]
    centred = f"{reward}-{baseline}" if baseline else reward
    if protocol.scale == "none":
        return f"A_i={centred}"
    if protocol.scale == "informative_share":
        return rf"A_i=\frac{{\#\text{{groups}}}}{{\#\text{{informative}}}}\big({centred}\big)"
    eps = f"+{_number(protocol.eps)}" if protocol.eps > 0 else ""
    return rf"A_i=\frac{{{centred}}}{{{_SCALE[protocol.scale]}{eps}}}"


def _number(value: float | None) -> str:
    text = f"{value:.6g}"
    if text == "inf":
        return r"\infty"
    mantissa, _, exponent = text.partition("e")
    return rf"{mantissa}\cdot10^{{{int(exponent)}}}".replace(r"1\cdot10", "10") if exponent else mantissa
