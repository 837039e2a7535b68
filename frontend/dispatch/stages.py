"""`jit(f).lower(*args)`: a program at every stage, as text, and compiled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from anvl import tree
from anvl.core.promote import abstract, number_value
from anvl.core.ranges import ranges_of
from anvl.core.traced import Traced
from anvl.dialect.core.mlir import ir
from anvl.dialect.text.hlo_lines import LineStatistics, line_statistics
from anvl.dispatch.executables import Program, executable_of
from anvl.dispatch.interpreted_executable import INTERPRETER
from anvl.dispatch.jit_options import DEFAULT, ProgramOptions
from anvl.dispatch.lowering import (
    STAGES,
    Stages,
    captured_name,
    captured_order,
    captured_types,
    copied,
    serialize,
)
from anvl.dispatch.partitioning.over_mesh import OverMesh, mark_shardings
from anvl.dispatch.programs.compilation import serialized
from anvl.runtime import (
    Array,
    ArrayType,
    Executable,
    Placement,
    ShardedPlacement,
    array_type,
    chosen_placement,
    embedded_client,
    embedded_target,
    hide_frames,
    make_dispatch,
    put,
)

__all__ = ["Compiled", "Lowered", "module_text"]


def module_text(module: ir.Module, debug_info: bool = False) -> str:
    """Text of a module, with Python's names for SSA values where they are known."""
    return module.operation.get_asm(
        use_name_loc_as_prefix=True,
        assume_verified=True,
        enable_debug_info=debug_info,
        pretty_debug_info=False,
    )


class Lowered:
    """A lowered function for given arguments, at every stage from anvl ops to StableHLO."""

    def __init__(
        self,
        traced: Traced,
        options: ProgramOptions = DEFAULT,
        places: Sequence[Placement | None] | None = None,
    ) -> None:
        self._traced, self._options = traced, options
        program = traced.program
        # None is jaxlib's own client, which lowering does not need.
        self._place = options.place or program.placement or chosen_placement()
        places = places or [None] * len(traced.in_avals)
        self._places = [self._place] * len(places)
        self._results: OverMesh | None = None
        if isinstance(self._place, ShardedPlacement):
            self._places = [self._place if place is None else place for place in places]
            self._results = mark_shardings(
                program, self._key(), self._place, options, traced.out_avals, traced.out_tree
            )
        if options.interpreted:
            target = INTERPRETER
        else:
            target = self._place.client.target if self._place else embedded_target()
        self._stages = Stages(
            program.module, program.captured, target, options.donated, options.pad(), options.roll,
            program.stacked,
        )  # fmt: skip

    def _key(self) -> list[ArrayType]:
        """The types of the arguments, where the program runs."""
        avals = self._traced.in_avals
        first = embedded_client().devices[0].placement
        return [
            array_type(a.shape, a.dtype, place or first, a.weak_type)
            for a, place in zip(avals, self._places, strict=True)
        ]

    def mlir(self, stage: str = "stablehlo", *, debug_info: bool = False) -> str:
        """The program after a stage, as MLIR text.

        The text parses back: save it and give it to `anvl-opt`.

        Parameters
        ----------
        stage : str
            "anvl", "roll", "gradient", "forward", "vectorize", "inline", "pad", "constants" or
            "stablehlo".
        debug_info : bool
            Whether to add the Python line of each op.

        Raises
        ------
        ValueError
            Another stage.
        """
        return module_text(self._stages[self._stage("mlir", stage)], debug_info)

    def constants(self, stage: str = "stablehlo") -> dict[str, Array]:
        """The captured arrays, as they were read, by their names in the text of a stage.

        From the stage "constants" on these are `c1`, ..., in the order of the leading arguments
        that they become; arrays of one element, and unused ones, are not among them.  Before, they
        are `captured0`, ... for `anvl.captured {index = 0}`.  What `numpy.savez`
        writes of them, `anvl.load` and `anvl-run` read beside the text.

        Parameters
        ----------
        stage : str
            A stage, as for `mlir`.

        Raises
        ------
        ValueError
            Another stage.

        >>> import anvl, numpy
        >>> table = numpy.arange(3.0)
        >>> anvl.jit(lambda x: x * table).lower(2.0).constants()
        {'c1': Array([0., 1., 2.], dtype=float64)}
        """
        stage = self._stage("constants", stage)
        captured = self._traced.program.captured
        if stage in ("constants", "stablehlo"):
            order = captured_order(self._stages["stablehlo"])
            found = {f"c{n + 1}": captured[i] for n, i in enumerate(order)}
        else:
            indices = sorted(captured_types(self._stages[stage].operation))
            found = {captured_name(i): captured[i] for i in indices}
        return {name: x if isinstance(x, Array) else put(x) for name, x in found.items()}

    def _stage(self, function: str, stage: str) -> str:
        """The name of a stage, checked; without buckets nothing is padded after inlining."""
        if stage not in STAGES:
            listed = "; ".join(f"{name}: {what}" for name, what in STAGES.items())
            raise ValueError(f"{function}: there is no stage {stage!r}; {listed}")
        if stage in self._stages:
            return stage
        return {"pad": "inline", "roll": "anvl"}[stage]

    def report(self) -> str:
        """Describe what was cast and what was rolled, and why other ops stayed, a line for each.

        Cast are the contractions in `anvl.mixed_precision`; rolled is what repeats.

        Examples
        --------
        >>> import anvl, anvl.numpy as np
        >>> def steps(x):
        ...     for _ in range(100):
        ...         x = np.sin(x) + 0.1
        ...     return x
        >>> print(anvl.jit(steps).lower(anvl.aval("f32", (64,))).report().partition(" at ")[0])
        100 repetitions of 2 ops
        """
        return "\n".join(map(str, self._stages.report())) or "nothing repeats"

    def artifact(self) -> bytes:
        """The StableHLO program as a portable artifact."""
        client = self._place.client if self._place else None
        return serialize(copied(self._stages["stablehlo"]), client=client)

    def __repr__(self) -> str:
        inputs = ", ".join(map(repr, self._traced.in_avals))
        outputs = ", ".join(map(repr, self._traced.out_avals))
        return f"<Lowered ({inputs}) -> ({outputs})>"

    def _repr_html_(self) -> str:
        """The stages, with their graphs and the Python lines, in a notebook."""
        from anvl.dispatch.notebook import notebook_html  # 10 ms that only notebooks need

        return notebook_html(repr(self), self._stages.items())

    def compile(self) -> Compiled:
        """Compile for the device of the function, of what it closes over, or the default one."""
        return Compiled(self)


