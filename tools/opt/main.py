"""anvl-opt: read MLIR, run passes on it, print the result.

    anvl-opt loss.mlir --anvl-gradient="function=main wrt=0" --cse
    anvl-opt loss.mlir --pass-pipeline="builtin.module(anvl-inline,func.func(cse))" -o out.mlir

Any error in the input ends in `file:line:col: error: message` and exit code 1.
"""

import io
import os
import sys
import traceback
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from anvl.tools.opt import flags
from anvl.tools.opt.flags import Settings, UsageError

if TYPE_CHECKING:  # MLIR takes 0.1 s to import, which an invalid command line need not wait for
    from anvl.dialect.core.mlir import ir
    from anvl.passes.framework.instrument import Instrument
    from anvl.passes.framework.pass_base import Pass
    from anvl.passes.framework.pipeline import Pipeline
    from anvl.tools.opt.diagnostics import Diagnostic
    from anvl.tools.opt.instruments import LastPass, PrintOptions, Timer
    from anvl.tools.opt.source import Chunk, Source

_INTERRUPTED = 130
_UNDECODABLE = "nanobind::detail::str_from_cstr_and_size"  # so the bindings say it


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command `anvl-opt`; returns its exit code."""
    from anvl.tools.opt.stack import call_with_big_stack

    try:
        settings = flags.parse(sys.argv[1:] if argv is None else argv)
        return call_with_big_stack(lambda: _run(settings))
    except UsageError as error:
        print(f"anvl-opt: error: {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        # The reader of the output has left; at exit Python must not try to write the rest.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        os._exit(_INTERRUPTED)  # a pass of MLIR's may still be running in its thread


def _run(settings: Settings) -> int:
    from anvl.passes.framework.pass_base import register
    from anvl.tools.opt.verify_gradient import VerifyGradient

    register(VerifyGradient)
    if settings["load"] and not _load(settings["load"]):
        return 1
    for name, show in _QUESTIONS.items():
        if settings[name]:
            print(show(), end="")
            return 0
    return _process(settings)


def _load(paths: Sequence[str]) -> bool:
    from anvl.tools.opt.load import LoadError, load

    try:
        load(paths)
    except LoadError as error:
        print(error, end="", file=sys.stderr)
        return False
    return True


# Questions about the tool itself


def _version() -> str:
    from importlib.metadata import version  # 20 ms that no other query needs

    from anvl.dialect.core.mlir import ir, stablehlo

    buffer = io.BytesIO()
    ir.Module.parse("module {}", ir.Context()).operation.write_bytecode(buffer)
    producer = buffer.getvalue()[5:].partition(b"\0")[0].decode()
    return (
        f"anvl {version('anvl-mlir')}\n"
        f"LLVM {producer.removeprefix('MLIR')} (torch-mlir {version('torch-mlir')})\n"
        f"StableHLO {stablehlo.get_current_version()}, reads {stablehlo.get_minimum_version()} on\n"
        f"PJRT of jaxlib {version('jaxlib')}\n"
    )


def _help() -> str:
    return (
        f"{__doc__}\n"
        "usage: anvl-opt [INPUT or -] [flags and passes]\n\n"
        f"flags:\n{flags.usage()}\npasses, run in the order given:\n{_list_passes()}"
    )


def _list_passes() -> str:
    from anvl.passes.framework import native
    from anvl.passes.framework.pass_base import registered_passes

    ours = "".join(_described(name, cls) for name, cls in registered_passes().items())
    theirs = "".join(f"  --{name}\n" for name in native.names())
    return f"{ours}\npasses of MLIR and StableHLO:\n{theirs}"


def _described(name: str, cls: "type[Pass]") -> str:
    lines = [f"  --{name:<44} {cls.summary()}"]
    for opt in cls.options().values():
        spelling = f"{opt.name}=<{opt.type_name}>"
        lines.append(f"      {spelling:<42} {opt.help}")
    return "\n".join(lines) + "\n"


def _list_ops() -> str:
    from anvl.tools.opt.op_list import listed

    return listed()


def _irdl() -> str:
    from anvl.tools.opt.op_list import irdl

    return irdl()


def _show_dialects() -> str:
    """The dialects, from MLIR's message for an unknown one, as the bindings have no list."""
    from anvl.dialect.core.context import context
    from anvl.dialect.core.mlir import ir

    try:
        ir.Module.parse("no_such_dialect.op", context())
    except ir.MLIRError as error:
        notes = [note.message for d in error.error_diagnostics for note in d.notes]
    listed = notes[0].partition(":")[2].partition(";")[0].partition("(* ")[0]
    return "".join(f"{name.removesuffix('(*)').strip()}\n" for name in listed.split(","))


