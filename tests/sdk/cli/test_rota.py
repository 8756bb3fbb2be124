"""`assent rota`: what is sent, and what is said of a gap."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.sdk.cli.desk import Desk
from tests.sdk.data.fake_service import NOW

GROUP = {"name": "Payments", "members": ["ana", "zoe"], "shifts": []}


class Office(Desk):
    groups: list[dict[str, Any]] | None = None

    def set_rota(self, request: httpx.Request, body: dict[str, Any]) -> tuple[int, object]:
        self.groups = body["groups"]
        return self.duty(request, None)

    def duty(self, _: httpx.Request, __: object) -> tuple[int, object]:
        nobody: dict[str, Any] = {"groups": [], "rota": None, "covered": False, "next_at": None, "lastUpdated": NOW}
        if self.groups is None:
            return 200, nobody
        by = {"updated_by": "root", "updated_by_key": "key_9", "updated_at": NOW, "created_at": NOW}
        told = [
            {
                "name": each["name"],
                "on_shift": False,
                "until": None,
                "next_at": NOW,
                "operators": [{"key_id": "key_1", "name": "ana\x1b", "role": "operator"}],
                "unknown": ["zoe"],
            }
            for each in self.groups
        ]
        rota = {"org_id": "org", "groups": self.groups, **by}
        return 200, nobody | {"rota": rota, "groups": told, "next_at": NOW}


Office.routes = [("POST", "/api/rota", Office.set_rota), ("GET", "/api/rota", Office.duty), *Desk.routes]


def test_it_is_set_from_a_file_and_a_gap_is_said(tmp_path: Path) -> None:
    office = Office()
    (tmp_path / "rota.json").write_text(json.dumps({"groups": [GROUP]}))
    made = office.run("rota", "set", f"@{tmp_path / 'rota.json'}")
    assert made.stdout.splitlines() == [
        "group\ton_shift\tuntil\tnext_at\toperators\tunknown",
        f"Payments\tno\t\t{NOW:%Y-%m-%dT%H:%M:%SZ}\tana\N{REPLACEMENT CHARACTER}\tzoe",
    ]
    assert made.stderr == f"Nobody is on shift until {NOW:%Y-%m-%dT%H:%M:%SZ}.\n"
    assert office.groups == [GROUP]
    assert json.loads(office.run("rota", "show", "--json").stdout)["rota"]["groups"][0]["name"] == "Payments"


def test_nothing_is_said_of_a_gap_without_a_rota() -> None:
    shown = Office().run("rota", "show")
    assert (shown.exit_code, shown.stderr) == (0, "")


@pytest.mark.parametrize("given", ['{"groups": {}}', "{}", "[", "[]"])
def test_what_is_no_rota_is_not_sent(given: str) -> None:
    office = Office()
    assert office.run("rota", "set", given).exit_code == 2
    assert office.groups is None
