"""`anvl.optim`: optimizers for training loops, with optax's protocol, names and arguments.

    >>> import anvl, anvl.numpy as np
    >>> from anvl import optim
    >>> def loss(w):
    ...     return np.sum((w - 3.0) ** 2)
    >>> optimizer = optim.adam(0.1)
    >>> @anvl.jit
    ... def step(w, state):
    ...     updates, state = optimizer.update(anvl.grad(loss)(w), state, w)
    ...     return optim.apply_updates(w, updates), state
    >>> w, state = np.zeros(2), optimizer.init(np.zeros(2))
    >>> for _ in range(200):
    ...     w, state = step(w, state)
    >>> print(np.round(w, 2))
    [3. 3.]

`docs/optim.md` shows schedules, clipping, accumulation and line searches.
"""

from anvl.core.importing import suggest_names as _suggest_names
from anvl.docstrings.complete import complete as _complete
from anvl.docstrings.of_optim import OPTIM as _ENTRIES
from anvl.optim import losses as losses
from anvl.optim import schedules as schedules
from anvl.optim.accumulation import ApplyEvery as ApplyEvery
from anvl.optim.accumulation import ApplyIfFiniteState as ApplyIfFiniteState
from anvl.optim.accumulation import ConditionallyMaskState as ConditionallyMaskState
from anvl.optim.accumulation import ConditionallyTransformState as ConditionallyTransformState
from anvl.optim.accumulation import MultiSteps as MultiSteps
from anvl.optim.accumulation import MultiStepsState as MultiStepsState
from anvl.optim.accumulation import apply_every as apply_every
from anvl.optim.accumulation import apply_if_finite as apply_if_finite
from anvl.optim.accumulation import conditionally_mask as conditionally_mask
from anvl.optim.accumulation import conditionally_transform as conditionally_transform
from anvl.optim.accumulation import skip_large_updates as skip_large_updates
from anvl.optim.accumulation import skip_not_finite as skip_not_finite
from anvl.optim.adam_family import ScaleByAdamState as ScaleByAdamState
from anvl.optim.adam_family import ScaleByAmsgradState as ScaleByAmsgradState
from anvl.optim.adam_family import ScaleByBeliefState as ScaleByBeliefState
from anvl.optim.adam_family import scale_by_adam as scale_by_adam
from anvl.optim.adam_family import scale_by_adamax as scale_by_adamax
from anvl.optim.adam_family import scale_by_amsgrad as scale_by_amsgrad
from anvl.optim.adam_family import scale_by_belief as scale_by_belief
from anvl.optim.adam_family import scale_by_radam as scale_by_radam
from anvl.optim.adam_family import scale_by_yogi as scale_by_yogi
from anvl.optim.clipping import ZeroNansState as ZeroNansState
from anvl.optim.clipping import adaptive_grad_clip as adaptive_grad_clip
from anvl.optim.clipping import clip as clip
from anvl.optim.clipping import clip_by_block_rms as clip_by_block_rms
from anvl.optim.clipping import clip_by_global_norm as clip_by_global_norm
from anvl.optim.clipping import keep_params_nonnegative as keep_params_nonnegative
from anvl.optim.clipping import zero_nans as zero_nans
from anvl.optim.hyperparameters import InjectHyperparamsState as InjectHyperparamsState
from anvl.optim.hyperparameters import inject_hyperparams as inject_hyperparams
from anvl.optim.lbfgs import ScaleByLBFGSState as ScaleByLBFGSState
from anvl.optim.lbfgs import scale_by_lbfgs as scale_by_lbfgs
from anvl.optim.line_search import BacktrackingLinesearchInfo as BacktrackingLinesearchInfo
from anvl.optim.line_search import (
    ScaleByBacktrackingLinesearchState as ScaleByBacktrackingLinesearchState,
)
from anvl.optim.line_search import ScaleByZoomLinesearchState as ScaleByZoomLinesearchState
from anvl.optim.line_search import ZoomLinesearchInfo as ZoomLinesearchInfo
from anvl.optim.line_search import (
    scale_by_backtracking_linesearch as scale_by_backtracking_linesearch,
)
from anvl.optim.line_search import scale_by_zoom_linesearch as scale_by_zoom_linesearch
from anvl.optim.line_search import value_and_grad_from_state as value_and_grad_from_state
from anvl.optim.loss_scaling import LossScale as LossScale
from anvl.optim.loss_scaling import all_finite as all_finite
from anvl.optim.loss_scaling import dynamic_loss_scale as dynamic_loss_scale
from anvl.optim.loss_scaling import static_loss_scale as static_loss_scale
from anvl.optim.losses import cosine_distance as cosine_distance
from anvl.optim.losses import cosine_similarity as cosine_similarity
from anvl.optim.losses import generalized_kl_divergence as generalized_kl_divergence
from anvl.optim.losses import hinge_loss as hinge_loss
from anvl.optim.losses import huber_loss as huber_loss
from anvl.optim.losses import kl_divergence as kl_divergence
from anvl.optim.losses import kl_divergence_with_log_targets as kl_divergence_with_log_targets
from anvl.optim.losses import l2_loss as l2_loss
from anvl.optim.losses import log_cosh as log_cosh
from anvl.optim.losses import multiclass_hinge_loss as multiclass_hinge_loss
from anvl.optim.losses import multiclass_perceptron_loss as multiclass_perceptron_loss
from anvl.optim.losses import perceptron_loss as perceptron_loss
from anvl.optim.losses import poly_loss_cross_entropy as poly_loss_cross_entropy
from anvl.optim.losses import safe_softmax_cross_entropy as safe_softmax_cross_entropy
from anvl.optim.losses import sigmoid_binary_cross_entropy as sigmoid_binary_cross_entropy
from anvl.optim.losses import sigmoid_focal_loss as sigmoid_focal_loss
from anvl.optim.losses import smooth_labels as smooth_labels
from anvl.optim.losses import softmax_cross_entropy as softmax_cross_entropy
from anvl.optim.losses import (
    softmax_cross_entropy_with_integer_labels as softmax_cross_entropy_with_integer_labels,
)
from anvl.optim.losses import squared_error as squared_error
from anvl.optim.masking import MaskedNode as MaskedNode
from anvl.optim.masking import MaskedState as MaskedState
from anvl.optim.masking import MultiTransformState as MultiTransformState
from anvl.optim.masking import PartitionState as PartitionState
from anvl.optim.masking import masked as masked
from anvl.optim.masking import multi_transform as multi_transform
from anvl.optim.masking import partition as partition
from anvl.optim.moments import ScaleByAdaDeltaState as ScaleByAdaDeltaState
from anvl.optim.moments import ScaleByLionState as ScaleByLionState
from anvl.optim.moments import ScaleByRmsState as ScaleByRmsState
from anvl.optim.moments import ScaleByRssState as ScaleByRssState
from anvl.optim.moments import ScaleByRStdDevState as ScaleByRStdDevState
from anvl.optim.moments import scale_by_adadelta as scale_by_adadelta
from anvl.optim.moments import scale_by_lion as scale_by_lion
from anvl.optim.moments import scale_by_rms as scale_by_rms
from anvl.optim.moments import scale_by_rss as scale_by_rss
from anvl.optim.moments import scale_by_stddev as scale_by_stddev
from anvl.optim.optimizers import adabelief as adabelief
from anvl.optim.optimizers import adadelta as adadelta
from anvl.optim.optimizers import adagrad as adagrad
from anvl.optim.optimizers import adam as adam
from anvl.optim.optimizers import adamax as adamax
from anvl.optim.optimizers import adamaxw as adamaxw
from anvl.optim.optimizers import adamw as adamw
from anvl.optim.optimizers import amsgrad as amsgrad
from anvl.optim.optimizers import lamb as lamb
from anvl.optim.optimizers import lars as lars
from anvl.optim.optimizers import lbfgs as lbfgs
from anvl.optim.optimizers import lion as lion
from anvl.optim.optimizers import nadam as nadam
from anvl.optim.optimizers import nadamw as nadamw
from anvl.optim.optimizers import radam as radam
from anvl.optim.optimizers import rmsprop as rmsprop
from anvl.optim.optimizers import sgd as sgd
from anvl.optim.optimizers import sign_sgd as sign_sgd
from anvl.optim.optimizers import signum as signum
from anvl.optim.optimizers import yogi as yogi
from anvl.optim.protocol import EmptyState as EmptyState
from anvl.optim.protocol import GradientTransformation as GradientTransformation
from anvl.optim.protocol import GradientTransformationExtraArgs as GradientTransformationExtraArgs
from anvl.optim.protocol import apply_updates as apply_updates
from anvl.optim.protocol import chain as chain
from anvl.optim.protocol import identity as identity
from anvl.optim.protocol import incremental_update as incremental_update
from anvl.optim.protocol import named_chain as named_chain
from anvl.optim.protocol import periodic_update as periodic_update
from anvl.optim.protocol import set_to_zero as set_to_zero
from anvl.optim.protocol import stateless as stateless
from anvl.optim.protocol import stateless_with_tree_map as stateless_with_tree_map
from anvl.optim.protocol import with_extra_args_support as with_extra_args_support
from anvl.optim.scaling import EmaState as EmaState
from anvl.optim.scaling import ScaleByScheduleState as ScaleByScheduleState
from anvl.optim.scaling import ScaleState as ScaleState
from anvl.optim.scaling import TraceState as TraceState
from anvl.optim.scaling import add_decayed_weights as add_decayed_weights
from anvl.optim.scaling import centralize as centralize
from anvl.optim.scaling import ema as ema
from anvl.optim.scaling import normalize_by_update_norm as normalize_by_update_norm
from anvl.optim.scaling import scale as scale
from anvl.optim.scaling import scale_by_learning_rate as scale_by_learning_rate
from anvl.optim.scaling import scale_by_param_block_norm as scale_by_param_block_norm
from anvl.optim.scaling import scale_by_param_block_rms as scale_by_param_block_rms
from anvl.optim.scaling import scale_by_schedule as scale_by_schedule
from anvl.optim.scaling import scale_by_sign as scale_by_sign
from anvl.optim.scaling import scale_by_trust_ratio as scale_by_trust_ratio
from anvl.optim.scaling import trace as trace
from anvl.optim.schedules import constant_schedule as constant_schedule
from anvl.optim.schedules import cosine_decay_schedule as cosine_decay_schedule
from anvl.optim.schedules import cosine_onecycle_schedule as cosine_onecycle_schedule
from anvl.optim.schedules import exponential_decay as exponential_decay
from anvl.optim.schedules import join_schedules as join_schedules
from anvl.optim.schedules import linear_onecycle_schedule as linear_onecycle_schedule
from anvl.optim.schedules import linear_schedule as linear_schedule
from anvl.optim.schedules import piecewise_constant_schedule as piecewise_constant_schedule
from anvl.optim.schedules import piecewise_interpolate_schedule as piecewise_interpolate_schedule
from anvl.optim.schedules import polynomial_schedule as polynomial_schedule
from anvl.optim.schedules import sgdr_schedule as sgdr_schedule
from anvl.optim.schedules import warmup_constant_schedule as warmup_constant_schedule
from anvl.optim.schedules import warmup_cosine_decay_schedule as warmup_cosine_decay_schedule
from anvl.optim.schedules import (
    warmup_exponential_decay_schedule as warmup_exponential_decay_schedule,
)
from anvl.optim.trees import bias_correction as bias_correction
from anvl.optim.trees import global_norm as global_norm
from anvl.optim.trees import safe_increment as safe_increment
from anvl.optim.trees import safe_norm as safe_norm
from anvl.optim.trees import safe_root_mean_squares as safe_root_mean_squares
from anvl.optim.trees import update_infinity_moment as update_infinity_moment
from anvl.optim.trees import update_moment as update_moment
from anvl.runtime import hide_frames_of as _hide_frames_of

