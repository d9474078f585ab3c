from math import comb


def pass_at_k(n, c, k):
    return 1 - comb(n - c, k) / comb(n, k)


print(pass_at_k(10, 3, 4))
