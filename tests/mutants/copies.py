"""A copy of the repository that its own Python imports, in a folder that goes when it is closed.

The copy has an environment of its own: the packages are those of the repository's, and what is ours comes from the
copy. So a process that a test starts without any of its variables imports the copy as well.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
import venv
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

from tests.architecture.sources import PACKAGES
from tests.mutants.faults import TOP, Fault

LEFT_OUT = (".git", ".venv", ".assent", ".hypothesis", "*_cache", "*.egg-info", "executed")
HANGS = 120
"""Seconds for one test; no quick one takes a quarter of it."""
LONGEST = 1500.0
"""Seconds for one run of pytest."""
PASSED, FAILED = 0, 1
"""What pytest ends with."""


class Unusable(Exception):
    """The copy imports something else than itself, or pytest could not run its tests."""


class Copy:
    """Raises Unusable when it does not import itself."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="assent-mutants-", ignore_cleanup_errors=True)
        self.top = Path(self._folder.name) / "assent"
        shutil.copytree(TOP, self.top, ignore=shutil.ignore_patterns(*LEFT_OUT), symlinks=True)
        self._whole: dict[str, str] = {}
        self.python = self._environment()
        for package in PACKAGES:
            self._check(package)

    def __enter__(self) -> Copy:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._folder.cleanup()

    def plant(self, fault: Fault) -> None:
        """Put the fault into the copy. Raises NotPlanted."""
        text = (self.top / fault.file).read_text(encoding="utf-8")
        self._whole[fault.file] = text
        self._write(fault, fault.plant(text))

    def mend(self, fault: Fault) -> None:
        """Take the fault out of the copy again."""
        self._write(fault, self._whole[fault.file])

    def run_tests(self, tests: Sequence[str]) -> str | None:
        """The test that failed first of those in the quick tier, None when all pass. Raises Unusable when pytest could
        not run them."""
        found_by = Path(self._folder.name) / "found_by"
        found_by.unlink(missing_ok=True)
        words = ["-m", "pytest", "-q", "-x", "-p", "tests.mutants.found_by", "-p", "no:cacheprovider", "-p", "no:xdist"]
        log = Path(self._folder.name) / "log"
        with log.open("w") as output:
            process = subprocess.Popen(
                [self.python, *words, "--tier=quick", f"--timeout={HANGS}", *tests],
                cwd=self.top,
                env=os.environ | {"FOUND_BY": str(found_by), "PYTHONHASHSEED": "0"},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            try:
                code = process.wait(LONGEST)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                raise Unusable(f"the tests took more than {LONGEST:.0f} s; see what hangs:\n{_end(log)}") from None
        if code == FAILED and found_by.exists():
            return found_by.read_text(encoding="utf-8")
        if code != PASSED:
            raise Unusable(f"pytest ended with {code}:\n{_end(log)}")
        return None

    def _write(self, fault: Fault, text: str) -> None:
        file = self.top / fault.file
        file.write_text(text, encoding="utf-8")
        # Compiled files go by a time in whole seconds, which is too coarse here.
        for compiled in (file.parent / "__pycache__").glob(f"{file.stem}.*.pyc"):
            compiled.unlink()

    def _environment(self) -> Path:
        """The copy's Python, with the packages and the programs of the one that runs this."""
        here, there = Path(sys.executable).parent, self.top / ".venv"
        venv.create(there, symlinks=True, with_pip=False)
        ours = [str(self.top / folder.relative_to(TOP).parent) for folder in PACKAGES.values()]
        packages = there / "lib" / f"python{sysconfig.get_python_version()}" / "site-packages"
        # A path that is named in such a file brings no such files of its own, so the repository's own stays unread.
        (packages / "copy.pth").write_text("\n".join([*ours, sysconfig.get_path("purelib")]) + "\n")
        for program in ("assent", "assent-hook"):
            script = re.sub(r"\A#!.*", f"#!{there / 'bin' / 'python'}", (here / program).read_text(encoding="utf-8"))
            (there / "bin" / program).write_text(script, encoding="utf-8")
            (there / "bin" / program).chmod(0o755)
        return there / "bin" / "python"

    def _check(self, package: str) -> None:
        told = f"import importlib.util as util; print(util.find_spec({package!r}).origin)"
        asked = [str(self.python), "-I", "-c", told]
        found = subprocess.run(asked, cwd=self.top, capture_output=True, text=True, check=True).stdout.strip()
        if not Path(found).is_relative_to(self.top):
            raise Unusable(f"the copy imports {found}; plant nothing there")


def _end(log: Path) -> str:
    return log.read_text(encoding="utf-8", errors="replace")[-2000:]