__all__ = [
    "ApplyEvery",
    "ApplyIfFiniteState",
    "BacktrackingLinesearchInfo",
    "ConditionallyMaskState",
    "ConditionallyTransformState",
    "EmaState",
    "EmptyState",
    "GradientTransformation",
    "GradientTransformationExtraArgs",
    "InjectHyperparamsState",
    "LossScale",
    "MaskedNode",
    "MaskedState",
    "MultiSteps",
    "MultiStepsState",
    "MultiTransformState",
    "PartitionState",
    "ScaleByAdaDeltaState",
    "ScaleByAdamState",
    "ScaleByAmsgradState",
    "ScaleByBacktrackingLinesearchState",
    "ScaleByBeliefState",
    "ScaleByLBFGSState",
    "ScaleByLionState",
    "ScaleByRStdDevState",
    "ScaleByRmsState",
    "ScaleByRssState",
    "ScaleByScheduleState",
    "ScaleByZoomLinesearchState",
    "ScaleState",
    "TraceState",
    "ZeroNansState",
    "ZoomLinesearchInfo",
    "adabelief",
    "adadelta",
    "adagrad",
    "adam",
    "adamax",
    "adamaxw",
    "adamw",
    "adaptive_grad_clip",
    "add_decayed_weights",
    "all_finite",
    "amsgrad",
    "apply_every",
    "apply_if_finite",
    "apply_updates",
    "bias_correction",
    "centralize",
    "chain",
    "clip",
    "clip_by_block_rms",
    "clip_by_global_norm",
    "conditionally_mask",
    "conditionally_transform",
    "constant_schedule",
    "cosine_decay_schedule",
    "cosine_distance",
    "cosine_onecycle_schedule",
    "cosine_similarity",
    "dynamic_loss_scale",
    "ema",
    "exponential_decay",
    "generalized_kl_divergence",
    "global_norm",
    "hinge_loss",
    "huber_loss",
    "identity",
    "incremental_update",
    "inject_hyperparams",
    "join_schedules",
    "keep_params_nonnegative",
    "kl_divergence",
    "kl_divergence_with_log_targets",
    "l2_loss",
    "lamb",
    "lars",
    "lbfgs",
    "linear_onecycle_schedule",
    "linear_schedule",
    "lion",
    "log_cosh",
    "losses",
    "masked",
    "multi_transform",
    "multiclass_hinge_loss",
    "multiclass_perceptron_loss",
    "nadam",
    "nadamw",
    "named_chain",
    "normalize_by_update_norm",
    "partition",
    "perceptron_loss",
    "periodic_update",
    "piecewise_constant_schedule",
    "piecewise_interpolate_schedule",
    "poly_loss_cross_entropy",
    "polynomial_schedule",
    "radam",
    "rmsprop",
    "safe_increment",
    "safe_norm",
    "safe_root_mean_squares",
    "safe_softmax_cross_entropy",
    "scale",
    "scale_by_adadelta",
    "scale_by_adam",
    "scale_by_adamax",
    "scale_by_amsgrad",
    "scale_by_backtracking_linesearch",
    "scale_by_belief",
    "scale_by_lbfgs",
    "scale_by_learning_rate",
    "scale_by_lion",
    "scale_by_param_block_norm",
    "scale_by_param_block_rms",
    "scale_by_radam",
    "scale_by_rms",
    "scale_by_rss",
    "scale_by_schedule",
    "scale_by_sign",
    "scale_by_stddev",
    "scale_by_trust_ratio",
    "scale_by_yogi",
    "scale_by_zoom_linesearch",
    "schedules",
    "set_to_zero",
    "sgd",
    "sgdr_schedule",
    "sigmoid_binary_cross_entropy",
    "sigmoid_focal_loss",
    "sign_sgd",
    "signum",
    "skip_large_updates",
    "skip_not_finite",
    "smooth_labels",
    "softmax_cross_entropy",
    "softmax_cross_entropy_with_integer_labels",
    "squared_error",
    "stateless",
    "stateless_with_tree_map",
    "static_loss_scale",
    "trace",
    "update_infinity_moment",
    "update_moment",
    "value_and_grad_from_state",
    "warmup_constant_schedule",
    "warmup_cosine_decay_schedule",
    "warmup_exponential_decay_schedule",
    "with_extra_args_support",
    "yogi",
    "zero_nans",
]

_hide_frames_of(__all__, globals())
_complete(__all__, globals(), _ENTRIES)

_suggest_names(globals())


def __dir__() -> list[str]:
    return list(__all__)
