"""Losses of classes: cross entropies, divergences, margins."""

from __future__ import annotations

from typing import Any

import anvl.numpy as anp
from anvl.core.promote import abstract
from anvl.core.ranges import integer_limits
from anvl.dispatch.eager import public
from anvl.numpy.arrays.axes import axis_of
from anvl.optim.losses.regression import masked_sum

__all__ = [
    "generalized_kl_divergence",
    "hinge_loss",
    "kl_divergence",
    "kl_divergence_with_log_targets",
    "multiclass_hinge_loss",
    "multiclass_perceptron_loss",
    "perceptron_loss",
    "poly_loss_cross_entropy",
    "safe_softmax_cross_entropy",
    "sigmoid_binary_cross_entropy",
    "sigmoid_focal_loss",
    "smooth_labels",
    "softmax_cross_entropy",
    "softmax_cross_entropy_with_integer_labels",
]


def _log_sigmoid(x: Any) -> Any:
    return anp.negative(anp.logaddexp(0, anp.negative(x)))


@public()
def sigmoid_binary_cross_entropy(logits: Any, labels: Any) -> Any:
    """Cross entropy of independent events, elementwise.

    Parameters
    ----------
    logits : array of floats
        Logarithms of the odds.
    labels : array
        Probabilities, or 0 and 1.

    Notes
    -----
    Source: Goodfellow, Bengio and Courville, Deep Learning (2016), section 6.2.2.2.

    Examples
    --------
    >>> from anvl import optim
    >>> print(optim.sigmoid_binary_cross_entropy(0.0, 1.0))
    0.6931472
    """
    labels = anp.astype(labels, anp.asarray(logits).dtype)
    yes = anp.multiply(labels, _log_sigmoid(logits))
    no = anp.multiply(anp.subtract(1, labels), _log_sigmoid(anp.negative(logits)))
    return anp.negative(anp.add(yes, no))


@public()
def sigmoid_focal_loss(logits: Any, labels: Any, *, alpha: Any = None, gamma: Any = 2.0) -> Any:
    """`sigmoid_binary_cross_entropy` times (1 - p)^gamma, p the probability of the label.

    Parameters
    ----------
    logits, labels : arrays
    alpha : float, optional
        Weight of the label 1; 0 has 1 - alpha.
    gamma : float

    Notes
    -----
    Source: Lin et al., Focal loss for dense object detection (2017).

    Examples
    --------
    >>> from anvl import optim
    >>> print(optim.sigmoid_focal_loss(0.0, 1.0))
    0.1732868
    """
    labels = anp.astype(labels, anp.asarray(logits).dtype)
    p = anp.sigmoid(logits)
    right = anp.add(anp.multiply(p, labels), anp.multiply(1 - p, 1 - labels))
    loss = anp.multiply(sigmoid_binary_cross_entropy(logits, labels), (1 - right) ** gamma)
    if alpha is None:
        return loss
    return anp.multiply(anp.add(alpha * labels, (1 - alpha) * (1 - labels)), loss)


@public()
def hinge_loss(predictor_outputs: Any, targets: Any) -> Any:
    """max(0, 1 - output * target), elementwise, for targets -1 and 1.

    >>> from anvl import optim
    >>> print(optim.hinge_loss(0.25, 1.0))
    0.75
    """
    return anp.maximum(0, anp.subtract(1, anp.multiply(predictor_outputs, targets)))


@public()
def perceptron_loss(predictor_outputs: Any, targets: Any) -> Any:
    """max(0, -output * target), elementwise, for targets -1 and 1.

    >>> from anvl import optim
    >>> print(optim.perceptron_loss(0.25, -1.0))
    0.25
    """
    return anp.maximum(0, anp.negative(anp.multiply(predictor_outputs, targets)))


def _log_softmax(logits: Any, axis: Any, where: Any) -> Any:
    kept = logits if where is None else anp.where(where, logits, -anp.inf)
    if isinstance(axis, int):
        return anp.log_softmax(kept, axis=axis)
    return anp.subtract(kept, anp.logsumexp(kept, axis=axis, keepdims=True))


def _probabilities_loss(logits: Any, labels: Any, axis: Any, where: Any) -> Any:
    logs = _log_softmax(logits, axis, where)
    # 0 times -inf is 0 here: what cannot happen costs nothing.
    terms = anp.where(anp.equal(labels, 0), 0, anp.multiply(labels, logs))
    return anp.negative(masked_sum(terms, axis, where))


