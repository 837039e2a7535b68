"""Calls of SciPy and scikit-learn on arrays of anvl: printed is what differs from NumPy's results.

SCIPY_ARRAY_API=1 python dispatching.py scipy
SCIPY_ARRAY_API=1 python dispatching.py sklearn
"""

import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import anvl
import anvl.numpy as anp

DRAW = np.random.default_rng(5)
X, Y = DRAW.normal(size=(24, 3)), DRAW.uniform(0.2, 0.9, size=(24, 3))
SIGNAL = DRAW.normal(size=32)
LABELS = (X @ np.asarray([1.0, -2, 0.5]) > 0).astype("int64")


def scipy_calls() -> dict[str, Callable[[Callable[[Any], Any]], Any]]:
    from scipy import cluster, fft, integrate, linalg, ndimage, signal, special, stats

    return {
        "special.expit": lambda a: special.expit(a(X)),
        "special.logsumexp": lambda a: special.logsumexp(a(X), axis=1),
        "special.xlogy": lambda a: special.xlogy(a(Y), a(Y)),
        "special.gammaln": lambda a: special.gammaln(a(Y)),
        "special.rel_entr": lambda a: special.rel_entr(a(Y), a(Y[::-1].copy())),
        "special.softmax": lambda a: special.softmax(a(X), axis=0),
        "stats.zscore": lambda a: stats.zscore(a(X)),
        "stats.skew": lambda a: stats.skew(a(X), axis=0),
        "stats.kurtosis": lambda a: stats.kurtosis(a(X), axis=0),
        "stats.gmean": lambda a: stats.gmean(a(Y), axis=0),
        "stats.ttest_1samp": lambda a: stats.ttest_1samp(a(X), 0.0).statistic,
        "stats.pearsonr": lambda a: stats.pearsonr(a(X[:, 0]), a(X[:, 1])).statistic,
        "stats.moment": lambda a: stats.moment(a(X), 3),
        "fft.fft": lambda a: fft.fft(a(SIGNAL)),
        "fft.rfft": lambda a: fft.rfft(a(SIGNAL)),
        "cluster.vq.whiten": lambda a: cluster.vq.whiten(a(X)),
        "signal.detrend": lambda a: signal.detrend(a(SIGNAL)),
        "signal.fftconvolve": lambda a: signal.fftconvolve(a(SIGNAL), a(SIGNAL[:5])),
        "ndimage.gaussian_filter": lambda a: ndimage.gaussian_filter(a(X), 1.0),
        "integrate.trapezoid": lambda a: integrate.trapezoid(a(X), axis=0),
        "integrate.simpson": lambda a: integrate.simpson(a(X), axis=0),
        "linalg.solve": lambda a: linalg.solve(a(np.eye(3) + 1), a(X.T)),
    }  # fmt: skip


def sklearn_calls() -> dict[str, Callable[[Callable[[Any], Any]], Any]]:
    from sklearn import (
        decomposition,
        discriminant_analysis,
        linear_model,
        metrics,
        mixture,
        preprocessing,
    )

    target = X @ np.asarray([1.0, -2, 0.5])
    return {
        "StandardScaler": lambda a: preprocessing.StandardScaler().fit_transform(a(X)),
        "MinMaxScaler": lambda a: preprocessing.MinMaxScaler().fit_transform(a(X)),
        "MaxAbsScaler": lambda a: preprocessing.MaxAbsScaler().fit_transform(a(X)),
        "PCA": lambda a: decomposition.PCA(2, svd_solver="full").fit(a(X)).explained_variance_,
        "Ridge": lambda a: linear_model.Ridge(solver="svd").fit(a(X), a(target)).coef_,
        "LDA": lambda a: discriminant_analysis.LinearDiscriminantAnalysis()
        .fit(a(X), a(LABELS))
        .predict(a(X)),
        "GaussianMixture": lambda a: mixture.GaussianMixture(
            2, random_state=0, init_params="random_from_data", max_iter=5, tol=10.0
        ).fit(a(X)).means_,
        "r2_score": lambda a: metrics.r2_score(a(target), a(target + 0.1)),
    }  # fmt: skip


def differences(calls: dict[str, Any]) -> Iterator[str]:
    """A line for each call that fails, differs from NumPy's, or gives no array of anvl."""
    for name, call in calls.items():
        wanted = np.asarray(call(np.asarray))
        try:
            with anvl.config(allow_item_assignment=True):
                found = call(anp.asarray)
            np.testing.assert_allclose(np.asarray(found), wanted, rtol=1e-6, atol=1e-8)
        except Exception as error:
            yield f"{name}: {type(error).__name__}: {' '.join(str(error).split())[:300]}"
            continue
        if not isinstance(found, anvl.Array | float):
            yield f"{name}: gives a {type(found).__name__}"


if __name__ == "__main__":
    of = sys.argv[1]
    if of == "sklearn":
        import sklearn

        sklearn.set_config(array_api_dispatch=True)
    calls = scipy_calls() if of == "scipy" else sklearn_calls()
    print(len(calls), "calls")
    print(*differences(calls), sep="\n")
