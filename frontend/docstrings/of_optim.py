"""Parameters, results and examples of the functions of `anvl.optim`."""

from __future__ import annotations

from anvl.docstrings.entries import Entries, by_name

__all__ = ["OPTIM"]

_PARAMETERS = {
    "accumulator_dtype": "dtype: The dtype of the state; by default that of the updates.",
    "axis": "int: The axis of classes, negative ones from the end.",
    "b1": "float: Decay of the mean of the gradients.",
    "b2": "float: Decay of the mean of their squares.",
    "bias_correction": "bool: Whether the means are divided by 1 - decay^steps.",
    "bias_correction_mu": "bool: Whether the mean of the gradients is corrected for its start at 0.",
    "bias_correction_nu": "bool: Whether the mean of the squares is corrected for its start at 0.",
    "count": "array: The number of steps, an integer.",
    "decay": "float: What is kept of the state in each step.",
    "eps": "float: Added to a divisor.",
    "eps_in_sqrt": "bool: Whether `eps` is added below the root.",
    "eps_root": "float: Added below the root.",
    "epsilon": "float: As described above.",
    "gradient_step": "int: The number of the step; it makes no difference.",
    "initial_accumulator_value": "float: What the sum or mean of squares begins with.",
    "initial_scale": "float: What the mean of squares begins with.",
    "inner": "GradientTransformation",
    "labels": "array: The labels; broadcasts with the predictions.",
    "learning_rate": "float or schedule: A number, an array, or a function of the number of steps.",
    "log_predictions": "array: Logarithms of the predictions.",
    "logits": "array: Logarithms of probabilities, up to a constant.",
    "mask": "pytree of bools, or callable: Which parameters decay; by default all.",
    "min_scale": "float: The least norm that counts.",
    "mu_dtype": "dtype: The dtype of the mean of the gradients; by default theirs.",
    "nesterov": "bool: Whether to look a step ahead.",
    "params": "pytree: The parameters.",
    "predictions": "array",
    "predictor_outputs": "array: Real numbers, whose sign is the prediction.",
    "scores": "array: A number for each class, along the last axis.",
    "targets": "array: Broadcasts with the predictions.",
    "threshold": "float",
    "transition_begin": "int: The step from which on the value changes.",
    "transition_steps": "int: The number of steps in which it does.",
    "updates": "pytree of arrays",
    "weight_decay": "float or schedule: Of the parameters, in each step.",
    "weight_decay_mask": "pytree of bools, or callable: Which parameters decay.",
    "where": "array of bools: Which elements count.",
}
#: Of the states, which are pytrees: parts like the parameters have their structure and shapes.
_FIELDS = {
    "acc_grads": "pytree like the parameters: Mean or sum of the gradients since the last step.",
    "count": "array: The number of steps so far, an i32.",
    "curvature_error": "array: By how much the slope misses its bound; 0 if it does not.",
    "decrease_error": "array: By how much the value misses its bound; 0 if it does not.",
    "diff_params_memory": "pytree: The last changes of the parameters, with an axis of these first.",
    "diff_updates_memory": "pytree: The last changes of the gradients, with an axis of these first.",
    "e_g": "pytree like the parameters: Mean of the squares of the gradients.",
    "e_x": "pytree like the parameters: Mean of the squares of the updates.",
    "ema": "pytree like the parameters: The mean.",
    "found_nan": "pytree of bools: Which arrays held a NaN in the last step.",
    "grad": "pytree like the parameters: The gradient at the last point.",
    "grad_acc": "pytree like the parameters: Sum of the gradients since the last step.",
    "gradient_step": "array: The number of steps of the inner transformation, an i32.",
    "hyperparams": "dict of str to array: The values of the last step.",
    "info": "named tuple: What the line search did last.",
    "init": "callable: From the parameters to the state.",
    "inner_opt_state": "pytree: The state of the inner transformation.",
    "inner_state": "pytree: The state of the inner transformation.",
    "inner_states": "dict: The state of each label's transformation.",
    "last_finite": "array: Whether the last gradients were finite, a bool.",
    "learning_rate": "array: The last step size.",
    "mini_step": "array: The number of gradients since the last step, an i32.",
    "mu": "pytree like the parameters: Mean of the gradients.",
    "notfinite_count": "array: The number of steps in a row that were not finite, an i32.",
    "nu": "pytree like the parameters: Mean of the squares.",
    "nu_max": "pytree like the parameters: The largest mean of the squares so far.",
    "num_linesearch_steps": "array: The number of points that were tried, an i32.",
    "params": "pytree: The parameters of the last step.",
    "skip_state": "pytree: Which steps were left out, and why.",
    "step": "array: The number of steps so far, an i32.",
    "sum_of_squares": "pytree like the parameters: Sum of the squares of the gradients.",
    "total_notfinite": "array: The number of all steps that were not finite, an i32.",
    "trace": "pytree like the parameters: Sum of the updates, with decay.",
    "update": "callable: From gradients, state and parameters to updates and the next state.",
    "updates": "pytree: The gradients of the last step.",
    "value": "array: The value at the last point.",
    "weights_memory": "array: The weight of each change in the memory.",
}
_OWN = {
    "adadelta": {"rho": "float: Decay of both means of squares."},
    "apply_every": {"k": "int: The number of steps."},
    "bias_correction": {"moment": "pytree of arrays", "decay": "float: Decay of the moment."},
    "clip": {"max_delta": "float: The bound."},
    "clip_by_block_rms": {"threshold": "float: The bound."},
    "clip_by_global_norm": {"max_norm": "float: The bound."},
    "conditionally_mask": {
        "should_transform_fn": "callable: From the number of the step to a bool.",
        "forward_extra_args": "bool: Whether it gets the keywords of `update`, too.",
    },
    "constant_schedule": {"value": "float"},
    "cosine_distance": {"epsilon": "float: The least norm that counts.",
                        "axis": "int: The axis of the vectors."},
    "cosine_onecycle_schedule": {
        "peak_value": "float: The largest value.",
        "pct_start": "float: The part of the steps before the peak.",
        "div_factor": "float: The peak over the first value.",
        "final_div_factor": "float: The first value over the last one.",
    },
    "huber_loss": {"delta": "float: Where the loss becomes linear."},
    "kl_divergence_with_log_targets": {"log_targets": "array: Logarithms of the targets."},
    "lars": {"trust_coefficient": "float: Multiplies the ratio.",
             "trust_ratio_mask": "pytree of bools, or callable: Which parameters are scaled.",
             "momentum": "float: Decay of the sum of the updates."},
    "linear_schedule": {"init_value": "float: The first value.", "end_value": "float: The last one."},
    "multiclass_perceptron_loss": {"labels": "array of integers: The number of the class."},
    "normalize_by_update_norm": {"scale_factor": "float: The norm afterwards."},
    "poly_loss_cross_entropy": {"labels": "array: Probabilities of the classes.",
                                "epsilon": "float: The weight of the further term."},
    "radam": {"threshold": "float: Effective samples from which on the mean of squares is used."},
    "rmsprop": {"centered": "bool: Whether to divide by the standard deviation.",
                "decay": "float: Decay of the mean of squares.",
                "momentum": "float: Decay of the sum of the updates; none by default."},
    "safe_root_mean_squares": {"x": "array", "min_rms": "float: The least result."},
    "safe_softmax_cross_entropy": {"labels": "array: Probabilities of the classes."},
    "scale_by_adadelta": {"rho": "float: Decay of both means of squares."},
    "scale_by_radam": {"threshold": "float: See above."},
    "sgd": {"momentum": "float: Decay of the sum of the updates; none by default."},
    "signum": {"beta": "float: Decay of the mean of the gradients."},
    "skip_large_updates": {"max_squared_norm": "float: The bound."},
    "stateless": {"f": "callable"},
    "stateless_with_tree_map": {"f": "callable"},
    "update_infinity_moment": {"moments": "pytree of arrays",
                               "eps": "float: Added to the gradients' size."},
    "warmup_constant_schedule": {"init_value": "float: The first value.",
                                 "peak_value": "float: The last value.",
                                 "warmup_steps": "int: The number of steps to it."},
    "warmup_exponential_decay_schedule": {
        "init_value": "float: The first value.", "peak_value": "float: The largest value.",
        "warmup_steps": "int: The number of steps to it.",
        "decay_rate": "float: The factor in each `transition_steps`.",
        "staircase": "bool: Whether the value falls at once, in each `transition_steps`.",
        "end_value": "float: What the value does not pass.",
    },
    "with_extra_args_support": {"tx": "GradientTransformation"},
}  # fmt: skip

