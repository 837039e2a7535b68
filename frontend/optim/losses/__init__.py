"""Loss functions; each gives one number per example, or per element, and no mean.

Names and arguments are those of optax 0.2.
"""

from anvl.optim.losses.classification import generalized_kl_divergence as generalized_kl_divergence
from anvl.optim.losses.classification import hinge_loss as hinge_loss
from anvl.optim.losses.classification import kl_divergence as kl_divergence
from anvl.optim.losses.classification import (
    kl_divergence_with_log_targets as kl_divergence_with_log_targets,
)
from anvl.optim.losses.classification import multiclass_hinge_loss as multiclass_hinge_loss
from anvl.optim.losses.classification import (
    multiclass_perceptron_loss as multiclass_perceptron_loss,
)
from anvl.optim.losses.classification import perceptron_loss as perceptron_loss
from anvl.optim.losses.classification import poly_loss_cross_entropy as poly_loss_cross_entropy
from anvl.optim.losses.classification import (
    safe_softmax_cross_entropy as safe_softmax_cross_entropy,
)
from anvl.optim.losses.classification import (
    sigmoid_binary_cross_entropy as sigmoid_binary_cross_entropy,
)
from anvl.optim.losses.classification import sigmoid_focal_loss as sigmoid_focal_loss
from anvl.optim.losses.classification import smooth_labels as smooth_labels
from anvl.optim.losses.classification import softmax_cross_entropy as softmax_cross_entropy
from anvl.optim.losses.classification import (
    softmax_cross_entropy_with_integer_labels as softmax_cross_entropy_with_integer_labels,
)
from anvl.optim.losses.regression import cosine_distance as cosine_distance
from anvl.optim.losses.regression import cosine_similarity as cosine_similarity
from anvl.optim.losses.regression import huber_loss as huber_loss
from anvl.optim.losses.regression import l2_loss as l2_loss
from anvl.optim.losses.regression import log_cosh as log_cosh
from anvl.optim.losses.regression import squared_error as squared_error

__all__ = [
    "cosine_distance",
    "cosine_similarity",
    "generalized_kl_divergence",
    "hinge_loss",
    "huber_loss",
    "kl_divergence",
    "kl_divergence_with_log_targets",
    "l2_loss",
    "log_cosh",
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
    "squared_error",
]


def __dir__() -> list[str]:
    return list(__all__)
