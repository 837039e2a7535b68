"""The runner of the Array API's suite: what it reads, compares, writes and refuses."""

import subprocess

import pytest

from anvl.tools.dev import array_api_suite as suite

REPORT = """<testsuites><testsuite>
<testcase classname="array_api_tests.test_fft" name="test_fft"/>
<testcase classname="array_api_tests.test_fft" name="test_ifft"><failure message="no"/></testcase>
<testcase classname="array_api_tests.test_dlpack.TestA" name="test_b[x|y]"><error/></testcase>
<testcase classname="array_api_tests.test_dlpack" name="test_c"><skipped/></testcase>
</testsuite></testsuites>"""


def test_outcomes_are_read_and_compared(tmp_path):
    (tmp_path / "report.xml").write_text(REPORT)
    outcomes = suite.read(tmp_path / "report.xml")
    assert outcomes == {
        "test_fft::test_fft": "passed", "test_fft::test_ifft": "failed",
        "test_dlpack.TestA::test_b[x|y]": "failed", "test_dlpack::test_c": "skipped",
    }  # fmt: skip
    assert suite.summary(outcomes) == {"test_fft": [1, 1, 0], "test_dlpack": [0, 1, 1]}
    assert suite.unknown(outcomes, {"test_dlpack.TestA::test_b": "why"}) == ["test_fft::test_ifft"]
    assert suite.unknown(outcomes, {"test_fft::test_ifft": "why"}) == [
        "test_dlpack.TestA::test_b[x|y]"
    ]


def test_the_table_has_the_numbers_and_the_reasons():
    results = {"arrays": {"test_fft": [3, 1, 2]}, "jitted": {"test_fft": [4, 0, 2]}}
    text = suite.table(results, {"arrays": {"test_fft::test_a[x|y]": "because"}})
    assert "| `test_fft` | 3 of 4, 2 skipped | 4 of 4, 2 skipped |" in text
    assert "| `test_fft::test_a[x\\|y]` | arrays | because |" in text
    assert suite.with_section("a <!-- array-api -->b<!-- /array-api --> c", "new") == (
        "a <!-- array-api -->new<!-- /array-api --> c"
    )
    assert suite.sentence(results) == (
        "of 4 tests of its suite pass 3 on arrays and 4 with every function jitted"
    )


def test_the_pages_have_the_numbers_of_the_last_run():
    results = suite.noted()
    assert results.keys() == suite.known_failures().keys() == set(suite.MODULES)
    for page, text in suite.pages(results).items():
        assert page.read_text() == text
    for mode, counts in results.items():
        least = {"arrays": 0.98, "jitted": 0.95}[mode]
        assert suite._total(counts)[0] >= least * 1384


def test_a_folder_that_is_not_the_suite_is_refused(tmp_path, capsys):
    assert suite.main([str(tmp_path), "--commit=abc", "--", "-k", "sort"]) == 2
    assert "is no clone of data-apis/array-api-tests" in capsys.readouterr().err
    (tmp_path / "array_api_tests").mkdir()
    assert "submodule update --init" in suite.suite_error(tmp_path, "abc")
    (tmp_path / "array-api" / "src" / "array_api_stubs").mkdir(parents=True)
    assert "no commit; git -C" in suite.suite_error(tmp_path, "abc")
    git = ["git", "-C", tmp_path, "-c", "user.name=a", "-c", "user.email=a"]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "a"], check=True)
    head = subprocess.run([*git, "rev-parse", "HEAD"], capture_output=True, text=True, check=True)
    assert suite.suite_error(tmp_path, head.stdout.strip()) is None


def test_a_run_without_a_report_is_an_error(tmp_path):
    with pytest.raises(SystemExit, match="pytest wrote no report"):
        suite.read(tmp_path / "none.xml")
