def p_info(p, G):
    return 2 * p * (1 - p)
