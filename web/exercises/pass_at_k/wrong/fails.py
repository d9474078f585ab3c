from math import comb


def pass_at_k(n, c, k):
    return comb(n - c, k) / comb(n, k)
