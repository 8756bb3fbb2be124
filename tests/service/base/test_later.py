"""A module that is loaded later is loaded once, by the first who uses it."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

import pytest

from assent_service.base.later import later
from tests.tiers import deep

NAME = "numbers_for_later"
SLOW = "import time\nfrom pathlib import Path\nwith Path({file!r}).open('a') as made:\n    made.write('x')\n"
SLOW += "time.sleep(0.05)\nMEANING = 42\n\n\ndef double(number):\n    return 2 * number\n"


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where a module says each time that it is read."""
    (tmp_path / f"{NAME}.py").write_text(SLOW.format(file=str(tmp_path / "made")))
    (tmp_path / "made").touch()
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path / "made"
    sys.modules.pop(NAME, None)


def test_importing_it_loads_nothing_and_using_it_does(made: Path) -> None:
    later(NAME)
    module = import_module(NAME)
    assert made.read_text() == ""
    assert module.double(4) == 8
    assert made.read_text() == "x"


def test_who_took_it_before_and_after_sees_the_same(made: Path) -> None:
    later(NAME)
    before = import_module(NAME)
    assert before.MEANING == 42
    after = import_module(NAME)
    assert after.double is before.double
    assert not isinstance(after, type(before))
    with pytest.raises(AttributeError, match="nothing_of_that_name"):
        _ = before.nothing_of_that_name


def test_threads_that_come_at_once_see_a_whole_module(made: Path) -> None:
    later(NAME)
    module, found = import_module(NAME), list[object]()
    threads = [threading.Thread(target=lambda: found.append(module.double(1))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [2] * 8
    assert made.read_text() == "x"


def test_one_that_cannot_be_loaded_says_so_each_time(made: Path) -> None:
    made.with_name(f"{NAME}.py").write_text("import nothing_of_that_name\n")
    later(NAME)
    module = import_module(NAME)
    for _ in range(2):
        with pytest.raises(ModuleNotFoundError, match="nothing_of_that_name"):
            _ = module.double


def test_one_that_is_there_stays(made: Path) -> None:
    there = import_module(NAME)
    later(NAME)
    assert sys.modules[NAME] is there
    assert isinstance(there, ModuleType)


@deep("imports the service anew")
def test_a_service_starts_without_what_only_numbers_need() -> None:
    code = "import sys, assent_service.app, assent_service.serve; "
    code += (
        "print(*sorted(name for name in sys.modules if name.startswith(('polars.', 'numpy.', 'pyarrow', 'pandas'))))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == []


def test_who_asks_whether_there_is_one_is_told_and_loads_nothing(made: Path) -> None:
    later(NAME)
    spec = find_spec(NAME)
    assert spec is not None
    assert spec.origin == str(made.with_name(f"{NAME}.py"))
    assert made.read_text() == ""
