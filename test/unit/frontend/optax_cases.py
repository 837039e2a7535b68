"""Optimizers, schedules and losses that are compared with optax: each a function of the library.

`optax_numbers.json` holds what optax 0.2.8 on jax 0.10.2 with 64 bits gives for each: the
parameters after 5 steps down `loss` from `START`, the values at steps 0 to 11, the losses.
"""

import numpy as np

START = {"b": np.asarray(0.4), "w": np.asarray([0.5, -1.2, 2.0])}

CASES = {
    "sgd": lambda o: o.sgd(0.05),
    "momentum": lambda o: o.sgd(0.05, momentum=0.9),
    "nesterov": lambda o: o.sgd(0.05, momentum=0.9, nesterov=True),
    "adam": lambda o: o.adam(0.05),
    "nadam": lambda o: o.nadam(0.05),
    "adam_root": lambda o: o.adam(0.05, 0.8, 0.95, 1e-3, 1e-2),
    "adamw": lambda o: o.adamw(0.05, weight_decay=0.1),
    "adamw_mask": lambda o: o.adamw(0.05, weight_decay=0.1, mask={"w": True, "b": False}),
    "nadamw": lambda o: o.nadamw(0.05),
    "adamax": lambda o: o.adamax(0.05),
    "adamaxw": lambda o: o.adamaxw(0.05, weight_decay=0.1),
    "amsgrad": lambda o: o.amsgrad(0.05),
    "radam": lambda o: o.radam(0.05, b2=0.9),
    "adabelief": lambda o: o.adabelief(0.05),
    "yogi": lambda o: o.yogi(0.05),
    "lion": lambda o: o.lion(0.05),
    "lamb": lambda o: o.lamb(0.05, weight_decay=0.1),
    "lars": lambda o: o.lars(0.05, 0.1),
    "rmsprop": lambda o: o.rmsprop(0.05),
    "rmsprop_centered": lambda o: o.rmsprop(
        0.05, centered=True, momentum=0.5, eps_in_sqrt=False, initial_scale=0.5
    ),
    "rmsprop_biased": lambda o: o.rmsprop(0.05, bias_correction=True, momentum=0.9, nesterov=True),
    "adagrad": lambda o: o.adagrad(0.05),
    "adadelta": lambda o: o.adadelta(0.5, weight_decay=0.1),
    "sign_sgd": lambda o: o.sign_sgd(0.05),
    "signum": lambda o: o.signum(0.05),
    "clip": lambda o: o.chain(o.clip(0.5), o.sgd(0.1)),
    "clip_norm": lambda o: o.chain(o.clip_by_global_norm(0.5), o.sgd(0.1)),
    "block_rms": lambda o: o.chain(o.clip_by_block_rms(0.5), o.sgd(0.1)),
    "agc": lambda o: o.chain(o.adaptive_grad_clip(0.1), o.sgd(0.1)),
    "schedule": lambda o: o.adam(o.warmup_cosine_decay_schedule(0.0, 0.1, 2, 6, 0.01)),
    "decay_schedule": lambda o: o.chain(
        o.add_decayed_weights(o.linear_schedule(0.1, 0.0, 4)), o.sgd(0.1)
    ),
    "ema": lambda o: o.chain(o.ema(0.8), o.sgd(0.1)),
    "multi_steps": lambda o: o.MultiSteps(o.adam(0.05), 2, accumulator_dtype="float64"),
    "multi_steps_sum": lambda o: o.MultiSteps(
        o.sgd(0.05), 3, use_grad_mean=False, accumulator_dtype="float64"
    ),
    "masked": lambda o: o.masked(o.sgd(0.1), {"w": False, "b": True}),
    "partition": lambda o: o.partition(
        {"a": o.adam(0.1), "z": o.set_to_zero()}, {"w": "a", "b": "z"}
    ),
    "injected": lambda o: o.inject_hyperparams(o.adam)(
        learning_rate=o.exponential_decay(0.1, 2, 0.5), b1=0.8
    ),
    "apply_every": lambda o: o.chain(o.sgd(0.1), o.apply_every(2)),
    "normalize": lambda o: o.chain(o.normalize_by_update_norm(), o.sgd(0.1)),
    "trust": lambda o: o.chain(o.scale_by_param_block_norm(), o.sgd(0.1)),
    "trust_rms": lambda o: o.chain(o.scale_by_param_block_rms(), o.sgd(0.1)),
    "lbfgs_plain": lambda o: o.lbfgs(0.5, memory_size=3, linesearch=None),
    "if_finite": lambda o: o.apply_if_finite(o.adam(0.05), 3),
    "nonnegative": lambda o: o.chain(o.sgd(0.3), o.keep_params_nonnegative()),
    "conditionally": lambda o: o.conditionally_transform(o.scale(-0.1), lambda step: step % 2 == 0),
}
SCHEDULES = {
    "constant": lambda o: o.constant_schedule(0.3),
    "polynomial": lambda o: o.polynomial_schedule(1.0, 0.1, 2.5, 7, 2),
    "linear": lambda o: o.linear_schedule(1.0, 0.1, 8),
    "piecewise": lambda o: o.piecewise_constant_schedule(1.0, {3: 0.5, 7: 0.1}),
    "exponential": lambda o: o.exponential_decay(1.0, 3, 0.5, 2),
    "staircase": lambda o: o.exponential_decay(1.0, 3, 0.5, 2, True, 0.2),
    "growing": lambda o: o.exponential_decay(1.0, 3, 1.5, end_value=2.0),
    "cosine": lambda o: o.cosine_decay_schedule(1.0, 9, 0.1, 1.5),
    "one_cycle": lambda o: o.linear_onecycle_schedule(10, 1.0),
    "cosine_one_cycle": lambda o: o.cosine_onecycle_schedule(10, 1.0),
    "warmup": lambda o: o.warmup_constant_schedule(0.1, 1.0, 4),
    "warmup_cosine": lambda o: o.warmup_cosine_decay_schedule(0.1, 1.0, 3, 9, 0.2),
    "warmup_exponential": lambda o: o.warmup_exponential_decay_schedule(0.1, 1.0, 3, 2, 0.5),
    "sgdr": lambda o: o.sgdr_schedule(
        [
            dict(init_value=0.0, peak_value=1.0, warmup_steps=1, decay_steps=4),
            dict(init_value=0.0, peak_value=0.5, warmup_steps=2, decay_steps=6),
        ]
    ),
    "interpolated": lambda o: o.piecewise_interpolate_schedule("cosine", 1.0, {3: 0.5, 7: 3.0}),
}
X = np.asarray([[0.3, -1.2, 2.0], [0.1, 0.2, -0.5]])
L = np.asarray([[0.2, 0.5, 0.3], [0.0, 1.0, 0.0]])
CLASSES = np.asarray([2, 0])
S = np.asarray([[1.0, -1.0, 1.0], [-1.0, 1.0, 1.0]])
LOSSES = {
    "l2_loss": lambda o: o.losses.l2_loss(X, L),
    "squared_error": lambda o: o.losses.squared_error(X, L),
    "huber_loss": lambda o: o.losses.huber_loss(X, L, delta=0.7),
    "log_cosh": lambda o: o.losses.log_cosh(X, L),
    "cosine_similarity": lambda o: o.losses.cosine_similarity(X, L),
    "cosine_distance": lambda o: o.losses.cosine_distance(X, L, axis=0, epsilon=0.3),
    "sigmoid_binary_cross_entropy": lambda o: o.losses.sigmoid_binary_cross_entropy(X, L),
    "sigmoid_focal_loss": lambda o: o.losses.sigmoid_focal_loss(X, L, alpha=0.3, gamma=1.5),
    "hinge_loss": lambda o: o.losses.hinge_loss(X, S),
    "perceptron_loss": lambda o: o.losses.perceptron_loss(X, S),
    "softmax_cross_entropy": lambda o: o.losses.softmax_cross_entropy(X, L),
    "softmax_cross_entropy_axis": lambda o: o.losses.softmax_cross_entropy(X, L, axis=0),
    "integer_labels": lambda o: o.losses.softmax_cross_entropy_with_integer_labels(X, CLASSES),
    "safe_softmax_cross_entropy": lambda o: o.losses.safe_softmax_cross_entropy(X, L),
    "poly_loss_cross_entropy": lambda o: o.losses.poly_loss_cross_entropy(X, L, epsilon=1.5),
    "kl_divergence": lambda o: o.losses.kl_divergence(X, L),
    "kl_log": lambda o: o.losses.kl_divergence_with_log_targets(X, X * 0.5),
    "generalized": lambda o: o.losses.generalized_kl_divergence(X, L),
    "multiclass_hinge": lambda o: o.losses.multiclass_hinge_loss(X, CLASSES),
    "multiclass_perceptron": lambda o: o.losses.multiclass_perceptron_loss(X, CLASSES),
    "smooth_labels": lambda o: o.losses.smooth_labels(L, 0.1),
}
