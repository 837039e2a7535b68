"""The pipeline that a command line describes."""

from collections.abc import Iterable, Sequence

from anvl.dialect.core.errors import nearest
from anvl.passes.framework import native, pipeline, pipeline_parser
from anvl.passes.framework.pass_base import Pass, registered_passes
from anvl.passes.framework.pipeline import Native, Nest, Pipeline
from anvl.tools.io.command_line import UsageError
from anvl.tools.io.entry_points import load_all, load_passes_in
from anvl.tools.opt import flags
from anvl.tools.opt.flags import Settings

__all__ = ["check_passes", "dumped", "given_pipeline", "pipeline_of"]


def pipeline_of(settings: Settings) -> Pipeline:
    """The pipeline of `--pass-pipeline`, or of the pass flags in their order."""
    names = [flag.name for flag in flags.FLAGS]
    return given_pipeline(
        settings["pass-pipeline"], settings["p"], settings.passes, names,
        on_module=not settings["no-implicit-module"],
    )  # fmt: skip


def given_pipeline(
    anchored: str | None,
    short: str | None,
    passes: Sequence[tuple[str, str | None]],
    flag_names: Sequence[str],
    *,
    on_module: bool = True,
) -> Pipeline:
    """The pipeline of `--pass-pipeline`, of `-p`, or of pass flags.

    `flag_names` are the flags of the tool, one of which a misspelt pass may be; `on_module` is
    whether the pipeline must run on a module.
    """
    load_passes_in(" ".join([anchored or short or "", *(name for name, _ in passes)]))

    def parsed() -> Pipeline:
        if anchored and on_module:
            _check_anchored(anchored)
        text = ",".join(_pass_text(*given, flag_names) for given in passes)
        return pipeline.parse(anchored or short or text)

    try:
        try:
            return parsed()
        except (ValueError, UsageError):
            load_all()  # a name may be close to that of a pass of an installed package
            return parsed()
    except ValueError as error:
        raise UsageError(str(error)) from None


def _check_anchored(text: str) -> None:
    """Refuse a pipeline without the op that it runs on, as MLIR does."""
    nodes = pipeline_parser.parse(text)
    anchors = [node.name for node in nodes if node.children is not None]
    if len(nodes) == 1 and anchors in (["builtin.module"], ["any"]):
        return
    if len(nodes) == 1 and anchors:
        problem = f"{anchors[0]} is not the op of the input, which is builtin.module"
    else:
        problem = "the pipeline does not say which op it runs on"
    raise UsageError(
        f'--pass-pipeline: {problem}; write --pass-pipeline="builtin.module({text})"'
        f', or -p "{text}"'
    )


def dumped(made: Pipeline) -> str:
    """A pipeline with the defaults of all options, in the form of `mlir-opt`."""
    lines = ",\n".join(_dumped(element, "builtin.module", "  ") for element in made.elements)
    count = len(made.elements)
    return f"Pass Manager with {count} passes:\nbuiltin.module(\n{lines}\n)\n"


def _dumped(element: Pass | Native | Nest, anchor: str, indent: str) -> str:
    if isinstance(element, Nest):
        inner = ",\n".join(_dumped(x, element.anchor, indent + "  ") for x in element.elements)
        return f"{indent}{element.anchor}(\n{inner}\n{indent})"
    if isinstance(element, Native):
        return indent + native.with_defaults(anchor, element.text)
    return indent + element.text_with_defaults()


def _pass_text(name: str, options: str | None, flag_names: Sequence[str]) -> str:
    """Pipeline text of a pass flag; a pass of MLIR's that runs on functions is nested in them."""
    if not pipeline.exists(name):
        known = [*flag_names, *registered_passes(), *native.names()]
        raise UsageError(f"no flag or pass {name!r}{nearest(name, known)}; --help lists all")
    text = f"{name}{{{options}}}" if options else name
    anchor = native.anchor_of(text) if native.exists(name) else ""
    return f"{anchor}({text})" if anchor else text


def check_passes(names: Iterable[str]) -> None:
    """Raise `UsageError` for a name that no pass has."""
    for name in names:
        load_passes_in(name)
        try:
            _ = pipeline.exists(name) or pipeline.lookup(name)
        except ValueError as error:  # names the nearest ones
            raise UsageError(str(error)) from None
