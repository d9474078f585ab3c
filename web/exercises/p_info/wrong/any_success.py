def p_info(p, G):
    return 1 - (1 - p) ** G
