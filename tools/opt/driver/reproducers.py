"""The flags of reproducers: see `anvl.passes.framework.reproducer` for the form of the file.

Note [What a reproducer holds]

A reproducer that a flag asks for holds the module before the pipeline, and the whole pipeline, as
MLIR's does; with `--mlir-pass-pipeline-local-reproducer` the module before the pass that failed,
and this pass alone.  Constants are elided only with `--mlir-elide-elementsattrs-if-larger`.
"""

from anvl.dialect.core.mlir import ir
from anvl.passes.framework import pipeline as pipelines
from anvl.passes.framework.instrument import Instrument, PassText
from anvl.passes.framework.pipeline import Pipeline
from anvl.passes.framework.reproducer import (
    pipeline_on,
    read_reproducer,
    reproducer_text,
    write_reproducer,
)
from anvl.tools.io.command_line import UsageError
from anvl.tools.io.entry_points import load_passes_in
from anvl.tools.io.source import Chunk
from anvl.tools.opt.flags import Settings

__all__ = ["FailureReproducer", "failure_reproducer", "generate", "stored_pipeline"]


class FailureReproducer(Instrument):
    """Writes a reproducer where a pass fails, or `early`, since a pass may end the process."""

    def __init__(
        self,
        path: str,
        *,
        local: bool,
        verify_each: bool,
        elide: int | None = None,
        early: bool = False,
    ) -> None:
        self.path = path
        self._early = early
        self._local = local
        self._verify_each = verify_each
        self._elide = elide
        self._text = ""

    def begin(self, module: ir.Operation, pipeline: object) -> None:
        """Note the module before `pipeline` runs on it."""
        if not self._local:
            self._keep(self.text(module, str(pipeline)))

    def before(self, pass_: PassText, op: ir.Operation) -> None:
        if self._local:
            self._keep(self.text(*pipeline_on(op, pass_)))

    def _keep(self, text: str) -> None:
        self._text = text
        if self._early:
            self.write(text)

    def failed(self, pass_: PassText, op: ir.Operation) -> None:
        self.write(self._text)

    def text(self, module: ir.Operation, pipeline: str) -> str:
        return reproducer_text(module, pipeline, verify_each=self._verify_each, elide=self._elide)

    def write(self, text: str) -> None:
        """Write the file; raises `UsageError`."""
        try:
            write_reproducer(self.path, text)
        except OSError as error:
            raise UsageError(f"cannot write {self.path!r}, {error.strerror}") from None


def generate(settings: Settings, module: ir.Operation, pipeline: object) -> None:
    """Write what `--mlir-generate-reproducer` asks for, before anything runs."""
    path = settings["mlir-generate-reproducer"]
    if path:
        writer = failure_reproducer(settings, path)
        writer.write(writer.text(module, str(pipeline)))


def failure_reproducer(settings: Settings, path: str, *, early: bool = False) -> FailureReproducer:
    """The reproducer at `path` with the options of the command line."""
    return FailureReproducer(
        path,
        local=settings["mlir-pass-pipeline-local-reproducer"],
        verify_each=settings["verify-each"],
        elide=settings["mlir-elide-elementsattrs-if-larger"],
        early=early,
    )


def stored_pipeline(settings: Settings, chunk: Chunk) -> tuple[Pipeline, bool] | None:
    """The pipeline in the text of `chunk`, and whether it verifies; None without the flag.

    Raises `ValueError`.
    """
    if not settings["run-reproducer"]:
        return None
    stored = None if isinstance(chunk.content, bytes) else read_reproducer(chunk.content)
    if stored is None:
        raise ValueError(
            "run-reproducer: the input has no pipeline; a reproducer is text that ends in "
            "{-# external_resources: { mlir_reproducer: { pipeline: ... } } #-}"
        )
    load_passes_in(stored.pipeline)
    return pipelines.parse(stored.pipeline), stored.verify_each
