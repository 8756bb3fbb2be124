"""What is told of a file of tests that takes longer than it did."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests import durations
from tests.durations import FILE, SHORT, again, counted, growth, kept, speed, warming, written
from tests.live import ROOT, WAIT
from tests.tiers import Tier, deep


def slow(file: str, first: str | None) -> float:
    """Alone it takes longer than beside others."""
    return 1000.0


def grown(now: Mapping[str, float]) -> list[str]:
    """Of those that take as long every time."""
    found = growth(now, BEFORE, slow)
    assert found.unsure == []
    return found.grown


KEPT = "1.0 0.0 a.py\n5.0 0.0 b.py\n5.0 0.0 c.py"
BEFORE = {"a.py": 10.0, "b.py": 20.0, "c.py": 4.0, "d.py": 1.0}


def test_what_is_written_is_read() -> None:
    text = written({"a.py": 1.25, "b.py": 0.4}, {"c.py": 30.0, "b.py": 2.0})
    assert kept(Tier.QUICK, text) == {"a.py": 1.2, "b.py": 0.4, "c.py": 0.0}
    assert kept(Tier.REST, text) == {"a.py": 0.0, "b.py": 2.0, "c.py": 30.0}


def test_what_takes_a_moment_is_not_listed() -> None:
    assert kept(Tier.QUICK, written({"a.py": 0.9}, {"a.py": 0.9})) == {}


def test_a_file_that_grew_by_half_and_by_two_seconds_is_told() -> None:
    told = "a.py takes 15.1 s, 10.0 s were expected (here all take 1.00 times)"
    assert grown(BEFORE | {"a.py": 15.1}) == [told]
    assert grown(BEFORE | {"a.py": 14.9}) == []
    assert grown(BEFORE | {"d.py": 2.9}) == [], "by more than half, and not by two seconds"


def test_another_machine_is_no_growth() -> None:
    threefold = {file: 3 * seconds for file, seconds in BEFORE.items()}
    assert (speed(threefold, BEFORE), grown(threefold)) == (3.0, [])
    assert len(grown(threefold | {"c.py": 25.0})) == 1
    fast = {file: seconds / 4 for file, seconds in BEFORE.items()}
    assert (speed(fast, BEFORE), grown(fast | {"a.py": 10.0})) == (1.0, []), "it may only wait"
    assert len(grown(fast | {"a.py": 15.1})) == 1


def test_a_file_that_is_as_quick_as_before_in_one_of_three_further_runs_has_not_grown() -> None:
    asked: list[tuple[str, str | None]] = []
    takes = iter([40.0, 15.1, 15.0])

    def last(file: str, first: str | None) -> float:
        asked.append((file, first))
        return next(takes)

    assert growth(BEFORE | {"a.py": 40.0}, BEFORE, last) == ([], [])
    assert asked == [("a.py", "d.py"), ("a.py", "c.py"), ("a.py", "b.py")], "the others need no further run"
    takes, asked[:] = iter([11.0]), []
    assert growth(BEFORE | {"a.py": 40.0}, BEFORE, last) == ([], [])
    assert asked == [("a.py", "d.py")], "once is enough"
    takes = iter([40.0, 15.1, 30.0])
    told = "a.py takes 15.1 s, 10.0 s were expected (here all take 1.00 times)"
    assert growth(BEFORE | {"a.py": 40.0}, BEFORE, last) == ([told], [])


def test_a_file_whose_further_run_fails_has_not_grown() -> None:
    takes = iter([20.0, None, None])
    told = "a.py takes 20.0 s, 10.0 s were expected (here all take 1.00 times)"
    found = growth(BEFORE | {"a.py": 40.0}, BEFORE, lambda file, first: next(takes))
    assert found == ([], [f"{told}; its tests passed, and failed in 2 of 3 further runs"])
    takes = iter([None, 14.0])
    assert growth(BEFORE | {"a.py": 40.0}, BEFORE, lambda file, first: next(takes)) == ([], [])


def test_it_runs_behind_others_of_its_folder() -> None:
    now = {"x/a.py": 9.0, "x/b.py": 3.0, "x/c.py": 0.2, "x/d.py": 1.0, "x/y/e.py": 1.5, "f.py": 1.1, "z/g.py": 0.1}
    assert warming("x/a.py", now) == ["x/d.py", "x/b.py", "x/d.py"], "what takes a moment makes nothing ready"
    assert warming("f.py", now) == [None, None, None]
    assert warming("z/h.py", now) == ["z/g.py", "z/g.py", "z/g.py"]
    short = {"z/g.py": 0.1, "z/i.py": 0.3}
    assert warming("z/h.py", short) == ["z/i.py", "z/g.py", "z/i.py"], "rather more than less"


REPORT = """<testsuites><testsuite>
<testcase classname="tests.x.test_first" name="a" time="5.0"><failure message="no"/></testcase>
<testcase classname="tests.x.test_it" name="b" time="1.25"/>
<testcase classname="tests.x.test_it.TestClass" name="c" time="0.5"><skipped/></testcase>
<testcase classname="tests.x.test_it_too" name="d" time="7.0"/>
<testcase classname="tests.x.test_wrong" name="e" time="1.0"/>
<testcase classname="tests.x.test_wrong" name="f" time="1.0"><error message="no"/></testcase>
</testsuite></testsuites>"""


def test_only_the_tests_of_the_file_are_counted() -> None:
    assert counted(REPORT, "tests/x/test_it.py") == 1.75
    assert counted(REPORT, "tests/x/test_wrong.py") is None
    assert counted(REPORT, "tests/x/test_nowhere.py") is None


@deep("runs the tests of a file")
def test_what_a_file_takes_again_is_what_its_tests_take() -> None:
    took = again("tests/contract/test_week.py", "tests/contract/test_spelling.py", Tier.QUICK)
    assert took is not None
    assert 0 < took < WAIT
    assert again("tests/contract/test_nowhere.py", None, Tier.QUICK) is None


@deep("starts pytest")
def test_a_process_alone_keeps_the_order_that_it_is_given() -> None:
    """Whatever takes longer: the other would make nothing ready if it came second."""
    files = ["tests/contract/test_week.py", "tests/contract/test_generated.py"]
    assert kept(Tier.QUICK, FILE.read_text(encoding="utf-8")).get(files[1], 0) > SHORT
    command = [sys.executable, "-m", "pytest", "-q", "--collect-only", f"--tier={Tier.QUICK}", *files]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    assert list(dict.fromkeys(line.partition("::")[0] for line in listed.splitlines() if "::" in line)) == files


def test_a_new_file_may_take_three_seconds() -> None:
    assert grown(BEFORE | {"new.py": 2.9}) == []
    assert len(grown(BEFORE | {"new.py": 3.1})) == 1


def test_without_anything_to_compare_with_nothing_passes() -> None:
    (told,) = growth({"a.py": 1.0}, {"a.py": 0.0}, slow).grown
    assert "make durations" in told


@pytest.mark.parametrize(
    ("text", "ends"),
    [("", pytest.ExitCode.TESTS_FAILED), (KEPT, pytest.ExitCode.OK)],
)
def test_a_run_fails_where_nothing_is_kept_and_not_for_a_file_that_grew(
    text: str, ends: pytest.ExitCode, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    monkeypatch.setattr(durations, "FILE", tmp_path / "durations.txt")
    monkeypatch.setattr(durations, "again", lambda file, first, tier: 1000.0)
    durations.FILE.write_text(text, encoding="utf-8")
    watch = durations.Stopwatch(Tier.QUICK, keep=False, compare=True)
    watch.seconds |= {"a.py": 1000.0, "b.py": 5.0, "c.py": 5.0}
    monkeypatch.setattr(request.session, "exitstatus", pytest.ExitCode.OK)
    watch.pytest_sessionfinish(request.session)
    assert len(watch.growth.grown) == 1
    assert request.session.exitstatus == ends


@pytest.mark.parametrize("tier", [Tier.QUICK, Tier.REST])
def test_both_tiers_are_kept(tier: Tier) -> None:
    long = {file: seconds for file, seconds in kept(tier, FILE.read_text(encoding="utf-8")).items() if seconds}
    assert len(long) > 30


def test_what_is_listed_is_there() -> None:
    gone = [file for file in kept(Tier.QUICK, FILE.read_text(encoding="utf-8")) if not (ROOT / file).is_file()]
    assert gone == [], "take these lines out of tests/durations.txt"
