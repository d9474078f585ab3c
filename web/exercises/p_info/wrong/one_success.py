def p_info(p, G):
    return G * p * (1 - p) ** (G - 1)