_OPTIMIZERS = (
    "adabelief adadelta adagrad adam adamax adamaxw adamw amsgrad lamb lars lbfgs lion nadam "
    "nadamw radam rmsprop sgd sign_sgd signum yogi"
)
_SCHEDULES = (
    "constant_schedule cosine_decay_schedule cosine_onecycle_schedule exponential_decay "
    "join_schedules linear_onecycle_schedule linear_schedule piecewise_constant_schedule "
    "piecewise_interpolate_schedule polynomial_schedule sgdr_schedule warmup_constant_schedule "
    "warmup_cosine_decay_schedule warmup_exponential_decay_schedule"
)
_ELEMENTWISE = (
    "hinge_loss huber_loss l2_loss log_cosh perceptron_loss sigmoid_binary_cross_entropy "
    "sigmoid_focal_loss squared_error"
)
_ALONG = (
    "cosine_distance cosine_similarity generalized_kl_divergence kl_divergence "
    "kl_divergence_with_log_targets multiclass_hinge_loss multiclass_perceptron_loss "
    "poly_loss_cross_entropy safe_softmax_cross_entropy softmax_cross_entropy_with_integer_labels"
)
_TRANSFORMATIONS = (
    "adaptive_grad_clip add_decayed_weights apply_every centralize clip clip_by_block_rms "
    "clip_by_global_norm ema identity keep_params_nonnegative normalize_by_update_norm scale "
    "scale_by_adadelta scale_by_adam scale_by_adamax scale_by_amsgrad "
    "scale_by_backtracking_linesearch scale_by_belief scale_by_lbfgs scale_by_learning_rate "
    "scale_by_lion scale_by_param_block_norm scale_by_param_block_rms scale_by_radam scale_by_rms "
    "scale_by_rss scale_by_schedule scale_by_sign scale_by_stddev scale_by_trust_ratio "
    "scale_by_yogi scale_by_zoom_linesearch set_to_zero stateless stateless_with_tree_map trace "
    "zero_nans"
)
_RESULTS = {
    "GradientTransformation: `init(params)` and `update(updates, state, params)`.": (
        f"{_OPTIMIZERS} {_TRANSFORMATIONS} apply_if_finite conditionally_mask "
        "conditionally_transform masked multi_transform named_chain partition "
        "with_extra_args_support"
    ),
    "A function of the number of steps, an integer or an array, to a number or an array of floats.": _SCHEDULES,
    "Array of floats, of the shape that the arguments broadcast to.": _ELEMENTWISE,
    "Array of floats, without the axis of vectors or classes.": _ALONG,
    "Array without axes.": "global_norm",
    "Pair: an array of bool, and a dict with what was found.": "skip_large_updates skip_not_finite",
    "Array of the dtype of `count`.": "safe_increment",
    "Array of floats.": "safe_norm safe_root_mean_squares",
    "Array of the shape of the labels.": "smooth_labels",
    "Pytree of the structure of the first argument.": (
        "bias_correction incremental_update periodic_update update_infinity_moment update_moment"
    ),
}
_PAGES = {
    "optimizers": _OPTIMIZERS,
    "optimizer_schedules": _SCHEDULES,
    "losses": f"{_ELEMENTWISE} {_ALONG} softmax_cross_entropy smooth_labels",
    "transformations": _TRANSFORMATIONS,
}
_PAGE_OF = by_name(_PAGES)


def _link(name: str) -> str | None:
    page = _PAGE_OF.get(name)
    return f"https://optax.readthedocs.io/en/latest/api/{page}.html" if page else None


def _example(name: str) -> str:
    return (
        ">>> import anvl\n"
        ">>> from anvl import optim\n"
        f">>> optimizer = optim.{name}(0.125)\n"
        ">>> params, state = 4.0, optimizer.init(4.0)\n"
        ">>> grads = anvl.grad(lambda x: x**2)(params)\n"
        ">>> updates, state = optimizer.update(grads, state, params)\n"
        ">>> print(optim.apply_updates(params, updates) < params)\n"
        "True"
    )


_EXAMPLES = {name: _example(name) for name in _OPTIMIZERS.split()}

OPTIM = Entries(_PARAMETERS, _OWN, by_name(_RESULTS), _link, _EXAMPLES, fields=_FIELDS)
