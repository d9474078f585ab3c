def p_info(p, G):
    ...


print(p_info(0.5, 4))
