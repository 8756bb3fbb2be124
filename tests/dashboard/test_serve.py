"""What the dashboard's process has done before it says where it is."""

from __future__ import annotations

import subprocess
import sys

from tests.live import ROOT, WAIT

LOOK = """
import sys
from assent_dashboard import serve

def told(address):
    print(*(name for name in serve.DRAWING if name not in sys.modules), flush=True)
    sys.exit(0)

serve.run("http://127.0.0.1:1", port=0, announce=told)
"""
FAIL = """
from streamlit import error_util
from streamlit.web import bootstrap
from assent_dashboard import serve

bootstrap.load_config_options(serve.OPTIONS)
try:
    raise LookupError("the picture is gone")
except LookupError as error:
    error_util.handle_uncaught_app_exception(error)
"""


def _run(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=WAIT, check=False
    )


def test_what_pictures_need_is_there_before_the_first_page_is_drawn() -> None:
    # Two pages that were first drawn at once failed: altair took a pandas that was half imported.
    ran = _run(LOOK)
    assert ran.stdout.strip() == "", ran.stderr


def test_what_fails_in_a_page_is_told_on_standard_error() -> None:
    ran = _run(FAIL)
    assert "the picture is gone" in ran.stderr
    assert ran.stdout == ""
