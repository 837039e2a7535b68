"""The command line of `anvl-opt`: its flags, and what they say together.

An unknown flag is a pass, in the order given: `--cse`, `--anvl-gradient="function=main wrt=0"`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from anvl.tools.io.command_line import EVERYTHING, Flag, UsageError, defaults
from anvl.tools.io.command_line import parse as parsed

__all__ = ["FLAGS", "QUESTIONS", "VALIDATIONS", "Settings", "parse"]

SPLIT_MARKER = "// -----"
#: The flags that ask about the tool itself, and read no input.
QUESTIONS = ("help", "version", "list-passes", "list-ops", "irdl", "show-dialects")

#: The flags that execute the module around every pass; one at a time.
VALIDATIONS = ("anvl-validate-each", "anvl-bisect")
_VALIDATION = "functions=f,g inputs=N seed=N rtol=X atol=X executor=plugin|interpreter seconds=X"

FLAGS = (
    Flag(
        "help",
        "show this text, or the options of one pass (-h: the same)",
        "optional",
        None,
        "PASS",
        EVERYTHING,
    ),
    Flag("version", "show the versions of anvl and of its dependencies"),
    Flag("list-passes", "list all passes"),
    Flag("show-dialects", "list the dialects that can be read"),
    Flag("list-ops", "list all ops, with those of the files loaded"),
    Flag("irdl", "print the dialects that Python classes declare, for `mlir-opt --irdl-file=`"),
    Flag("load", "run FILE, a Python file that defines ops or passes", "paths", metavar="FILE"),
    Flag("irdl-file", "declare the dialects of FILE, which is IRDL", "value", None, "FILE"),
    Flag("o", "write to FILE, which stays as it was if anything fails", "value", "-", "FILE"),
    Flag(
        "pass-pipeline",
        'the pipeline to run, as in "builtin.module(a{x=1},b)"',
        "value",
        None,
        "TEXT",
    ),
    Flag("p", "the same, short", "value", None, "TEXT"),
    Flag("dump-pass-pipeline", "print the pipeline that will be run to stderr"),
    Flag("allow-unregistered-dialect", "accept operations of unknown dialects"),
    Flag("no-implicit-module", "the input is one op, such as a function, and gets no module"),
    Flag(
        "split-input-file",
        f"process each part between lines of MARKER (`{SPLIT_MARKER}`) on its own",
        "optional",
        None,
        "MARKER",
        SPLIT_MARKER,
    ),
    Flag(
        "output-split-marker",
        f"print a line of MARKER between the results of parts (`{SPLIT_MARKER}`)",
        "value",
        SPLIT_MARKER,
        "MARKER",
    ),
    Flag(
        "verify-diagnostics",
        "compare diagnostics with the expected-error comments in the input",
        "optional",
        None,
        "all|only-expected",
        "all",
    ),
    Flag(
        "verify-each", "check the IR after every pass (on by default; =0 turns it off)", default=1
    ),
    Flag(
        "anvl-validate-each",
        f"execute the module before and after every pass, compare; as of a pass: {_VALIDATION}",
        "optional",
        None,
        "OPTIONS",
    ),
    Flag(
        "anvl-bisect",
        "the same, and name the first op of that pass that changes the numbers",
        "optional",
        None,
        "OPTIONS",
    ),
    Flag("verify-roundtrip", "check that the input prints and parses back, as text and bytecode"),
    Flag("emit-bytecode", "write bytecode"),
    Flag("emit-bytecode-version", "write bytecode of version N", "number", None, "N"),
    Flag("trust-input", "read bytecode without trying it in a child process first"),
    Flag("mlir-print-op-generic", "print the generic form of all operations"),
    Flag("mlir-print-debuginfo", "print locations"),
    Flag("mlir-pretty-debuginfo", "print locations for reading, with --mlir-print-debuginfo"),
    Flag("mlir-print-local-scope", "print without aliases"),
    Flag("mlir-print-value-users", "print the users of each value as a comment"),
    Flag("mlir-print-unique-ssa-ids", "give no two values of the module one name"),
    Flag("mlir-print-skip-regions", "print operations without their regions"),
    Flag(
        "mlir-use-nameloc-as-prefix",
        "keep the names of values, and name those that passes make (on by default; =0 numbers all)",
        default=1,
    ),
    Flag(
        "mlir-elide-elementsattrs-if-larger",
        "print `...` for constants of more elements than N",
        "number",
        None,
        "N",
    ),
    Flag(
        "mlir-elide-resource-strings-if-larger",
        "leave out the values of resources of more characters than N",
        "number",
        None,
        "N",
    ),
    Flag("mlir-print-ir-before", "print the IR before these passes", "names", metavar="NAME,..."),
    Flag("mlir-print-ir-after", "print the IR after these passes", "names", metavar="NAME,..."),
    Flag("mlir-print-ir-before-all", "print the IR before every pass"),
    Flag("mlir-print-ir-after-all", "print the IR after every pass"),
    Flag("mlir-print-ir-after-change", "print the IR after every pass that changed it"),
    Flag("mlir-print-ir-after-failure", "print the IR after a pass that failed"),
    Flag("mlir-print-ir-module-scope", "print the whole module, also for passes nested in it"),
    Flag("mlir-print-ir-tree-dir", "print to files in FOLDER instead", "value", None, "FOLDER"),
    Flag("anvl-print-adjoint-map", "print each op beside its adjoint ops after anvl-gradient"),
    Flag("mlir-print-stacktrace-on-diagnostic", "show Python's stack for an error in a pass"),
    Flag("run-reproducer", "run the pipeline that the input, a reproducer, holds"),
    Flag(
        "mlir-generate-reproducer",
        "write the input with the pipeline to FILE, as MLIR's reproducers are",
        "value",
        None,
        "FILE",
    ),
    Flag(
        "mlir-pass-pipeline-crash-reproducer",
        "write a reproducer to FILE if a pass fails or crashes",
        "value",
        None,
        "FILE",
    ),
    Flag("mlir-pass-pipeline-local-reproducer", "reduce it to the pass that fails"),
    Flag("mlir-timing", "print how long each phase and pass took to stderr"),
    Flag(
        "mlir-timing-display",
        "as a tree by pipeline (the default), or a list by time",
        "value",
        "tree",
        choices=("tree", "list"),
    ),
    Flag(
        "mlir-output-format",
        "print times as text (the default) or JSON",
        "value",
        "text",
        choices=("text", "json"),
    ),
    Flag("mlir-pass-statistics", "print what each pass counted, and the number of ops, to stderr"),
    Flag(
        "mlir-pass-statistics-display",
        "as a pipeline (the default), or a list by name",
        "value",
        "pipeline",
        choices=("pipeline", "list"),
    ),
    Flag("anvl-in-process", "run in this process, for a debugger; a crash is then not reported"),
    Flag("mlir-disable-threading", "accepted and without effect: anvl-opt has one thread"),
)


@dataclass
class Settings:
    """A parsed command line."""

    values: dict[str, Any] = field(default_factory=lambda: defaults(FLAGS))
    passes: list[tuple[str, str | None]] = field(default_factory=list)  # name, option text
    inputs: list[str] = field(default_factory=list)

    def __getitem__(self, name: str) -> Any:
        return self.values[name]

    @property
    def input(self) -> str:
        return self.inputs[0] if self.inputs else "-"


def parse(argv: Sequence[str]) -> Settings:
    """Parse the command line; unknown passes are left to the pipeline parser."""
    given = parsed(argv, FLAGS)
    settings = Settings(given.values, given.unknown, given.inputs)
    _check(settings)
    return settings


def _check(settings: Settings) -> None:
    if len(settings.inputs) > 1:
        raise UsageError(f"one input at a time, got {', '.join(settings.inputs)}")
    mode = settings["verify-diagnostics"]
    if mode not in (None, "all", "only-expected"):
        raise UsageError(f"--verify-diagnostics is all or only-expected, got {mode!r}")
    if settings["emit-bytecode-version"] is not None and not settings["emit-bytecode"]:
        raise UsageError("--emit-bytecode-version needs --emit-bytecode")
    _check_validation(settings)
    pipelines = [x for x in (settings["pass-pipeline"], settings["p"]) if x is not None]
    if settings["run-reproducer"] and (pipelines or settings.passes):
        raise UsageError("--run-reproducer runs the pipeline of the file, give no other passes")
    if len(pipelines) + bool(settings.passes) > 1:
        raise UsageError("passes are given twice; use --pass-pipeline or pass flags, not both")


def _check_validation(settings: Settings) -> None:
    given = [name for name in VALIDATIONS if settings[name] is not None]
    if len(given) > 1:
        raise UsageError("--anvl-bisect compares what --anvl-validate-each does; give one")
    if given and not settings["verify-each"]:
        raise UsageError(f"--{given[0]} executes valid IR only; leave out --verify-each=0")
