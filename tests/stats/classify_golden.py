#!/usr/bin/env python3
"""The numbers of classify_test.cpp, by the textbook: Newton's method for logistic regression, Ledoit and Wolf's covariance
for the discriminant, the root of the covariance for LEACE. Needs numpy; run it after changing the data."""
import numpy as np


def data(classes):
    i, d = np.arange(40)[:, None], np.arange(6)[None, :]
    labels = np.arange(40) * 7 % 11 % classes
    return (1 + d) * np.sin(1 + 3.0 * i + 7.0 * d + 1.0 * i * d) + 0.8 * (d == labels[:, None]), labels


def logistic(x, y, classes):
    mean, sd = x.mean(0), x.std(0)
    rows = np.hstack([(x - mean) / sd, np.ones((len(x), 1))])
    blocks = 1 if classes == 2 else classes
    at = np.zeros((blocks, rows.shape[1]))
    penalty = np.diag(np.r_[np.ones(x.shape[1]), 1e-9])  # of softmax, the biases are known up to a constant
    for _ in range(50):
        scores = rows @ at.T
        if classes == 2:
            scores = np.hstack([np.zeros((len(x), 1)), scores])
        p = np.exp(scores - scores.max(1, keepdims=True))
        p = (p / p.sum(1, keepdims=True))[:, classes - blocks:]
        t = (y[:, None] == np.arange(classes - blocks, classes)[None, :]).astype(float)
        gradient = ((p - t).T @ rows + at @ penalty).ravel()
        k = rows.shape[1]
        hessian = np.zeros((blocks * k, blocks * k))
        for a in range(blocks):
            for b in range(blocks):
                w = p[:, a] * ((a == b) - p[:, b])
                hessian[a * k:(a + 1) * k, b * k:(b + 1) * k] = rows.T @ (w[:, None] * rows) + (a == b) * penalty
        at -= np.linalg.solve(hessian, gradient).reshape(at.shape)
    weights = at[:, :-1] / sd
    biases = at[:, -1] - weights @ mean
    return weights[-1] - (0 if classes == 2 else weights[0]), biases[-1] - (0 if classes == 2 else biases[0])


def lda(x, y, classes):
    means = np.array([x[y == k].mean(0) for k in range(classes)])
    c = x - means[y]
    n, p = c.shape
    s = c.T @ c / n
    mu = np.trace(s) / p
    delta = ((s - mu * np.eye(p)) ** 2).sum() / p
    beta = sum(((np.outer(r, r) - s) ** 2).sum() for r in c) / n**2 / p
    share = min(beta / delta, 1)
    weights = np.linalg.solve((1 - share) * s + share * mu * np.eye(p), means.T).T
    biases = [np.log((y == k).mean()) - 0.5 * means[k] @ weights[k] for k in range(classes)]
    return share, weights[-1] - weights[0], biases[-1] - biases[0]


def leace(x, y, classes):
    c = x - x.mean(0)
    z = np.eye(classes)[y] - np.eye(classes)[y].mean(0)
    values, vectors = np.linalg.eigh(c.T @ c / len(x))
    root = vectors @ np.diag(values**-0.5) @ vectors.T
    u, s, _ = np.linalg.svd(root @ (c.T @ z / len(x)), full_matrices=False)
    u = u[:, s > 1e-9]
    return x - c @ (np.linalg.inv(root) @ u @ u.T @ root).T


def show(name, values):
    print(name, "{" + ", ".join(f"{v:.9f}" for v in np.ravel(values)) + "}")


for k in (2, 3):
    x, y = data(k)
    w, b = logistic(x, y, k)
    show(f"logistic {k}", [*w, b])
    share, w, b = lda(x, y, k)
    show(f"lda {k} (share {share:.6f})", [*w, b])
    show(f"leace {k}", leace(x, y, k)[5])
