"""anvl-lower-to-stablehlo: replace every anvl op by the op its `hlo` names or by its `lower`.

Renames are PDL patterns (0.3 us an op), the rest Python patterns (3 us); both run in MLIR's own
pattern driver.  CHLO ops, to which some anvl ops are renamed, are legalized by MLIR's own pass.
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import Any

from anvl.dialect.control_flow.case import CONTROL_FLOW
from anvl.dialect.core.errors import PassError
from anvl.dialect.core.mlir import ir, rewrite
from anvl.dialect.core.op import AnvlOp
from anvl.dialect.core.op_registry import DEFINED, OPS
from anvl.dialect.ops.linalg.linalg_lowering import LIBRARIES, library_of
from anvl.passes.framework.managers import run_native
from anvl.passes.framework.pass_base import Pass, option
from anvl.passes.framework.walk import Found, find, find_by_name
from anvl.passes.functions.symbol_utils import functions_of
from anvl.passes.lower import (
    barriers,
    choices,
    complex_functions,
    converts,
    divisions,
    large_divisors,
    literal_powers,
    reassociation,
    sort_keys,
    trip_counts,
)
from anvl.passes.lower.call_graph import check_calls
from anvl.passes.lower.library_calls import (
    extreme_loops,
    extremes,
    factors,
    handed_over,
    readers,
    scales,
    summands,
)
from anvl.passes.lower.lowering_patterns import (
    NAME,
    expansions,
    is_users_rename,
    legalize_chlo,
    target_name,
)
from anvl.passes.lower.outlining import Shared
from anvl.passes.lower.pads import diagonal_pads, joined_pads, rotations
from anvl.passes.lower.partitioning import partitioned_pads
from anvl.passes.lower.partitioning.func_shardings import lower_func_shardings
from anvl.passes.lower.partitioning.manual_computations import write_manual_computations
from anvl.passes.lower.platform_forms import write_platform_forms
from anvl.passes.lower.reductions import joined_reductions, short_reductions, wide_sums
from anvl.passes.lower.region_legality import check_bodies
from anvl.passes.lower.stacked_calls import order_stacked_calls
from anvl.passes.lower.xla_cpu.invariant_conditions import mark_invariant_conditions
from anvl.passes.lower.xla_cpu.shared_quotients import share_quotients

__all__ = ["LowerToStablehlo"]

_GUARDED = tuple(
    name
    for guard in (
        barriers, choices, complex_functions, converts, divisions, handed_over, joined_pads,
        large_divisors, literal_powers, partitioned_pads, reassociation, rotations,
        short_reductions, sort_keys, trip_counts,
    )
    for name in guard.NAMES
)  # fmt: skip
_LIBRARIES = (*LIBRARIES, "none")
_MOST_ROUNDS = 32  # composites of composites of composites


@dataclass(frozen=True)
class LowerToStablehlo(Pass, argument=NAME):
    """Turn every anvl op into StableHLO.

    Expects no `anvl.captured` (run anvl-hoist-constants) and no declared transformation (run
    anvl-gradient, anvl-forward, anvl-vectorize, anvl-control-flow).
    Afterwards no anvl op and no CHLO op is left, every function has a body, and calls form no
    cycle.  Linear algebra calls the routines that are registered with the client, or is written
    out.
    """

    anchor = "builtin.module"

    platform: str = option("cpu", help="platform that will run the program, by PJRT's name")
    routines: str = option(
        "",
        help="library that the program may call: lapack, cusolver, hipsolver or none; "
        "the platform's (cpu, cuda, rocm) if empty",
    )
    trigonometric: bool = option(
        False,
        help="whether XLA:CPU computes sines, cosines and tangents in the call for a sum, as from "
        "jaxlib 0.12 on",
    )

    def run(self, module: ir.Operation) -> None:
        # Only bodies written by users need a check; generated ones do not exist before lowering.
        write_manual_computations(NAME, module)
        has_bodies = bool(find(module, *_with_bodies(len(DEFINED))))
        if self.platform != "cpu":
            write_platform_forms(module, self.platform)
        _take_parts(module, len(DEFINED))
        with Shared([*functions_of(module)], self._lower) as shared:
            self._lower(module)
            shared.add_to(module)
        for op in find(module, *CONTROL_FLOW):
            for name in [name for name in op.attributes.keys() if name.startswith("anvl.")]:
                del op.attributes[name]
        if has_bodies:
            check_bodies(NAME, module, self.platform)
        check_calls(NAME, module)
        self._guard(module)
        lower_func_shardings(NAME, module)

    def _library(self) -> str:
        if self.routines not in ("", *_LIBRARIES):
            listed = f"{', '.join(LIBRARIES)} or none"
            raise PassError(NAME, f"routines takes {listed}, got {self.routines!r}")
        return self.routines or library_of(self.platform)

    def _guard(self, module: ir.Operation) -> None:
        """Rewrite ops that XLA would compute wrongly, or crash on."""
        if self.platform == "cpu":
            share_quotients(module)
        found = find_by_name(module, _GUARDED)
        if complex_functions.split_complex_functions(found):
            found = find_by_name(module, _GUARDED)
        # One walk for all other rewrites: none erases an op that a later one visits.
        if self.platform == "cpu" and (
            literal_powers.expand_literal_powers(found) or summands.has_large_sum(found)
        ):
            run_native("func.func(trivial-dce)", module)  # dead ops would count as readers
            found = find_by_name(module, _GUARDED)
        joined_pads.join_pads(found)
        partitioned_pads.rewrite_pads(module, found)
        trip_counts.hide_trip_counts(found)
        converts.rewrite_converts(found)
        divisions.guard_divisions(found)
        if self.platform == "cpu":
            diagonal_pads.choose_diagonals(found)
            barriers.drop_inner_barriers(found)
            barriers.compute_gathered(module, found)
            has_large = handed_over.has_large_reduction(found)
            if has_large:
                extreme_loops.write_extreme_loops(module, found)
            barriers.compute_compared(module, found)
            barriers.compute_broadcast(module, found)
            barriers.separate_names(found)
            short_reductions.unroll_short_reductions(found)
            if has_large:
                self._divide_from_calls(module, found)
        reassociation.guard_reassociation(module, found)
        if self.platform == "cpu":
            large_divisors.guard_large_divisors(found)
            sort_keys.pack_sorts(found)  # last: it erases comparisons
            choices.separate_branches(found)
            rotations.rewrite_rotations(module, found)
            order_stacked_calls(module)
            joined_reductions.join_reductions(module)
            short_reductions.mark_reductions_in_one_loop(module)
            mark_invariant_conditions(module)

    def _divide_from_calls(self, module: ir.Operation, found: Found) -> None:
        """Choose what XLA:CPU computes in its calls for large reductions, and what around them."""
        wide_sums.write_wide_sums(found)
        extremes.guard_extremes(module, found)
        factors.move_factors(found)
        summands.compute_summands(module, found, self.trigonometric)
        scales.separate_scales(module, found)
        readers.keep_readers(found)

    def _lower(self, module: ir.Operation) -> None:
        known = len(DEFINED)  # patterns are kept until there are new ops
        self._lower_once(module, known)
        left, has_chlo = _left(module, known)
        for _ in range(_MOST_ROUNDS):  # a `lower` rule may emit ops of anvl
            if not left:
                break
            names = [op.name for op in left]
            del left  # no handle survives a rewrite
            self._lower_once(module, known)
            left, has_chlo = _left(module, known)
            if names == [op.name for op in left]:
                raise _unlowered(left)
        if left:
            raise _unlowered(left)
        if has_chlo:  # from a user's rule, or from the input text
            legalize_chlo(module)

    def _lower_once(self, module: ir.Operation, known: int) -> None:
        rewrite.walk_and_apply_patterns(module, expansions(self.platform, self._library(), known))
        rewrite.walk_and_apply_patterns(module, _renames(known))


def _take_parts(module: ir.Operation, known: int) -> None:
    """Take results from ops that compute more of the same operand, as derivatives of them do."""
    for op in find(module, *_parts(known)):
        name, position = OPS[op.name].part_of
        whole = next((w for w in _users(op.operands[0], name) if w.block == op.block), None)
        if whole is not None and len(whole.operands) == 1:
            if not whole.is_before_in_block(op):
                whole.move_before(op)
            op.results[0].replace_all_uses_with(whole.results[position])
            op.erase()


def _users(x: ir.Value, name: str) -> list[ir.Operation]:
    return [use.owner.operation for use in x.uses if use.owner.name == name]


@lru_cache(4)
def _parts(known: int) -> tuple[str, ...]:
    return tuple(name for name, op_class in OPS.items() if op_class.part_of[0])


def _left(module: ir.Operation, known: int) -> tuple[list[ir.Operation], bool]:
    """Remaining anvl and user-defined ops; whether CHLO ops remain."""
    chlo = _chlo_names(known)
    found = find(module, *_names(known), *chlo)
    left = [op for op in found if op.name not in chlo]
    return left, len(left) < len(found)


@lru_cache(4)
def _with_bodies(known: int) -> tuple[str, ...]:
    return tuple(name for name, op_class in OPS.items() if op_class.bodies)


@lru_cache(4)
def _names(known: int) -> tuple[str, ...]:
    return tuple(name for name, op_class in OPS.items() if not op_class.borrowed)


def _unlowered(left: list[ir.Operation]) -> PassError:
    first = left[0]
    op_class = OPS[first.name]
    names = ", ".join(sorted({op.name for op in left}))
    why = op_class.why_not_lowered
    if op_class.hlo or op_class.has_rule("lower"):
        why = "lowering what its `lower` rule emits does not terminate"
    return PassError(NAME, f"{names} is left; {why}", str(first.location))


@lru_cache(4)
def _chlo_names(known: int) -> tuple[str, ...]:
    named = (name for op in OPS.values() for name in (op.hlo, op.lifts))
    return tuple(name for name in named if name and name.startswith("chlo."))


# -- renames ---------------------------------------------------------------------------------------


@lru_cache(4)
def _renames(known: int) -> Any:
    """One frozen set of PDL patterns for all ops of this library that name their StableHLO op.

    `known`, the number of ops, is the cache key: with a new op, the set is rebuilt.
    """
    text = "\n".join(
        pattern
        for op_class in OPS.values()
        if op_class.hlo is not None and not op_class.hlo.startswith("chlo.")
        if not is_users_rename(op_class)
        for pattern in _rename(op_class)
    )
    module = ir.Module.parse(text)  # must outlive `freeze`
    return rewrite.PDLModule(module).freeze()


def _rename(op_class: type[AnvlOp]) -> list[str]:
    """One pattern for each choice of optional attributes; those with more come first."""
    required = [name for name, kind in op_class.attribute_params.items() if not kind.optional]
    optional = [name for name, kind in op_class.attribute_params.items() if kind.optional]
    return [
        _pdl(op_class, [*required, *some], benefit=1 + n)
        for n in range(len(optional), -1, -1)
        for some in combinations(optional, n)
    ]


def _pdl(op_class: type[AnvlOp], attributes: list[str], benefit: int) -> str:
    name = op_class.OPERATION_NAME
    target = target_name(op_class)
    declared = "\n".join(f"  %a{i} = pdl.attribute" for i in range(len(attributes)))
    listed = ", ".join(f'"{key}" = %a{i}' for i, key in enumerate(attributes))
    braces = f" {{{listed}}}" if listed else ""
    # Without operands or attributes to name, a range of none would not match: PDL infers both.
    return f"""
pdl.pattern @{"_".join([*name.split("."), *attributes])} : benefit({benefit}) {{
{declared}
  %xs = pdl.operands
  %types = pdl.types
  %op = pdl.operation "{name}"(%xs : !pdl.range<value>){braces} -> (%types : !pdl.range<type>)
  pdl.rewrite %op {{
    %new = pdl.operation "{target}"(%xs : !pdl.range<value>){braces} -> (%types : !pdl.range<type>)
    pdl.replace %op with %new
  }}
}}"""
