def pass_at_k(n, c, k):
    return c / n
