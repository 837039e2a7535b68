"""Process an input: read it, run the pipeline on each chunk, write the results."""

import contextlib
import io
import sys
import traceback
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, BinaryIO

from anvl.dialect.core.context import context
from anvl.dialect.core.mlir import ir
from anvl.dialect.text.parsing import parsed
from anvl.dialect.text.value_names import keep_names
from anvl.dialect.text.versions import mark
from anvl.tools.io import bytecode, output, source
from anvl.tools.io.command_line import UsageError
from anvl.tools.io.crash_guard import note
from anvl.tools.io.diagnostics import Diagnostic, collected, position
from anvl.tools.io.source import Chunk, Source
from anvl.tools.opt import expected
from anvl.tools.opt.driver.job import Job, job_of
from anvl.tools.opt.driver.messages import add_diagnostic, report
from anvl.tools.opt.driver.pass_flags import dumped
from anvl.tools.opt.driver.reproducers import generate, stored_pipeline
from anvl.tools.opt.driver.top_level import top_level_op
from anvl.tools.opt.flags import Settings
from anvl.tools.opt.print_options import print_asm

if TYPE_CHECKING:
    from anvl.tools.opt.validation.validate_each import Validator

__all__ = ["process"]


def process(settings: Settings, crashing: str = "") -> int:
    """Read the input, run the pipeline on each chunk, write; the exit code."""
    job = job_of(settings, crashing)
    if settings["dump-pass-pipeline"]:
        print(dumped(job.pipeline), file=sys.stderr)
    try:
        if settings["irdl-file"] and not _loaded_irdl(settings["irdl-file"]):
            return 1
        read = _checked(settings, source.read(settings.input))
    except source.InputError as error:
        report([error.diagnostic], None)
        return 1
    if read.remark:
        report([Diagnostic("remark", read.remark, read.name)], None)
    results = [_processed(job, chunk, read) for chunk in read.chunks(settings["split-input-file"])]
    print(job.reports(), end="", file=sys.stderr)
    code = 0 if all(ok for ok, _ in results) else 1
    with contextlib.ExitStack() as outputs:
        files = [outputs.enter_context(file) for _, file in results if file is not None]
        if code == 0 or settings["o"] == "-":
            _write(settings, files)
    return code


def _loaded_irdl(path: str) -> bool:
    from anvl.tools.opt.driver.irdl_file import load_irdl

    read, problems = load_irdl(path)
    report(problems, read)
    return not problems


def _write(settings: Settings, outputs: Sequence[BinaryIO]) -> None:
    try:
        output.write(settings["o"], _joined_outputs(settings, outputs))
    except BrokenPipeError:
        raise
    except OSError as error:
        raise UsageError(f"cannot write {settings['o']!r}, {error.strerror or error}") from None


def _checked(settings: Settings, source: Source) -> Source:
    return bytecode.checked(
        source,
        # The child does not read the IRDL.
        allow_unregistered=settings["allow-unregistered-dialect"] or bool(settings["irdl-file"]),
        load=settings["load"],
        trusted=settings["trust-input"],
    )


def _processed(job: Job, chunk: Chunk, source: Source) -> tuple[bool, BinaryIO | None]:
    """Whether `chunk` succeeded, and its output."""
    made = context()
    before = made.allow_unregistered_dialects
    made.allow_unregistered_dialects = job.settings["allow-unregistered-dialect"]
    try:
        with collected(made, chunk.name) as diagnostics:
            file = _transformed(job, chunk, made, diagnostics)
        if job.validator is not None:
            diagnostics[:0] = _remarks(job.validator, chunk)
    finally:
        made.allow_unregistered_dialects = before
    problems = _problems(job.settings, chunk, diagnostics)
    report(problems, source)
    verifying = job.settings["verify-diagnostics"] is not None
    return (not problems if verifying else file is not None), file


def _remarks(validator: "Validator", chunk: Chunk) -> list[Diagnostic]:
    """What was not compared."""
    remarks, validator.remarks = validator.remarks, []
    return [
        Diagnostic("remark", text, *position(location, chunk.name)) for text, location in remarks
    ]


def _problems(settings: Settings, chunk: Chunk, diagnostics: list[Diagnostic]) -> list[Diagnostic]:
    mode = settings["verify-diagnostics"]
    if mode is None or isinstance(chunk.content, bytes):
        return diagnostics
    only = mode == "only-expected"
    return expected.mismatches(chunk.content, chunk.name, diagnostics, only_expected=only)


def _transformed(
    job: Job, chunk: Chunk, context: ir.Context, diagnostics: list[Diagnostic]
) -> BinaryIO | None:
    """The output for `chunk`; None, and a diagnostic, after a failure."""
    note("reading the input")
    try:
        with job.phase("Parser"):
            module = parsed(chunk.content, chunk.name, context, chunk.path)
            if job.print_options.name_locs and isinstance(chunk.content, str):
                keep_names(module, chunk.content, chunk.path)
        if job.settings["verify-roundtrip"]:
            _check_roundtrip(module, context)
        op = top_level_op(job.settings, chunk, module, context)
        _run(job, chunk, op)
        note("writing the result")
        with job.phase("Output"):
            return _printed(job, len(chunk.content), module, op)
    except UsageError:
        raise
    except (Exception, SystemExit) as error:  # a pass that calls `sys.exit` has failed
        if job.settings["mlir-print-stacktrace-on-diagnostic"]:
            traceback.print_exception(error)
        add_diagnostic(job, chunk, error, diagnostics)
        return None


def _run(job: Job, chunk: Chunk, op: ir.Operation) -> None:
    given = job.pipeline, job.settings["verify-each"]
    pipeline, verify_each = stored_pipeline(job.settings, chunk) or given
    generate(job.settings, op, pipeline)
    pipeline.run(op, verify_each=verify_each, instruments=job.instruments)
    if job.validator is not None:
        job.validator.end()


def _printed(job: Job, size: int, module: ir.Module, op: ir.Operation) -> BinaryIO:
    """The text or the bytecode of `op`, which is `module` or the op in it."""
    settings = job.settings
    if settings["o"] != "-" or settings["emit-bytecode"]:
        mark(module)
    with contextlib.ExitStack() as after_failure:
        file = after_failure.enter_context(output.spool(settings["o"], size))
        if settings["emit-bytecode"]:
            op.write_bytecode(file, desired_version=settings["emit-bytecode-version"])
        else:
            # Printing would verify once more what the last pass left verified.
            print_asm(file, op, job.print_options, assume_verified=settings["verify-each"])
        after_failure.pop_all()
    return file


def _joined_outputs(settings: Settings, outputs: Sequence[BinaryIO]) -> Iterator[bytes]:
    marker = settings["output-split-marker"] if settings["split-input-file"] is not None else None
    for i, file in enumerate(outputs):
        if i and marker is not None:
            yield f"{marker}\n".encode()
        file.seek(0)
        yield from iter(partial(file.read, output.BLOCK), b"")


def _check_roundtrip(module: ir.Module, context: ir.Context) -> None:
    """Print and parse as text, generic text and bytecode; each must give the same text again."""
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
