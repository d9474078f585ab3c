def pass_at_k(n, c, k):
    return min(1.0, k * c / n)
