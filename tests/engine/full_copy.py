"""`python -m tests.engine.full_copy`: a replica that can write nothing to its copy while the file `full` is there."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from unittest.mock import patch

from assent_service.__main__ import main
from assent_service.store.files import Files

FULL = Path(os.environ["ASSENT_HOME"]) / "full"
_write = Files.write


def _refuse(files: Files, fd: int, data: memoryview) -> int:
    if FULL.exists():
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    return _write(files, fd, data)


if __name__ == "__main__":
    with patch.object(Files, "write", _refuse):
        raise SystemExit(main())
