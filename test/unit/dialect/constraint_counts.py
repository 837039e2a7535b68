"""How many inputs and constraints StableHLO's specification numbers for each op.

Version 1.17: `docs/spec.md` is the same at the tags v1.16.3 and v1.18.0, between which it lies.
"I3" is the third input, "C3" the third constraint.
"""

__all__ = ["ABSENT", "CHLO", "CHLO_ABSENT", "COUNTS", "OTHERWISE", "UNTESTED"]

# op: (inputs, constraints)
COUNTS: dict[str, tuple[int, int]] = {
    "abs": (1, 2), "add": (2, 7), "and": (2, 1), "atan2": (2, 1), "batch_norm_grad": (7, 5),
    "batch_norm_inference": (7, 7), "batch_norm_training": (5, 7), "bitcast_convert": (1, 2),
    "broadcast_in_dim": (2, 6), "cbrt": (1, 1), "ceil": (1, 1), "cholesky": (2, 3),
    "clamp": (3, 4), "compare": (4, 3), "complex": (2, 3), "concatenate": (2, 6),
    "constant": (1, 1), "convert": (1, 1), "convolution": (19, 34), "cosine": (1, 1),
    "count_leading_zeros": (1, 1), "custom_call": (7, 0), "divide": (2, 1),
    "dot_general": (14, 24), "dynamic_slice": (3, 5), "dynamic_update_slice": (3, 6),
    "exponential": (1, 1), "exponential_minus_one": (1, 1), "fft": (3, 5), "floor": (1, 1),
    "gather": (10, 23), "get_dimension_size": (2, 1), "imag": (1, 2), "iota": (1, 1),
    "is_finite": (1, 1), "log": (1, 1),
    "log_plus_one": (1, 1), "logistic": (1, 1), "map": (3, 4), "maximum": (2, 1),
    "minimum": (2, 1), "multiply": (2, 1), "negate": (1, 1), "not": (1, 1),
    "optimization_barrier": (1, 1), "or": (2, 1), "pad": (5, 4), "popcnt": (1, 1),
    "power": (2, 1), "real": (1, 2), "reduce": (4, 8), "reduce_precision": (3, 3),
    "reduce_window": (8, 16), "remainder": (2, 1), "reshape": (1, 3), "reverse": (2, 3),
    "rng_bit_generator": (2, 2), "round_nearest_afz": (1, 1), "round_nearest_even": (1, 1),
    "rsqrt": (1, 1), "scatter": (12, 25), "select": (3, 2), "select_and_scatter": (8, 12),
    "shift_left": (2, 1), "shift_right_arithmetic": (2, 1), "shift_right_logical": (2, 1),
    "sign": (1, 1), "sine": (1, 1), "slice": (4, 5), "sort": (4, 5), "sqrt": (1, 1),
    "subtract": (2, 1), "tan": (1, 1), "tanh": (1, 1), "transpose": (2, 4),
    "triangular_solve": (6, 4), "xor": (2, 1),
}  # fmt: skip

_MANY = "of several devices"
_SIZES = "of sizes that are known when it runs only; shapes are static"
_BRANCH = "StableHLO verifies its own `if` and `case`; loops are functions with rules"
_IO = "of a host's queues, tokens and tuples"

# Ops of the specification that the dialect does not have.
ABSENT: dict[str, str] = {
    **dict.fromkeys(
        ("collective_broadcast", "partition_id", "replica_id"), _MANY),
    **dict.fromkeys(
        ("dynamic_broadcast_in_dim", "dynamic_conv", "dynamic_gather", "dynamic_iota",
         "dynamic_pad", "dynamic_reshape"), _SIZES),
    **dict.fromkeys(("case", "if", "while"), _BRANCH),
    **dict.fromkeys(
        ("after_all", "async_done", "async_start", "get_tuple_element", "infeed", "outfeed",
         "recv", "send", "tuple"), _IO),
    "composite": "a call with a name for compilers; calls are func.call",
    "rng": "deprecated; rng_bit_generator",
    "uniform_dequantize": "of quantized types", "uniform_quantize": "of quantized types",
}  # fmt: skip

# Ops of ours by the names of others: these take axes by name, and the lowering writes the groups
# of devices that the specification's constraints are about.
OTHERWISE = ("all_gather", "all_reduce", "all_to_all", "collective_permute", "reduce_scatter")

