"""Health and readiness over HTTP, without a key."""

from pathlib import Path

import pytest

from assent.contract.health import Check
from assent_service.health import Vitals
from tests.service.evidence.events.serving import live


@pytest.mark.parametrize("path", ["/health", "/api/health"])
def test_health_is_open_and_says_which_version(tmp_path: Path, path: str) -> None:
    with live(tmp_path) as service:
        answer = service.call("GET", path)
        assert answer.status_code == 200
        assert answer.json()["status"] == "ok"
        assert answer.json()["version"][0].isdigit()


def test_a_sound_service_is_ready(tmp_path: Path) -> None:
    with live(tmp_path) as service:
        answer = service.call("GET", "/ready")
        checks = {check["name"]: check["status"] for check in answer.json()["checks"]}
        assert set(checks) == {"log", "tables", "disk"}
        assert checks["log"] == checks["tables"] == "pass"
        assert answer.json()["ready"] is (checks["disk"] != "fail")
        assert answer.status_code == (200 if checks["disk"] != "fail" else 503)


def test_what_fails_makes_the_answer_503_with_the_same_body(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with live(tmp_path) as service:
        monkeypatch.setattr("shutil.disk_usage", lambda _: (_ for _ in ()).throw(OSError(5, "Input/output error")))
        answer = service.call("GET", "/ready")
        assert answer.status_code == 503
        assert answer.json()["ready"] is False
        failed = [check for check in answer.json()["checks"] if check["status"] == "fail"]
        assert [(check["name"], "Input/output error" in check["detail"]) for check in failed] == [("disk", True)]
        assert service.call("GET", "/health").status_code == 200


def test_further_checks_are_asked_each_time(tmp_path: Path) -> None:
    said = iter(["warn", "fail"])

    def inspect() -> Check:
        return Check(name="mood", status=next(said), detail=f"see {tmp_path}/log")

    with live(tmp_path) as service:
        vitals = Vitals(service.parts.ledger, tmp_path, service.parts.clock, [inspect])
        warned, failed = service.run(vitals.readiness()), service.run(vitals.readiness())
        assert [warned.checks[-1].status, failed.checks[-1].status] == ["warn", "fail"]
        assert failed.ready is False
        assert str(tmp_path) not in failed.checks[-1].detail, "anybody may ask: no place on the machine is told"


def test_a_data_folder_that_is_a_dot_is_not_looked_for_in_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check = Check(name="disk", status="pass", detail="24.9% is free.")
    with live(tmp_path) as service:
        monkeypatch.chdir(tmp_path)
        vitals = Vitals(service.parts.ledger, Path(), service.parts.clock, [lambda: check])
        assert service.run(vitals.readiness()).checks[-1] == check


def test_tables_that_cannot_follow_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with live(tmp_path) as service:
        monkeypatch.setattr(type(service.parts.ledger), "behind", property(lambda _: f"IO Error: {tmp_path}/t full"))
        answer = service.call("GET", "/ready")
        assert answer.status_code == 503
        tables = next(check for check in answer.json()["checks"] if check["name"] == "tables")
        assert tables["status"] == "fail"
        assert "IO Error: (data folder)/t full" in tables["detail"]
