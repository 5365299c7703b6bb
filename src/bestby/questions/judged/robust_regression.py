"""Weighted least squares with bias-reduced cluster-robust errors (CR2).

Bell & McCaffrey (2002), Survey Methodology 28, 169-181; degrees of freedom of Pustejovsky & Tipton (2018),
J. Bus. Econ. Stat. 36, 672-683, section 2, for errors that are independent and of variance 1 / weight.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import fdtrc

from bestby._core.typing import Array, FloatArray, IntArray
from bestby.inference.clusters import StandardError

_SINGULAR = 1e-9
"""Share of the largest eigenvalue below which regressors count as dependent on each other."""


@dataclass(frozen=True, eq=False)
class Regression:
    """Coefficients of shape (P,), and what their errors are made of.

    Parameters
    ----------
    coefficients : ndarray, shape (P,)
        The coefficients.
    scores : ndarray, shape (G, P)
        What each cluster adds to them, adjusted for its leverage.
    root : ndarray, shape (P, P)
        The symmetric root of the inverse of the weighted cross products of the regressors.
    leverage : ndarray, shape (G, P, P)
        The cross products of each cluster, between two such roots.
    adjust : ndarray, shape (G, P, P)
        The inverse root of 1 minus the leverage.
    """

    coefficients: FloatArray
    scores: FloatArray
    root: FloatArray
    leverage: FloatArray
    adjust: FloatArray

    @property
    def n_clusters(self) -> int:
        """The number of clusters."""
        return len(self.scores)

    @property
    def covariance(self) -> FloatArray:
        """The covariances of the coefficients, shape (P, P)."""
        found: FloatArray = self.scores.T @ self.scores
        return found

    def error(self, contrast: FloatArray) -> StandardError:
        """Return the standard error of a sum of coefficients with its degrees of freedom.

        The adjusted residuals of the clusters have a covariance D - Q Q', with D diagonal and a column of Q
        per regressor; its trace and that of its square give Satterthwaite's degrees of freedom.
        """
        seen = self.root @ contrast
        a = np.einsum("gpq,q->gp", self.adjust, seen)
        q = np.einsum("gpq,gq->gp", self.leverage, a)
        diagonal = np.einsum("gp,gp->g", a, q)
        inner = q.T @ q
        trace = float(diagonal.sum() - np.trace(inner))
        squares = float(diagonal @ diagonal - 2.0 * diagonal @ (q**2).sum(axis=1) + (inner**2).sum())
        se = math.sqrt(float(((self.scores @ contrast) ** 2).sum()))
        return StandardError(se, trace**2 / squares if squares > 0.0 else 0.0)

    def freedom(self, contrasts: FloatArray) -> float:
        """Return the degrees of freedom of the covariance of Q sums of coefficients, contrasts (Q, P).

        Those of a Wishart matrix whose entries vary as much in total, each in the unit of its expectation;
        for one contrast they are those of `error`. 0 if some contrast has no variance.
        """
        a = np.einsum("gpr,rq->gqp", self.adjust, self.root @ contrasts.T)
        b = np.einsum("gpr,gqr->gqp", self.leverage, a)
        own = np.einsum("gsp,gtp->gst", a, b) - np.einsum("gsp,gtp->gst", b, b)
        values, axes = np.linalg.eigh(own.sum(axis=0))
        if values[0] <= _SINGULAR * max(values[-1], 0.0):
            return 0.0
        unit = axes / np.sqrt(values)
        a, b = (np.einsum("gqp,qs->gsp", one, unit) for one in (a, b))
        diagonal = np.einsum("gsp,gtp->gst", a, b)
        less = np.einsum("gsp,gtp->gst", b, b)
        across = np.einsum("gsp,gtr->sptr", b, b, optimize=True)
        squares = float((across**2).sum() + np.einsum("sptr,tpsr->", across, across))
        traces = np.einsum("gss->g", diagonal)
        squares += float(traces @ (traces - 2.0 * np.einsum("gss->g", less)))
        squares += float(np.einsum("gst,gts->", diagonal, diagonal - 2.0 * less))
        q = len(contrasts)
        return q * (q + 1.0) / squares

    def wald(self, contrasts: FloatArray) -> tuple[float, float] | None:
        """Return Wald's statistic that Q sums of coefficients are 0, and its p-value; None without freedom.

        The approximate Hotelling test of Tipton & Pustejovsky (2015), J. Educ. Behav. Stat. 40, 604-634: with
        eta degrees of freedom (eta - Q + 1) / (eta Q) times the statistic is F(Q, eta - Q + 1). For means of
        the same clusters it is Hotelling's test.
        """
        q, eta = len(contrasts), self.freedom(contrasts)
        if eta < q:
            return None
        estimates = contrasts @ self.coefficients
        statistic = float(estimates @ np.linalg.solve(contrasts @ self.covariance @ contrasts.T, estimates))
        left = eta - q + 1.0
        return statistic, float(fdtrc(q, left, statistic * left / (eta * q)))


def regressed(x: FloatArray, y: FloatArray, weights: FloatArray, clusters: IntArray) -> Regression | None:
    """Return the regression of `y`, shape (M,), on `x`, shape (M, P); None if `x` is singular.

    `clusters` are codes from 0, each of which occurs.

    >>> x = np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0], [1.0, 3.0]])
    >>> fit = regressed(x, np.array([0.1, 1.0, 2.2, 2.9]), np.ones(4), np.arange(4))
    >>> fit.coefficients.round(3), round(fit.error(np.array([0.0, 1.0])).df, 2)
    (array([0.11, 0.96]), 1.51)
    """
    scale = np.sqrt(weights @ x**2)
    if not (scale > 0.0).all():
        return None
    z = x / scale * np.sqrt(weights)[:, None]
    v = y * np.sqrt(weights)
    values, vectors = np.linalg.eigh(z.T @ z)
    if values[0] <= _SINGULAR * values[-1]:
        return None
    root = (vectors / np.sqrt(values)) @ vectors.T
    u = z @ root
    solution = u.T @ v
    residuals = v - u @ solution
    n, p = int(clusters.max()) + 1, x.shape[1]
    leverage, sums = np.zeros((n, p, p)), np.zeros((n, p))
    np.add.at(leverage, clusters, u[:, :, None] * u[:, None, :])
    np.add.at(sums, clusters, u * residuals[:, None])
    own, axes = np.linalg.eigh(leverage)
    left = 1.0 - own
    factors = np.where(left > _SINGULAR, 1.0 / np.sqrt(np.maximum(left, _SINGULAR)), 0.0)
    adjust: Array = np.einsum("gpk,gk,gqk->gpq", axes, factors, axes)
    adjusted = np.einsum("gpq,gq->gp", adjust, sums)
    back = root / scale[:, None]
    return Regression(back @ solution, adjusted @ back.T, back.T, leverage, adjust)
