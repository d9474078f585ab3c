def p_info(p, G):
    return p**G + (1 - p) ** G
