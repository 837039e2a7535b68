"""The list of tests that take long, as a report of pytest gives it."""

from xml.etree import ElementTree

from anvl.tools.dev.long_tests import kept, noted, times

REPORT = """<testsuites><testsuite>
  <testcase classname="test.unit.a.test_x" name="test_short" time="0.1"/>
  <testcase classname="test.unit.a.test_x" name="test_one" time="0.5"/>
  <testcase classname="test.unit.a.test_x" name="test_many[a-1]" time="0.3"/>
  <testcase classname="test.unit.a.test_x" name="test_many[b[2]]" time="0.1"/>
  <testcase classname="test.unit.a.test_x" name="test_many[c]" time="0.4"/>
  <testcase classname="test.unit.a.test_x" name="test_many[d]" time="0.8"/>
  <testcase classname="test.unit.dialect.test_constraints" name="test_refused[x]" time="9"/>
  <testcase classname="test.unit.dialect.test_edges" name="test_ties[x]" time="9"/>
</testsuite></testsuites>"""


def test_as_many_cases_are_kept_as_take_the_time_of_one_test() -> None:
    found = times(ElementTree.ElementTree(ElementTree.fromstring(REPORT)))
    assert found["test/unit/a/test_x.py::test_many"] == [0.3, 0.1, 0.4, 0.8]
    assert kept(found) == {
        "test/unit/a/test_x.py::test_one": 0,
        "test/unit/a/test_x.py::test_many": 1,
    }


def test_the_list_is_read_as_it_is_written() -> None:
    assert noted("a.py::test_b 0\na.py::test_c 12\n") == {"a.py::test_b": 0, "a.py::test_c": 12}
