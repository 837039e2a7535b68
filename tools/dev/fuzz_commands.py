"""The commands that `fuzz_text` gives its inputs to: every tool that reads a program.

command = drawn_command(random.Random(7), content)
command.tool, command.arguments
"""

import json
import random
import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple
from xml.etree import ElementTree

__all__ = ["TOOLS", "Command", "Tool", "drawn_command", "malformed"]


class Command(NamedTuple):
    """A tool and its arguments, to which the file of the program is added."""

    tool: str
    arguments: tuple[str, ...]

    def __str__(self) -> str:
        return " ".join((self.tool, "FILE", *(f"'{x}'" for x in self.arguments)))


class Tool(NamedTuple):
    """How a tool is called and how it ends."""

    module: str
    of_error: int  # the exit code that needs a diagnostic; lower ones are answers
    seconds: int  # of a processor, within which it ends
    share: int  # of the inputs, relative to the other tools


TOOLS: Mapping[str, Tool] = {
    "anvl-opt": Tool("anvl.tools.opt.main", 1, 10, 12),
    "anvl-diff": Tool("anvl.tools.diff.diff_tool", 2, 10, 3),
    "anvl-viz": Tool("anvl.tools.viz.viz_tool", 1, 10, 3),
    "anvl-run": Tool("anvl.tools.run.run_tool", 1, 10, 3),
    "anvl-plan": Tool("anvl.tools.plan.plan_tool", 1, 10, 1),
    "anvl-reduce": Tool("anvl.tools.reduce.reduce_tool", 1, 60, 1),  # of many candidates
}

#: Pipelines of the documentation; `NAME` is a function of the text.
_PASSES: tuple[tuple[str, ...], ...] = (
    ("--cse", "--canonicalize"),
    ("--anvl-lift", "--anvl-gradient=function=NAME", "--anvl-control-flow",
     "--anvl-lower-to-stablehlo"),
    ("--anvl-gradient=function=NAME", "--cse", "--anvl-lower-to-stablehlo"),
    ("--anvl-gradient=function=NAME split", "--anvl-simplify"),
    ("--anvl-gradient=function=NAME transpose",),
    ("--anvl-vectorize=function=NAME size=3", "--anvl-simplify"),
    ("--anvl-remat=function=NAME budget=100", "--anvl-gradient=function=NAME"),
    ("--anvl-check-differentiable=function=NAME",),
    ("--anvl-probe=function=NAME",),
    ("--anvl-hoist-constants=report",),
    ("--anvl-lift", "--stablehlo-aggressive-simplification"),
    ("JIT",),
)  # fmt: skip
_ARGUMENTS: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "anvl-opt": (
        (), *_PASSES,
        ("--anvl-forward=function=NAME", "--anvl-print-adjoint-map"),
        ("--verify-roundtrip", "--mlir-print-debuginfo"),
        ("--split-input-file", "--anvl-lower-to-stablehlo"),
    ),
    "anvl-diff": tuple(
        (*passes, *flags)
        for passes in _PASSES
        for flags in (("--json",), ("--each",), ("--ignore-order",))
    ),
    "anvl-viz": (
        (), ("--format=svg",), ("--format=dot",), ("--format=mermaid", "--fold=3"),
        *_PASSES, *((*passes, "--format=svg") for passes in _PASSES),
    ),
    "anvl-run": (
        ("--function=NAME", "--random-seed=1", "--timeout=5"),
        ("--function=NAME", "--random-seed=1", "--timeout=5", "--executor=interpreter"),
        ("--function=NAME", "--random-seed=1", "--timeout=5", "--compare=plugin,interpreter",
         "--rtol=1", "--atol=1e30"),
        ("--args=[]", "--timeout=5"),
    ),
    "anvl-plan": (
        ("--function=NAME",), ("--function=NAME", "--plan=mesh=x:2 arg0=x", "--collectives"),
    ),
    "anvl-reduce": (
        ("--crashes=anvl-lower-to-stablehlo", "--timeout=2"),
        ("--crashes=anvl-gradient{function=NAME}", "--timeout=2"),
        ("--differs=canonicalize,cse", "--timeout=2", "--executor=interpreter"),
    ),
}  # fmt: skip


def drawn_command(draw: random.Random, content: bytes) -> Command:
    """A random command for a program."""
    tools = list(TOOLS)
    (tool,) = draw.choices(tools, [TOOLS[name].share for name in tools])
    return Command(tool, _filled(draw.choice(_ARGUMENTS[tool]), content))


def _filled(arguments: Sequence[str], content: bytes) -> tuple[str, ...]:
    """The arguments with a function of the program for `NAME`, and the pipeline of `jit`."""
    from anvl.passes.pipelines.jit_pipeline import pipeline as of_jit

    found = re.search(rb"@([\w$.\-]+)", content)
    name = found[1].decode() if found else "main"
    filled = (f"--pass-pipeline={of_jit()}" if x == "JIT" else x for x in arguments)
    return tuple(x.replace("NAME", name) for x in filled)


def _is_json(output: bytes) -> None:
    json.loads(output)


def _is_xml(output: bytes) -> None:
    ElementTree.fromstring(output)


_READERS: Mapping[str, Callable[[bytes], None]] = {"--json": _is_json, "--format=svg": _is_xml}


def malformed(command: Command, output: bytes) -> str:
    """Why an output is not in the format that the command asks for; `""` if it is."""
    for flag, read in _READERS.items():
        if flag in command.arguments:
            try:
                read(output)
            except (ValueError, ElementTree.ParseError) as error:
                return f"malformed output of {command.tool} {flag}: {type(error).__name__}"
    return ""
