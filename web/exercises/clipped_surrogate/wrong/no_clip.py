def clipped_surrogate(ratio, advantage, eps=0.2):
    return ratio * advantage
