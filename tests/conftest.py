"""Fixtures for every test."""

from __future__ import annotations

import gc
import logging
import os
import sys
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest

from tests import backend, durations, tiers
from tests.live import UNDECLARED, LiveService, start_service

# What one test cannot deliver, no other test may; a test of the spool names a folder of its own.
os.environ["ASSENT_SPOOL"] = "off"


class Undeclared(logging.Handler):
    """A test whose request is answered with a code that the endpoint does not declare fails there and then."""

    def emit(self, record: logging.LogRecord) -> None:
        assert UNDECLARED not in record.getMessage(), record.getMessage()


logging.getLogger("assent.door").addHandler(Undeclared(logging.ERROR))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--tier", type=tiers.Tier, choices=list(tiers.Tier), help="which tests run; see tests/tiers.py")
    parser.addoption(
        "--engine",
        type=backend.Engine,
        choices=list(backend.Engine),
        default=backend.Engine.FILES,
        help="where the services of tests have their log; see tests/backend.py",
    )
    parser.addoption("--new-examples", action="store_true", help="try properties with other examples than in every run")
    parser.addoption("--keep-durations", action="store_true", help="write tests/durations.txt anew, for this tier")
    parser.addoption("--compare-durations", action="store_true", help="name files that take much longer than they did")


def pytest_configure(config: pytest.Config) -> None:
    tier = config.getoption("tier")
    tiers.set_depth(tier, new_examples=config.getoption("new_examples"))
    backend.choose(config.getoption("engine"))
    keep, compare = config.getoption("keep_durations"), config.getoption("compare_durations")
    if "PYTEST_XDIST_WORKER" not in os.environ and (keep or compare):
        if tier not in (tiers.Tier.QUICK, tiers.Tier.REST):
            raise pytest.UsageError("durations are those of one tier: add --tier=quick or --tier=rest")
        config.pluginmanager.register(durations.Stopwatch(tier, keep=keep, compare=compare))


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Other plugins are asked about what is read."""
    is_tests = collection_path.match("test_*.py") and collection_path.is_file()
    return True if is_tests and not tiers.is_read(collection_path, config.getoption("tier")) else None


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What is collected stays to the end: no collection of garbage need look through it, now or again and again."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    tier = config.getoption("tier")
    if config.getoption("engine") is not backend.Engine.FILES:
        backend.skip_files(items)
    items[:], others = tiers.choose(items, tier)
    config.hook.pytest_deselected(items=others)
    # A process that is not one of several keeps the order that it is given.
    if tier in (tiers.Tier.QUICK, tiers.Tier.REST) and hasattr(config, "workerinput"):
        durations.longest_first(items, tier)


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item) -> None:
    """What lies in this test's own folder is nobody's any more."""
    folder = getattr(item, "funcargs", {}).get("tmp_path")
    if folder is not None:
        backend.databases.drop(folder)


def pytest_unconfigure() -> None:
    backend.databases.remove()


@pytest.fixture
def live_service(tmp_path: Path) -> Iterator[LiveService]:
    """The service in a process of its own, on a new home."""
    with start_service(tmp_path / "home") as service:
        yield service


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Name a failure at once, on standard error: a run that is ended from outside never comes to its summary."""
    if report.failed and "PYTEST_XDIST_WORKER" not in os.environ:
        crash = getattr(report.longrepr, "reprcrash", None)
        reason = str(getattr(crash, "message", report.longrepr)).partition("\n")[0]
        said = f"\nFAILED {report.nodeid} ({report.when}, {report.duration:.0f} s): {reason}"
        print(said, file=sys.stderr, flush=True)
