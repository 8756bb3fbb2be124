"""One process owns a data folder, and a dead one does not."""

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from assent_service.store.failures import FolderOwned
from assent_service.store.lock import FolderLock

HOLD = """
import sys, time
from pathlib import Path
from assent_service.store.lock import FolderLock
lock = FolderLock.take(Path(sys.argv[1]))
print("held", flush=True)
time.sleep(60)
"""


def test_a_second_owner_is_told_which_folder_and_what_to_do(tmp_path: Path) -> None:
    with FolderLock.take(tmp_path), pytest.raises(FolderOwned) as caught:
        FolderLock.take(tmp_path)
    for told in (str(tmp_path), f"process id {os.getpid()}", "--home", "ASSENT_HOME", "Stop that one"):
        assert told in str(caught.value)


def test_a_released_folder_can_be_taken_again(tmp_path: Path) -> None:
    lock = FolderLock.take(tmp_path / "new" / "home")
    lock.release()
    lock.release()
    with FolderLock.take(tmp_path / "new" / "home") as again:
        assert again.home == tmp_path / "new" / "home"


def test_another_process_keeps_it_until_it_is_killed(tmp_path: Path) -> None:
    command = [sys.executable, "-c", HOLD, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(FolderOwned, match=f"process id {holder.pid}"):
            FolderLock.take(tmp_path)
        holder.send_signal(signal.SIGKILL)
        holder.wait(60)
    FolderLock.take(tmp_path).release()


def test_a_folder_that_others_could_look_into_is_closed_to_them(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o755)
    home.chmod(0o755)
    FolderLock.take(home).release()
    assert stat.S_IMODE(home.stat().st_mode) == 0o700