_QUESTIONS = {
    "help": _help,
    "version": _version,
    "list-passes": _list_passes,
    "list-ops": _list_ops,
    "irdl": _irdl,
    "show-dialects": _show_dialects,
}


# The pipeline


def _pipeline(settings: Settings) -> "Pipeline":
    from anvl.passes.framework import pipeline

    text = settings["pass-pipeline"] or settings["p"] or ""
    try:
        return pipeline.parse(text or ",".join(_pass_text(*given) for given in settings.passes))
    except ValueError as error:
        raise UsageError(str(error)) from None


def _pass_text(name: str, options: str | None) -> str:
    """Pipeline text of a pass flag; a pass of MLIR's that runs on functions is nested in them."""
    from anvl.passes.framework import native, pipeline
    from anvl.passes.framework.options import nearest
    from anvl.passes.framework.pass_base import registered_passes

    if not pipeline.exists(name):
        known = [flag.name for flag in flags.FLAGS] + [*registered_passes(), *native.names()]
        raise UsageError(f"no flag or pass {name!r}{nearest(name, known)}; --help lists all")
    text = f"{name}{{{options}}}" if options else name
    anchor = native.anchor_of(text) if native.exists(name) else ""
    return f"{anchor}({text})" if anchor else text


# Processing


@dataclass(frozen=True)
class _Job:
    """State of a run of the tool, for processing its chunks."""

    settings: Settings
    pipeline: "Pipeline"
    print_options: "PrintOptions"
    instruments: "tuple[Instrument, ...]"
    last_pass: "LastPass"
    timer: "Timer | None"

    def phase(self, name: str) -> AbstractContextManager[None]:
        return self.timer.phase(name) if self.timer else nullcontext()


def _process(settings: Settings) -> int:
    from anvl.tools.opt import source
    from anvl.tools.opt.diagnostics import Diagnostic

    job = _job(settings)
    if settings["dump-pass-pipeline"]:
        print(job.pipeline, file=sys.stderr)
    try:
        read = _checked(settings, source.read(settings.input))
    except source.InputError as error:
        _report([error.diagnostic], None)
        return 1
    if read.remark:
        _report([Diagnostic("remark", read.remark, read.name)], None)
    results = [_processed(job, chunk, read) for chunk in read.chunks(settings["split-input-file"])]
    if job.timer is not None:
        print(job.timer.report(), file=sys.stderr)
    code = 0 if all(ok for ok, _ in results) else 1
    if code == 0 or settings["o"] == "-":
        _write(settings, [data for _, data in results if data is not None])
    return code


def _write(settings: Settings, outputs: Sequence[bytes]) -> None:
    from anvl.tools.opt import output

    data = _joined_outputs(settings, outputs)
    try:
        output.write(settings["o"], data)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise UsageError(f"cannot write {settings['o']!r}, {error.strerror}") from None


def _job(settings: Settings) -> _Job:
    from anvl.tools.opt.instruments import LastPass, PrintOptions, Timer

    options = PrintOptions(
        generic=settings["mlir-print-op-generic"],
        debug_info=settings["mlir-print-debuginfo"],
        local_scope=settings["mlir-print-local-scope"],
        name_locs=settings["mlir-use-nameloc-as-prefix"],
        large_elements_limit=settings["mlir-elide-elementsattrs-if-larger"],
    )
    last_pass = LastPass()
    timer = Timer() if settings["mlir-timing"] else None
    instruments: list[Instrument] = [last_pass, *_printers(settings, options)]
    if timer is not None:
        instruments.append(timer)
    return _Job(settings, _pipeline(settings), options, tuple(instruments), last_pass, timer)


