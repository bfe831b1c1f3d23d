#!/usr/bin/env python3
"""Fits the rational function behind GELU in src/nn/functions.inc: the normal distribution function is
1/2 + x P(x²)/Q(x²) on [-edge, edge], P of degree 5, Q of degree 5 with Q(0) = 1.
Linearised least squares, reweighted towards the smallest largest error. Needs python3-numpy."""
import math

import numpy as np

EDGE, P, Q, NODES, ROUNDS = 5.6, 5, 5, 4000, 60

x = EDGE / 2 * (1 + np.cos(np.pi * (np.arange(NODES) + 0.5) / NODES))
y = np.array([0.5 * math.erf(v / math.sqrt(2)) / v for v in x])
z = x * x
weight, bottom, best = np.ones(NODES), np.ones(NODES), (math.inf, None)
for _ in range(ROUNDS):
    columns = np.stack([z**k for k in range(P + 1)] + [-y * z**k for k in range(1, Q + 1)], 1)
    scaled = columns * (weight * x / bottom)[:, None]
    size = np.abs(scaled).max(0)
    c = np.linalg.lstsq(scaled / size, y * weight * x / bottom, rcond=None)[0] / size
    top = sum(c[k] * z**k for k in range(P + 1))
    bottom = 1 + sum(c[P + k] * z**k for k in range(1, Q + 1))
    error = np.abs(top / bottom - y) * x
    best = min(best, (error.max(), list(c)), key=lambda b: b[0])
    weight = weight * (error / error.max() + 0.05) ** 0.5
    weight /= weight.max()

print('largest error', best[0])
print('P', [float(v) for v in best[1][: P + 1]])
print('Q', [float(v) for v in best[1][P + 1 :]])
