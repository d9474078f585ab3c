def p_info(p, G):
    return 1 - p**G - (1 - p) ** G


print(p_info(0.5, 4))