def _check_passes(names: list[str]) -> None:
    from anvl.passes.framework import pipeline

    for name in names:
        try:
            _ = pipeline.exists(name) or pipeline.lookup(name)
        except ValueError as error:  # names the nearest ones
            raise UsageError(str(error)) from None


def _printers(settings: Settings, options: "PrintOptions") -> "list[Instrument]":
    from anvl.tools.opt.adjoint_map import AdjointMap
    from anvl.tools.opt.instruments import IrPrinter

    before = settings["mlir-print-ir-before"]
    after = settings["mlir-print-ir-after"]
    _check_passes([*(before or ()), *(after or ())])
    tree = settings["mlir-print-ir-tree-dir"]
    printer = IrPrinter(
        sys.stderr,
        options,
        before=IrPrinter.ALL if settings["mlir-print-ir-before-all"] else before,
        after=IrPrinter.ALL if settings["mlir-print-ir-after-all"] else after,
        after_change=settings["mlir-print-ir-after-change"],
        after_failure=settings["mlir-print-ir-after-failure"],
        module_scope=settings["mlir-print-ir-module-scope"],
        tree=Path(tree) if tree else None,
    )
    wanted = any(settings[name] for name in settings.values if name.startswith("mlir-print-ir-"))
    maps = [AdjointMap(sys.stderr, options)] if settings["anvl-print-adjoint-map"] else []
    return [*([printer] if wanted else []), *maps]


def _checked(settings: Settings, source: "Source") -> "Source":
    from anvl.tools.opt import bytecode

    return bytecode.checked(
        source,
        allow_unregistered=settings["allow-unregistered-dialect"],
        load=settings["load"],
        trusted=settings["trust-input"],
    )


def _processed(job: _Job, chunk: "Chunk", source: "Source") -> tuple[bool, bytes | None]:
    """Whether `chunk` succeeded, and its output."""
    from anvl.dialect.core.context import context
    from anvl.tools.opt.diagnostics import collected

    made = context()
    before = made.allow_unregistered_dialects
    made.allow_unregistered_dialects = job.settings["allow-unregistered-dialect"]
    try:
        with collected(made, chunk.name) as diagnostics:
            data = _transformed(job, chunk, made, diagnostics)
    finally:
        made.allow_unregistered_dialects = before
    problems = _problems(job.settings, chunk, diagnostics)
    _report(problems, source)
    verifying = job.settings["verify-diagnostics"] is not None
    return (not problems if verifying else data is not None), data


def _problems(
    settings: Settings, chunk: "Chunk", diagnostics: "list[Diagnostic]"
) -> "list[Diagnostic]":
    from anvl.tools.opt import expected

    mode = settings["verify-diagnostics"]
    if mode is None or isinstance(chunk.content, bytes):
        return diagnostics
    only = mode == "only-expected"
    return expected.mismatches(chunk.content, chunk.name, diagnostics, only_expected=only)


def _transformed(
    job: _Job, chunk: "Chunk", context: "ir.Context", diagnostics: "list[Diagnostic]"
) -> bytes | None:
    """The output for `chunk`; None, and a diagnostic, after a failure."""
    from anvl.dialect.text.parsing import parsed
    from anvl.tools.opt.names import keep_names

    try:
        with job.phase("Parser"):
            module = parsed(chunk.content, chunk.name, context, chunk.path)
            if job.print_options.name_locs and isinstance(chunk.content, str):
                keep_names(module, chunk.content, chunk.path)
        if job.settings["verify-roundtrip"]:
            _check_roundtrip(module, context)
        job.pipeline.run(
            module, verify_each=job.settings["verify-each"], instruments=job.instruments
        )
        with job.phase("Output"):
            return _written(job, module)
    except Exception as error:
        if job.settings["mlir-print-stacktrace-on-diagnostic"]:
            traceback.print_exception(error)
        _add_diagnostic(job, chunk, error, diagnostics)
        return None