class Compiled:
    """A compiled function for arguments of given dtypes and shapes; call it with arrays."""

    def __init__(self, lowered: Lowered) -> None:
        traced = lowered._traced
        place = lowered._place or embedded_client().devices[0].placement
        self._traced, self._place = traced, place
        program, options = traced.program, lowered._options
        module = copied(lowered._stages["stablehlo"])
        made = serialized(module, program, place, options, traced.out_avals, lowered._results)
        signature = lowered._key(), traced.out_avals, traced.names
        known = executable_of(made, program, *signature, place, options)
        assert known is not None  # it was just made
        self.executable: Executable
        self.executable, constants = known
        ranges = ranges_of(traced.program)
        self._program = Program(
            self.executable,
            constants,
            traced.out_tree,
            traced.names,
            ranges,
            state=made.state,
            padding=made.padding,
        )
        self._function = lowered._options.function
        self._n_arrays = traced.in_tree.num_leaves
        # Positional arrays alone take the path of `jit`: a third of the time.
        self._call: Any = None
        if made.padding is None and traced.in_tree == tree.structure(((0,) * self._n_arrays, {})):
            dispatch = make_dispatch(self._n_arrays, self._slow)
            dispatch.install(self.executable.arg_types[len(made.order) :], self._program.entry())
            self._call = dispatch.call

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:  # in place of `hiding_frames`, which costs a call
            if kwargs or self._call is None or len(args) != self._n_arrays:
                return self._slow(*args, **kwargs)
            return self._call(*args)
        except Exception as error:
            hide_frames(error)
            raise

    def _slow(self, *args: Any, **kwargs: Any) -> Any:
        leaves, treedef = tree.flatten((args, kwargs))
        if treedef != self._traced.in_tree:
            raise TypeError(
                f"{self._function}: was compiled for arguments of another structure: "
                f"{_difference(self._traced, treedef)}"
            )
        arrays = [self._checked(x, i) for i, x in enumerate(leaves)]
        return self._program.run(arrays)

    def _checked(self, x: Any, i: int) -> Array:
        kind = self.executable.arg_types[len(self._program.constants) + i]
        if isinstance(x, Array):
            is_joined = isinstance(kind.placement, ShardedPlacement)
            return put(x, kind.placement) if is_joined else x
        of = abstract(x, f"compiled: argument {self._traced.names[i]}")
        value = number_value(x, of) if of.weak_type else x
        return put(value, kind.placement, weak_type=of.weak_type)

    def hlo(self) -> str:
        """The program after XLA's own passes."""
        return self.executable.hlo_text()

    def line_statistics(self) -> list[LineStatistics]:
        """By source line: instructions, and bytes of the results that they write to memory.

        Read from `hlo()`: XLA keeps a line for most instructions.  The result of a fusion counts
        for the line of its last op.  The lines that write most come first.

        Examples
        --------
        >>> import anvl, anvl.numpy as np
        >>> x = anvl.aval("f32", (256,))
        >>> compiled = anvl.jit(lambda x: np.sin(x) * 2).lower(x).compile()
        >>> compiled.line_statistics()[0].bytes_written
        1024
        """
        return line_statistics(self.hlo())

    def memory_stats(self) -> dict[str, int]:
        """Bytes of arguments, results, temporaries and code, as counted by the compiler."""
        return self.executable.memory_stats()

    def cost_analysis(self) -> dict[str, float]:
        """Operations and bytes, as counted by the compiler."""
        return self.executable.cost_analysis()


def _difference(traced: Traced, found: Any) -> str:
    """How the structure of a call, positional and keyword arguments, differs from the traced."""
    sides = [[side.children() for side in both.children()] for both in (traced.in_tree, found)]
    keywords = [both.children()[1].node_data()[1] for both in (traced.in_tree, found)]
    if len(sides[0][0]) != len(sides[1][0]) or keywords[0] != keywords[1]:
        counts = [
            " and ".join([f"{len(args)} by position", *map(str, names)])
            for (args, _), names in zip(sides, keywords, strict=True)
        ]
        return f"it takes {counts[0]}, and got {counts[1]}"
    names, told = iter(traced.names), []
    for of, given in zip([*sides[0][0], *sides[0][1]], [*sides[1][0], *sides[1][1]], strict=True):
        paths = tree.leaf_paths(of, root="")
        leaves = [next(names) for _ in paths]
        root = leaves[0].removesuffix(paths[0]) if leaves else ""
        told.append(tree.structure_difference(of, given, root))
    return "; ".join(filter(None, told))
