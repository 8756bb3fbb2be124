"""Whether the tests of this folder can run: where they cannot, one line says why."""

from __future__ import annotations

import pytest

from tests.engine import programs


def test_what_the_others_need_is_here() -> None:
    programs.require()


def test_without_it_they_are_skipped_and_where_it_is_required_they_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "program", lambda name: None if name == "initdb" else name)
    monkeypatch.setattr(programs, "driver", lambda: True)
    monkeypatch.delenv(programs.REQUIRED, raising=False)
    with pytest.raises(pytest.skip.Exception, match="cannot be tried without initdb"):
        programs.require()
    monkeypatch.setenv(programs.REQUIRED, "1")
    with pytest.raises(pytest.fail.Exception, match="ASSENT_REQUIRE_POSTGRESQL is set"):
        programs.require()
