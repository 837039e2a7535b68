"""Build the site: `make docs`, or `python -m anvl.tools.reference.build`.

The sources are written to `out/docs/source`, the site to `out/docs/html`; open `index.html` there.
Sphinx stops at its first warning.  It is in the extra `docs`, and needed for this alone.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

from anvl.tools.reference.guide_pages import guide_pages, index_page
from anvl.tools.reference.module_pages import module_pages, public_modules

__all__ = ["main", "sources"]

ROOT = Path(__file__).resolve().parents[2]

CONFIGURATION = """\
project = "anvl"
author = "the authors of anvl"
extensions = ["myst_parser"]
html_theme = "furo"
html_title = "anvl"
html_copy_source = False
html_show_sourcelink = False
myst_heading_anchors = 4
smartquotes = False
default_role = "literal"
toc_object_entries = False # the theme copies the contents into each page: half of the time
add_module_names = False
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 90
highlight_language = "python"
nitpicky = True
suppress_warnings = ["myst.header"]
"""


def sources(root: Path = ROOT) -> dict[str, str]:
    """All sources of the site by their paths."""
    return {
        "conf.py": CONFIGURATION,
        "index.md": index_page(root, public_modules()),
        **guide_pages(root),
        **module_pages(),
    }


def main(argv: list[str] | None = None) -> int:
    """Run the command; returns its exit code."""
    parser = argparse.ArgumentParser(prog="build", description="build the reference")
    parser.add_argument("--out", type=Path, default=ROOT / "out" / "docs", help="the folder")
    out = parser.parse_args(argv).out
    source, html = out / "source", out / "html"
    for folder in (source, html):
        shutil.rmtree(folder, ignore_errors=True)
    for name, text in sources().items():
        path = source / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-j", "2", "-b", "html"]
    status = subprocess.run([*command, str(source), str(html)]).returncode
    if status == 0:
        print(f"{html / 'index.html'}")
    return status


if __name__ == "__main__":
    sys.exit(main())