def _written(job: _Job, module: "ir.Module") -> bytes:
    from anvl.dialect.text.versions import mark
    from anvl.tools.opt.instruments import asm

    if job.settings["o"] != "-" or job.settings["emit-bytecode"]:
        mark(module)
    if not job.settings["emit-bytecode"]:
        return asm(module.operation, job.print_options).encode() + b"\n"
    buffer = io.BytesIO()
    module.operation.write_bytecode(buffer)
    return buffer.getvalue()


def _joined_outputs(settings: Settings, outputs: Sequence[bytes]) -> bytes:
    if settings["split-input-file"] is None:
        return b"".join(outputs)
    return f"{settings['split-input-file']}\n".encode().join(outputs)


def _check_roundtrip(module: "ir.Module", context: "ir.Context") -> None:
    """Print and parse as text, generic text and bytecode; each must give the same text again."""
    from anvl.dialect.core.mlir import ir

    op = module.operation
    want = op.get_asm()
    buffer = io.BytesIO()
    op.write_bytecode(buffer)
    forms: dict[str, str | bytes] = {
        "text": want,
        "generic text": op.get_asm(print_generic_op_form=True),
        "bytecode": buffer.getvalue(),
    }
    for form, data in forms.items():
        if ir.Module.parse(data, context).operation.get_asm() != want:
            raise ValueError(
                f"verify-roundtrip: the module changes when written as {form} and read"
            )


# Diagnostics


def _add_diagnostic(
    job: _Job, chunk: "Chunk", error: Exception, diagnostics: "list[Diagnostic]"
) -> None:
    """Add a diagnostic for `error`, unless MLIR has emitted one."""
    from anvl.dialect.core.errors import PassError
    from anvl.dialect.core.mlir import ir
    from anvl.tools.opt.diagnostics import Diagnostic, position

    said = any(d.severity == "error" for d in diagnostics)
    location = getattr(error, "location", "")
    if said and (
        isinstance(error, ir.MLIRError) or (isinstance(error, PassError) and not location)
    ):
        return
    place = position(location or job.last_pass.location, chunk.name)
    diagnostics.append(Diagnostic("error", _message(job, error), *place))


def _message(job: _Job, error: Exception) -> str:
    from anvl.dialect.core.errors import AnvlError
    from anvl.dialect.core.mlir import ir
    from anvl.tools.opt.diagnostics import UNSAID

    if isinstance(error, ir.MLIRError):  # and no diagnostic
        error = ValueError(UNSAID)
    if _UNDECODABLE in str(error):  # the value of an attribute, which may be any bytes
        error = ValueError("a string that must be text is not UTF-8")
    # A list of findings keeps its lines; other messages are one.
    lines = "\n" if getattr(error, "findings", ()) else " "
    text = lines.join(str(error).split("\n")) or type(error).__name__
    place = _place_in_loaded(job, error)
    if place and not isinstance(error, AnvlError):
        text = f"{type(error).__name__}: {text} ({place})"
    elif not isinstance(error, (AnvlError, TypeError, ValueError)):
        text = f"internal error, {type(error).__name__}: {text}"
    name = job.last_pass.text
    return text if not name or text.startswith(f"{name}:") else f"{name}: {text}"


def _place_in_loaded(job: _Job, error: Exception) -> str:
    """Location in a user's own file from which an error came; `""` if from none."""
    from anvl.tools.opt.load import place_of

    return place_of(error) if job.settings["load"] else ""


def _report(diagnostics: "Sequence[Diagnostic]", source: "Source | None") -> None:
    from anvl.tools.opt.diagnostics import rendered

    lines = {source.name: source.lines} if source is not None else {}
    for diagnostic in diagnostics:
        print(rendered(diagnostic, lines), end="", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
