"""The sources of the reference: every public name is described, and every link leads somewhere."""

import importlib
import re
from pathlib import Path

import pytest
from test_doc_paths import anchors
from test_stable_names import PUBLIC

from anvl.tools.reference.build import sources
from anvl.tools.reference.docstring_text import to_rst
from anvl.tools.reference.guide_pages import groups
from anvl.tools.reference.module_pages import public_modules, public_names

ROOT = Path(__file__).resolve().parents[3]
MODULES = public_modules()


@pytest.fixture(scope="module")
def pages():
    return sources(ROOT)


def described(text):
    return re.findall(r"^\.\. py:(?:function|class|exception|data):: (\w+)", text, re.MULTILINE)


@pytest.mark.parametrize("module", MODULES)
def test_every_public_name_is_described_once(pages, module):
    wanted = public_names(importlib.import_module(module))
    assert sorted(described(pages[f"reference/{module}.rst"])) == sorted(wanted)


def test_every_public_module_has_a_page():
    assert PUBLIC - set(MODULES) == {"anvl.testing.random_programs"}
    assert {"anvl.optim.schedules", "anvl.profiler", "anvl.debug"} <= set(MODULES)


def test_every_link_to_a_name_leads_to_its_description(pages):
    known = {f"{m}.{n}" for m in MODULES for n in described(pages[f"reference/{m}.rst"])}
    text = "".join(pages.values())
    links = set(re.findall(r":py:obj:`(?:[^<`]*<)?([\w.]+)>?`", text))
    assert len(links) > 200 and links <= known | set(MODULES), links - known


def test_every_page_is_in_the_contents_once():
    listed = [name for group in groups(ROOT).values() for name in group]
    found = [p.relative_to(ROOT).with_suffix("").as_posix()
             for p in (*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"))]  # fmt: skip
    assert sorted(listed) == sorted(found)


def test_links_between_pages_hold_and_no_other_file_is_linked(pages):
    broken = []
    for name, text in pages.items():
        prose = re.sub(r"^ *```.*?^ *```", "", text, flags=re.MULTILINE | re.DOTALL)
        for link in re.findall(r"\]\(([^)\s]+)\)", prose) if name.startswith("guide/") else ():
            path, _, anchor = link.partition("#")
            page = pages.get(f"guide/{path}" if path else name)
            if "://" not in link and (page is None or (anchor and anchor not in anchors(page))):
                broken.append(f"{name}: {link}")
    assert not broken


def test_code_on_pages_is_in_languages_that_sphinx_knows(pages):
    opened = {
        language
        for text in pages.values()
        for language in re.findall(r"^ *```(\S.*)$", text, re.MULTILINE)
    }
    assert opened <= {"python", "sh", "c", "json", "toml", "text", "{toctree}"}


def test_a_docstring_becomes_lists_and_code():
    text = """Sum x, *all* of it: see `f` and `g_`.

Parameters
----------
x : array, or `f`
    With stars * and bars |.
*rest

Returns
-------
An array_.

Examples
--------
>>> f(1)
1
"""
    found = to_rst(text, {"f": "m.f"}.get)
    assert found == (
        "Sum x, \\*all\\* of it: see \\ :py:obj:`f <m.f>`\\  and \\ ``g_``\\ .\n\n"
        "**Parameters**\n\n"
        "**x** : array, or \\ :py:obj:`f <m.f>`\\\n"
        "   With stars \\* and bars \\|.\n\n"
        "**\\*rest**\n   \\ \n\n"
        "**Returns**\n\nAn array\\_.\n\n"
        "**Examples**\n\n.. code-block:: pycon\n\n   >>> f(1)\n   1"
    )


def test_an_address_is_a_link():
    assert to_rst("See https://x.org/a_.html.", lambda name: None) == (
        "See `https://x.org/a_.html <https://x.org/a_.html>`__."
    )
