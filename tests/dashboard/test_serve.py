"""What the dashboard's process has done before it says where it is."""

from __future__ import annotations

import http.client
import subprocess
import sys
import time
from urllib.parse import urlsplit

import pytest

from assent.deciding import UNDO_VARIABLE, undo_seconds
from tests.live import ROOT, WAIT
from tests.tiers import deep

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


@pytest.mark.parametrize(("given", "seconds"), [("", 5.0), ("0", 0.0), ("2.5", 2.5), ("60", 60.0)])
def test_how_long_a_decision_can_be_taken_back_stands_in_the_environment(given: str, seconds: float) -> None:
    assert undo_seconds({UNDO_VARIABLE: given}) == seconds
    assert undo_seconds({}) == 5.0


@pytest.mark.parametrize("wrong", ["soon", "-1", "61", "nan", "inf"])
def test_seconds_that_are_none_are_refused_by_name(wrong: str) -> None:
    with pytest.raises(ValueError, match=f"ASSENT_UNDO_SECONDS is '{wrong}'; give seconds from 0 to 60"):
        undo_seconds({UNDO_VARIABLE: wrong})


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


@deep("it waits for longer than httpx and uvicorn keep a connection")
def test_a_connection_at_rest_takes_the_next_request(page_dashboard: str) -> None:
    connection = http.client.HTTPConnection(urlsplit(page_dashboard).netloc, timeout=WAIT)
    for pause in (0.0, 6.0):
        time.sleep(pause)
        connection.request("GET", "/sign-in")
        answer = connection.getresponse()
        assert answer.status == 200
        answer.read()
        # After an answer that ends the connection, http.client would open another for the next request.
        assert connection.sock is not None
    connection.close()
