"""`assent erase`: never without being asked twice, or told that nobody can be asked."""

import json

import httpx
import pytest

from assent.cli.failures import Exit
from assent.cli.output import Output
from tests.sdk.cli.desk import Desk
from tests.sdk.data.fake_service import NOW


class Eraser(Desk):
    """A desk that erases; `erased` is what it was asked to."""

    def __init__(self) -> None:
        super().__init__()
        self.erased: list[tuple[str, str]] = []

    def _route(self, request: httpx.Request) -> tuple[int, object]:
        if request.method != "POST" or not request.url.path.endswith("/erase"):
            return super()._route(request)
        action_id, reason = request.url.path.split("/")[3], json.loads(request.content)["reason"]
        self.erased.append((action_id, reason))
        return 200, {
            "org_id": "org",
            "action_id": action_id,
            "erased_at": NOW,
            "erased_by": "boss \x1b[2J",
            "erased_by_key": "key_1",
            "reason": reason,
            "events": 5,
            "decision_id": "dec_1",
        }


@pytest.fixture
def desk() -> Eraser:
    return Eraser()


def test_with_yes_it_erases_and_says_what_is_not_reached(desk: Eraser) -> None:
    result = desk.run("erase", "--action", "act_1", "--reason", "ticket 7", "--yes")
    assert result.exit_code == Exit.OK, result.stderr
    assert desk.erased == [("act_1", "ticket 7")]
    assert result.stdout.startswith("Erased: act_1, 5 events, at ")
    assert "assent rebuild" in result.stdout
    assert "\x1b" not in result.stdout


def test_json_is_the_erasure(desk: Eraser) -> None:
    result = desk.run("erase", "--action", "act_1", "--reason", "ticket 7", "--yes", "--json")
    assert json.loads(result.stdout)["events"] == 5


def test_where_nobody_can_be_asked_it_needs_yes(desk: Eraser) -> None:
    result = desk.run("erase", "--action", "act_1", "--reason", "ticket 7")
    assert result.exit_code == Exit.USAGE
    assert "--yes" in result.stderr
    assert desk.erased == []


@pytest.mark.parametrize(("typed", "erases"), [("{id}\n", True), ("\n", False), ("yes\n", False), ("{id}x\n", False)])
def test_on_a_terminal_the_id_is_typed(desk: Eraser, monkeypatch: pytest.MonkeyPatch, typed: str, erases: bool) -> None:
    monkeypatch.setattr(Output, "interactive", property(lambda _: True))
    action_id = desk.waits("pay", "the goal")
    result = desk.run("erase", "--action", action_id, "--reason", "ticket 7", input=typed.format(id=action_id))
    assert desk.erased == ([(action_id, "ticket 7")] if erases else [])
    assert result.exit_code == (Exit.OK if erases else Exit.REFUSED), result.stderr
    assert "the goal" not in result.stdout


@pytest.mark.parametrize("arguments", [["--action", "a b", "--reason", "x"], ["--action", "act_1"], ["--reason", "x"]])
def test_what_is_missing_is_code_two(desk: Eraser, arguments: list[str]) -> None:
    assert desk.run("erase", *arguments, "--yes").exit_code == Exit.USAGE
    assert desk.erased == []
