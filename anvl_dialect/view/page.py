"""A page that shows a program: one file, which needs nothing but a browser.

    html = page("wave", [("as read", record)], source_of)
    in_notebook(html)        the same inside of another page

Everything in the program reaches the page as JSON, and the document by `textContent` alone; the
page forbids itself to load anything.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape
from pathlib import Path

from anvl.dialect.view.folding import LIMIT
from anvl.dialect.view.story import SourceOf, Stage, story

__all__ = ["in_notebook", "page"]

_FOLDER = Path(__file__).parent
_HEIGHT = 640  # pixels, in a notebook


def page(title: str, stages: Sequence[Stage], source_of: SourceOf, limit: int = LIMIT) -> str:
    """The page of a program at several stages; `source_of` gives the lines of a file, or None."""
    told = json.dumps(story(stages, source_of, limit), separators=(",", ":"), ensure_ascii=True)
    style, script, body = ((_FOLDER / f"page.{end}").read_text() for end in ("css", "js", "html"))
    for key, text in {
        "TITLE": escape(title),
        "STYLE": style,
        "SCRIPT": script,
        "DATA": told.replace("<", "\\u003c"),
    }.items():
        before, _, after = body.partition(f"{{{{{key}}}}}")
        body = before + text + after
    return body


def in_notebook(html: str) -> str:
    """A page as a part of another one, which its style and script do not touch."""
    return (
        f'<iframe srcdoc="{escape(html)}" sandbox="allow-scripts" '
        f'style="width:100%;height:{_HEIGHT}px;border:1px solid #ccc"></iframe>'
    )
