"""What one run of `anvl-opt` has to do: the pipeline, how to print, and the instruments."""

import sys
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from anvl.passes.framework.instrument import Instrument
from anvl.passes.framework.pipeline import Pipeline
from anvl.tools.io.command_line import UsageError
from anvl.tools.opt import flags
from anvl.tools.opt.driver.pass_flags import check_passes, pipeline_of
from anvl.tools.opt.driver.reproducers import FailureReproducer, failure_reproducer
from anvl.tools.opt.flags import Settings
from anvl.tools.opt.instruments import IrPrinter, LastPass
from anvl.tools.opt.print_options import PrintOptions
from anvl.tools.opt.statistics_report import StatisticsReport
from anvl.tools.opt.timing import Timer

if TYPE_CHECKING:
    from anvl.tools.opt.validation.validate_each import Validator

__all__ = ["Job", "job_of"]


@dataclass(frozen=True)
class Job:
    """State of a run of the tool, for processing its chunks."""

    settings: Settings
    pipeline: Pipeline
    print_options: PrintOptions
    instruments: tuple[Instrument, ...]
    last_pass: LastPass
    timer: Timer | None
    statistics: StatisticsReport | None
    reproducer: FailureReproducer | None
    validator: "Validator | None"

    def phase(self, name: str) -> AbstractContextManager[None]:
        """Time the `with` block as `name`, with `--mlir-timing`."""
        return self.timer.phase(name) if self.timer else nullcontext()

    def reports(self) -> str:
        """The reports that the flags ask for."""
        settings, reports = self.settings, []
        if self.statistics is not None:
            reports.append(self.statistics.report(settings["mlir-pass-statistics-display"]))
        if self.timer is not None:
            display, form = settings["mlir-timing-display"], settings["mlir-output-format"]
            reports.append(self.timer.report(display, form))
        return "".join(reports)


def job_of(settings: Settings, crashing: str = "") -> Job:
    """The job of a command line.

    If its step `crashing` ended the last run, it writes its reproducer early and notes its ops.
    """
    options = PrintOptions(
        generic=settings["mlir-print-op-generic"],
        debug_info=settings["mlir-print-debuginfo"],
        local_scope=settings["mlir-print-local-scope"],
        name_locs=settings["mlir-use-nameloc-as-prefix"]
        and not settings["mlir-print-unique-ssa-ids"],  # names are unique in a function only
        large_elements_limit=settings["mlir-elide-elementsattrs-if-larger"],
        large_resource_limit=settings["mlir-elide-resource-strings-if-larger"],
        pretty_debug_info=settings["mlir-pretty-debuginfo"],
        skip_regions=settings["mlir-print-skip-regions"],
        value_users=settings["mlir-print-value-users"],
        unique_ssa_ids=settings["mlir-print-unique-ssa-ids"],
    )
    last_pass = LastPass()
    timer = Timer() if settings["mlir-timing"] else None
    statistics = StatisticsReport() if settings["mlir-pass-statistics"] else None
    validator = _validator(settings)
    wanted = last_pass, statistics, timer, validator
    instruments: list[Instrument] = [x for x in wanted if x is not None]
    instruments += _printers(settings, options)
    path = settings["mlir-pass-pipeline-crash-reproducer"]
    reproducer = failure_reproducer(settings, path, early=bool(crashing)) if path else None
    if reproducer is not None:
        instruments.append(reproducer)
    pipeline = pipeline_of(settings)
    if crashing:
        from anvl.tools.opt.driver.op_tracer import OpTracer

        instruments.append(OpTracer(crashing))
    return Job(
        settings=settings,
        pipeline=pipeline,
        print_options=options,
        instruments=tuple(instruments),
        last_pass=last_pass,
        timer=timer,
        statistics=statistics,
        reproducer=reproducer,
        validator=validator,
    )


def _printers(settings: Settings, options: PrintOptions) -> list[Instrument]:
    before = settings["mlir-print-ir-before"]
    after = settings["mlir-print-ir-after"]
    check_passes([*(before or ()), *(after or ())])
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
    return [*([printer] if wanted else []), *_adjoint_maps(settings, options)]


def _validator(settings: Settings) -> "Validator | None":
    flag = next((name for name in flags.VALIDATIONS if settings[name] is not None), None)
    if flag is None:
        return None
    from anvl.tools.opt.validation.bisector import Bisector
    from anvl.tools.opt.validation.validate_each import Validator, hint
    from anvl.tools.opt.validation.validation_options import ValidationOptions

    try:
        options = ValidationOptions.from_text(flag, settings[flag])
    except ValueError as error:
        raise UsageError(f"--{error}") from None
    path = settings["mlir-pass-pipeline-crash-reproducer"]
    local = settings["mlir-pass-pipeline-local-reproducer"]
    made = Bisector if flag == "anvl-bisect" else Validator
    return made(flag, options, hint(flag, options, path, local=local))


def _adjoint_maps(settings: Settings, options: PrintOptions) -> list[Instrument]:
    if not settings["anvl-print-adjoint-map"]:
        return []
    from anvl.tools.opt.adjoint_map import AdjointMap

    return [AdjointMap(sys.stderr, options)]
