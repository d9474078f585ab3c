from math import comb


def pass_at_k(n, c, k):
    return 1 - comb(n - k, c) / comb(n, k)