# The ops of CHLO (torch-mlir 20261001), for which there is no list of constraints.
CHLO = (
    "acos acosh asin asinh atan atanh bessel_i1e conj constant cosh digamma erf erf_inv erfc "
    "is_inf is_neg_inf is_pos_inf lgamma mulhi next_after polygamma ragged_dot sinh square tan "
    "top_k zeta"
).split()
_IMPLICIT = "operands are broadcast by ops of their own, so that there is one of each"
CHLO_ABSENT: dict[str, str] = {
    **dict.fromkeys(
        ("broadcast_add", "broadcast_and", "broadcast_atan2", "broadcast_compare",
         "broadcast_complex", "broadcast_divide", "broadcast_maximum", "broadcast_minimum",
         "broadcast_multiply", "broadcast_next_after", "broadcast_or", "broadcast_polygamma",
         "broadcast_power", "broadcast_remainder", "broadcast_select", "broadcast_shift_left",
         "broadcast_shift_right_arithmetic", "broadcast_shift_right_logical",
         "broadcast_subtract", "broadcast_xor", "broadcast_zeta"), _IMPLICIT),
    "_asin_acos_kernel": "a step of CHLO's own expansions",
    "constant_like": "a constant of a shape that is known when it runs only",
    "scan": _BRANCH,
}  # fmt: skip

_QUANTIZED = "of quantized types, which anvl has none of"
_ANY = "any tensor: all arrays are, and text without one is refused of all ops in one test"
_ALGORITHM = "an attribute as it is: StableHLO's verifier reads its fields"


def _reasons(op: str, rules: str, reason: str) -> dict[tuple[str, str], str]:
    return {(op, rule): reason for rule in rules.split()}


# What has no row, and why.
UNTESTED: dict[tuple[str, str], str] = {
    **_reasons("add", "C2 C3 C4 C5 C6 C7", _QUANTIZED),
    **_reasons("add", "I1", _ANY),
    **_reasons("multiply", "I1", _ANY),
    **_reasons("bitcast_convert", "I1", _ANY),
    **_reasons("broadcast_in_dim", "I1", _ANY),
    **_reasons("broadcast_in_dim", "C6", _QUANTIZED),
    **_reasons("cholesky", "I2", "ours is always lower: the parameter is not there"),
    **_reasons("clamp", "I1 I3", "a bound has the operand's dtype (C3)"),
    **_reasons("compare", "I1 I2", _ANY),
    **_reasons("compare", "I4", "ours follows from the dtype; TOTALORDER is not offered"),
    **_reasons("concatenate", "I1", _ANY),
    **_reasons("constant", "C1", "the result's type is the value's"),
    **_reasons("convert", "I1", _ANY),
    **_reasons("convolution", "C28 C29 C30 C31 C32 C33 C34", _QUANTIZED),
    **_reasons("convolution", "I1 I2", _ANY),
    **_reasons("custom_call", "I1", _ANY),
    **_reasons("custom_call", "I6 I7", "an attribute as it is; StableHLO's verifier reads it"),
    **_reasons("dot_general", "C14 C15 C16 C17 C18 C19 C20", _QUANTIZED),
    **_reasons("dot_general", "C21 C22 C23 C24 I9 I10 I11 I12 I13 I14", _ALGORITHM),
    **_reasons("dot_general", "I1 I2", _ANY),
    **_reasons("dynamic_slice", "I1", _ANY),
    **_reasons("dynamic_update_slice", "I2", _ANY),
    **_reasons("gather", "I1", _ANY),
    **_reasons("map", "I1", _ANY),
    **_reasons("optimization_barrier", "I1", _ANY),
    **_reasons("pad", "I1", _ANY),
    **_reasons("reduce", "I1", _ANY),
    **_reasons("reduce_window", "I1", _ANY),
    **_reasons("reshape", "I1", _ANY),
    **_reasons("reshape", "C3", _QUANTIZED),
    **_reasons("reverse", "I1", _ANY),
    **_reasons("scatter", "I1 I3", _ANY),
    **_reasons("select", "I2 I3", _ANY),
    **_reasons("select_and_scatter", "I1 I2", _ANY),
    **_reasons("get_dimension_size", "I1", _ANY),
    **_reasons("slice", "I1", _ANY),
    **_reasons("sort", "I1", _ANY),
    **_reasons("transpose", "I1", _ANY),
    **_reasons("transpose", "C4", _QUANTIZED),
}
