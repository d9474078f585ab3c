import numpy as np


def clipped_surrogate(ratio, advantage, eps=0.2):
    ...


ratio = np.linspace(0.4, 1.6, 25)
print(clipped_surrogate(np.array([0.5, 1.5]), 1.0))
# plot(ratio, clipped_surrogate(ratio, 1.0), label="A = 1")
# plot(ratio, clipped_surrogate(ratio, -1.0), label="A = -1")