@public("axis")
def softmax_cross_entropy(logits: Any, labels: Any, axis: Any = -1, where: Any = None) -> Any:
    """Cross entropy of classes along an axis.

    Parameters
    ----------
    logits : array of floats
        Logarithms of the probabilities, up to a constant.
    labels : array
        A probability for each class, such as a one-hot row; broadcast to the logits.
    axis : int or tuple of int
        That of the classes.
    where : array of bools, optional
        The classes that count.

    Returns
    -------
    An array of the shape of the logits without `axis`.

    Source: Goodfellow, Bengio and Courville, Deep Learning (2016), section 6.2.2.3.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl import optim
    >>> print(optim.softmax_cross_entropy(np.zeros(2), np.asarray([1.0, 0.0])))
    0.6931472
    """
    return _probabilities_loss(logits, labels, axis, where)


@public()
def safe_softmax_cross_entropy(logits: Any, labels: Any) -> Any:
    """`softmax_cross_entropy` along the last axis, where logits may be -inf if the label is 0.

    >>> import anvl.numpy as np
    >>> from anvl import optim
    >>> logits = np.asarray([0.0, -np.inf])
    >>> print(abs(optim.safe_softmax_cross_entropy(logits, np.asarray([1.0, 0.0]))))
    0.0
    """
    return _probabilities_loss(logits, labels, -1, None)


@public("axis")
def softmax_cross_entropy_with_integer_labels(
    logits: Any, labels: Any, axis: Any = -1, where: Any = None
) -> Any:
    """Cross entropy of classes along an axis, with the number of the class as a label.

    Parameters
    ----------
    logits : array of floats
    labels : array of integers
        Of the shape of the logits without `axis`.  Out of range they give NaN.
    axis : int
    where : array of bools, optional
        The classes that count.

    Raises
    ------
    TypeError
        The labels are not integers.
    ValueError
        The shapes do not fit.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl import optim
    >>> print(optim.softmax_cross_entropy_with_integer_labels(np.zeros((2, 4)), np.asarray([0, 3])))
    [1.3862944 1.3862944]
    """
    name = "softmax_cross_entropy_with_integer_labels"
    of_logits, of_labels = abstract(logits, name), abstract(labels, name)
    if integer_limits(of_labels.dtype) is None:
        raise TypeError(
            f"{name}: labels are {of_labels}; give numbers of classes, or use "
            "softmax_cross_entropy for probabilities"
        )
    at = axis_of(axis, len(of_logits.shape), name)
    wanted = of_logits.shape[:at] + of_logits.shape[at + 1 :]
    if of_labels.shape != wanted:
        raise ValueError(
            f"{name}: labels have shape {list(of_labels.shape)}, logits without axis {axis} have "
            f"{list(wanted)}"
        )
    logs = _log_softmax(logits, at, where)
    is_label = anp.equal(
        anp.expand_dims(labels, at),
        anp.reshape(
            anp.arange(of_logits.shape[at], dtype=of_labels.dtype),
            tuple(-1 if i == at else 1 for i in range(len(of_logits.shape))),
        ),
    )
    found = anp.negative(anp.sum(anp.where(is_label, logs, 0), axis=at))
    return anp.where(anp.any(is_label, axis=at), found, anp.nan)


@public("axis")
def poly_loss_cross_entropy(
    logits: Any, labels: Any, *, epsilon: Any = 2.0, axis: Any = -1, where: Any = None
) -> Any:
    """`softmax_cross_entropy` + epsilon (1 - p), p the probability of the label.

    Source: Leng et al., PolyLoss: a polynomial expansion perspective of classification loss
    functions (2022).

    >>> import anvl.numpy as np
    >>> from anvl import optim
    >>> print(optim.poly_loss_cross_entropy(np.zeros(2), np.asarray([1.0, 0.0]), epsilon=2.0))
    1.6931472
    """
    p = anp.exp(_log_softmax(logits, axis, where))
    rest = masked_sum(anp.multiply(labels, anp.subtract(1, p)), axis, where)
    return anp.add(_probabilities_loss(logits, labels, axis, where), anp.multiply(epsilon, rest))


