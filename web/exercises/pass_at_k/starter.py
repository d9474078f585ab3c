from math import comb


def pass_at_k(n, c, k):
    ...


print(pass_at_k(10, 3, 4))
