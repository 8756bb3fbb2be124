"""Records are read in several threads at once, each for the first time. Without `prepared` three of five such processes
died of a segmentation fault."""

from __future__ import annotations

import subprocess
import sys

from tests.live import ROOT

THREADS = 4
SCRIPT = f"""
import sys, threading
sys.setswitchinterval(1e-6)
import msgspec
from assent.contract.operations import ENDPOINTS
from assent.contract.prepared import prepared

together = threading.Barrier({THREADS})
read = []

def first(kind):
    together.wait()
    try:
        msgspec.json.decode(b"{{}}", type=prepared(kind))
    except msgspec.ValidationError:
        pass
    read.append(kind)

kinds = list(dict.fromkeys(endpoint.response for endpoint in ENDPOINTS))
for kind in kinds:
    threads = [threading.Thread(target=first, args=(kind,)) for _ in range({THREADS})]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
assert len(read) == {THREADS} * len(kinds)
"""


def test_many_threads_read_each_record_for_the_first_time() -> None:
    for _ in range(3):
        done = subprocess.run([sys.executable, "-c", SCRIPT], cwd=ROOT, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