@public("axis")
def kl_divergence(log_predictions: Any, targets: Any, axis: Any = -1, where: Any = None) -> Any:
    """Kullback-Leibler divergence of the predictions from the targets, along an axis.

    Parameters
    ----------
    log_predictions : array of floats
        Logarithms of probabilities.
    targets : array of floats
        Probabilities.
    axis : int or tuple of int
    where : array of bools, optional

    Notes
    -----
    Source: Kullback and Leibler, On information and sufficiency (1951).

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl import optim
    >>> half = np.asarray([0.5, 0.5])
    >>> print(optim.kl_divergence(np.log(half), half))
    0.0
    """
    is_0 = anp.equal(targets, 0)
    logs = anp.log(anp.where(is_0, 1, targets))
    terms = anp.where(is_0, 0, anp.multiply(targets, anp.subtract(logs, log_predictions)))
    return masked_sum(terms, axis, where)


@public("axis")
def kl_divergence_with_log_targets(
    log_predictions: Any, log_targets: Any, axis: Any = -1, where: Any = None
) -> Any:
    """`kl_divergence` with logarithms of the targets.

    >>> import anvl.numpy as np
    >>> from anvl import optim
    >>> logs = np.log(np.asarray([0.5, 0.5]))
    >>> print(optim.kl_divergence_with_log_targets(logs, logs))
    0.0
    """
    terms = anp.multiply(anp.exp(log_targets), anp.subtract(log_targets, log_predictions))
    return masked_sum(terms, axis, where)


@public("axis")
def generalized_kl_divergence(
    log_predictions: Any, targets: Any, axis: Any = -1, where: Any = None
) -> Any:
    """`kl_divergence` of measures whose sums need not be 1.

    >>> import anvl.numpy as np
    >>> from anvl import optim
    >>> print(optim.generalized_kl_divergence(np.log(np.ones(2)), np.ones(2)))
    0.0
    """
    more = masked_sum(anp.subtract(anp.exp(log_predictions), targets), axis, where)
    return anp.add(kl_divergence(log_predictions, targets, axis, where), more)


def _of_label(scores: Any, labels: Any) -> tuple[Any, Any]:
    """Whether each class is the label, and the score of the label."""
    scores = anp.asarray(scores)
    classes = anp.arange(scores.shape[-1], dtype=anp.asarray(labels).dtype)
    is_label = anp.equal(anp.expand_dims(labels, -1), classes)
    return is_label, anp.sum(anp.where(is_label, scores, 0), axis=-1)


@public()
def multiclass_hinge_loss(scores: Any, labels: Any) -> Any:
    """max(0, 1 + the largest other score - the score of the label), along the last axis.

    Parameters
    ----------
    scores : array of floats
    labels : array of integers
        Of the shape of the scores without the last axis.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl import optim
    >>> print(optim.multiclass_hinge_loss(np.asarray([2.0, 1.5]), 0))
    0.5
    """
    is_label, score = _of_label(scores, labels)
    margins = anp.where(is_label, scores, anp.add(scores, 1))
    return anp.subtract(anp.max(margins, axis=-1), score)


@public()
def multiclass_perceptron_loss(scores: Any, labels: Any) -> Any:
    """The largest score less the score of the label, along the last axis.

    Parameters as in `multiclass_hinge_loss`.

    >>> import anvl.numpy as np
    >>> from anvl import optim
    >>> print(optim.multiclass_perceptron_loss(np.asarray([2.0, 1.5]), 1))
    0.5
    """
    _, score = _of_label(scores, labels)
    return anp.subtract(anp.max(scores, axis=-1), score)


@public("axis")
def smooth_labels(labels: Any, alpha: Any, *, axis: Any = -1, where: Any = None) -> Any:
    """Mix labels with the uniform distribution: (1 - alpha) labels + alpha / classes.

    Parameters
    ----------
    labels : array of floats
        Probabilities along `axis`.
    alpha : float
    axis : int
    where : array of bools, optional
        The classes that count.

    Notes
    -----
    Source: Müller, Kornblith and Hinton, When does label smoothing help? (2019).

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl import optim
    >>> print(optim.smooth_labels(np.asarray([1.0, 0.0]), 0.5))
    [0.75 0.25]
    """
    labels = anp.asarray(labels)
    if where is None:
        count: Any = labels.shape[axis_of(axis, labels.ndim, "smooth_labels")]
    else:
        count = anp.astype(anp.sum(where, axis=axis, keepdims=True), labels.dtype)
    spread = anp.divide(anp.asarray(alpha, dtype=labels.dtype), count)
    mixed = anp.add(anp.multiply(anp.subtract(1, alpha), labels), spread)
    return mixed if where is None else anp.where(where, mixed, 0)
