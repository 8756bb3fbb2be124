"""`assent signing-keys` against a fake service: what it asks, prints and refuses."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest

from assent.cli.failures import Exit
from assent.contract.problems import Code
from tests.sdk.cli.desk import Desk
from tests.sdk.client.exchanges.wallet import JWK, KID, key
from tests.sdk.data.fake_service import NOW, Refusal

NEW = "N" * 43


class WalletDesk(Desk):
    """A wallet with the keys in `held`; `asked` is what came in."""

    def __init__(self) -> None:
        super().__init__()
        self.held: list[dict[str, Any]] = []
        self.asked: list[dict[str, Any]] = []

    def list_signing_keys(self, _: httpx.Request, __: object) -> tuple[int, object]:
        return 200, {"keys": self.held}

    def rotate(self, _: httpx.Request, body: dict[str, Any]) -> tuple[int, object]:
        self.asked.append(body)
        retired = key(status="retired") if self.held else None
        self.held.append(key(kid=NEW))
        return 201, {"key": key(kid=NEW), "retired": retired}

    def revoke(self, _: httpx.Request, body: dict[str, Any], kid: str) -> tuple[int, object]:
        self.asked.append(body)
        if kid not in [each["kid"] for each in self.held]:
            raise Refusal(Code.SIGNING_KEY_NOT_FOUND, f"there is no signing key {kid}")
        return 200, {"key": key(kid=kid, status="revoked", revoked_at=NOW), "revoked": True}

    def jwks(self, request: httpx.Request, _: object) -> tuple[int, object]:
        self.asked.append(dict(request.url.params))
        return 200, {"keys": [JWK]}

    def own_key(self, _: httpx.Request, __: object) -> tuple[int, object]:
        self.make_key(_, {"name": "own"})
        return 200, {**self.keys["key_0"], "org_id": "org_own"}


WalletDesk.routes = [
    *Desk.routes,
    ("GET", "/api/signing-keys", WalletDesk.list_signing_keys),
    ("POST", "/api/signing-keys/rotate", WalletDesk.rotate),
    ("POST", "/api/signing-keys/([^/]+)/revoke", WalletDesk.revoke),
    ("GET", "/.well-known/jwks.json", WalletDesk.jwks),
    ("GET", "/api/keys/own", WalletDesk.own_key),
]


@pytest.fixture
def desk() -> WalletDesk:
    return WalletDesk()


def test_the_list_in_a_pipe_is_tab_separated(desk: WalletDesk) -> None:
    assert desk.run("signing-keys", "list").stdout == "kid\tstatus\tnot_after\n"
    desk.held = [key(status="retired"), key(kid=NEW)]
    header, *rows = desk.run("signing-keys", "list").stdout.splitlines()
    assert [row.split("\t")[:2] for row in rows] == [[KID, "retired"], [NEW, "active"]]
    assert header.split("\t") == ["kid", "status", "not_after"]


def test_a_kid_is_never_cut_on_a_usual_terminal() -> None:
    from assent.cli.text import table

    _, row = table(("kid", "status", "not_after"), [(KID, "retired", "2026-11-21T09:08:07Z")], 80)
    assert KID in row


def test_rotating_says_which_key_signs_now_and_which_has_retired(desk: WalletDesk) -> None:
    first = desk.run("signing-keys", "rotate")
    assert first.stdout.startswith(f"Signing: {NEW} until ")
    assert "Retired" not in first.stdout
    second = desk.run("signing-keys", "rotate", "--reason", "yearly")
    assert second.stdout.splitlines()[1] == f"Retired: {KID}"
    assert desk.asked == [{}, {"reason": "yearly"}]


def test_revoking_takes_a_kid_and_a_reason(desk: WalletDesk) -> None:
    desk.held = [key()]
    assert desk.run("signing-keys", "revoke", KID, "--reason", "stolen").stdout == f"Revoked: {KID}\n"
    assert desk.asked == [{"reason": "stolen"}]
    unknown = desk.run("signing-keys", "revoke", NEW, "--reason", "stolen")
    assert (unknown.exit_code, unknown.stdout) == (Exit.REFUSED, "")
    assert "there is no signing key" in unknown.stderr
    asked = len(desk.requests)
    for arguments in ([KID], ["../etc", "--reason", "x"], ["--reason", "x"]):
        assert desk.run("signing-keys", "revoke", *arguments).exit_code == Exit.USAGE
    assert len(desk.requests) == asked


@pytest.mark.parametrize("flag", [[], ["--json"]])
def test_the_jwks_is_one_document_whatever_the_output(desk: WalletDesk, flag: list[str]) -> None:
    result = desk.run("signing-keys", "jwks", *flag)
    assert (result.exit_code, result.stderr) == (0, "")
    assert json.loads(result.stdout) == {"keys": [JWK]}
    assert result.stdout.count("\n") == 1
    assert desk.asked == [{"org_id": "org_own"}], "the caller's own, not the service's first"


def test_the_jwks_of_another_organization(desk: WalletDesk) -> None:
    assert desk.run("signing-keys", "jwks", "--org", "org_2").exit_code == 0
    assert desk.asked == [{"org_id": "org_2"}]
    assert ("GET", "/api/keys/own") not in desk.requests
    assert desk.run("signing-keys", "jwks", "--org", "../x").exit_code == Exit.USAGE


@pytest.mark.parametrize(
    ("arguments", "members"),
    [
        (["list"], {"keys"}),
        (["rotate"], {"key", "retired"}),
        (["revoke", KID, "--reason", "x"], {"key", "revoked"}),
        (["jwks"], {"keys"}),
    ],
)
def test_json_is_one_document_and_nothing_else(desk: WalletDesk, arguments: list[str], members: set[str]) -> None:
    desk.held = [key()]
    result = desk.run("signing-keys", *arguments, "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    assert set(json.loads(result.stdout)) == members
    assert result.stdout.count("\n") == 1


def test_a_wallet_that_cannot_be_opened_is_said_and_is_its_own_code(desk: WalletDesk) -> None:
    desk.refuse = Code.WALLET_UNAVAILABLE
    result = desk.run("signing-keys", "rotate")
    assert (result.exit_code, result.stdout) == (Exit.UNREACHABLE, "")
    assert "Error: " in result.stderr


def test_the_former_name_does_the_same_and_says_that_it_goes(desk: WalletDesk) -> None:
    desk.held = [key()]
    now, before = desk.run("signing-keys", "list"), desk.run("wallet", "list")
    assert (before.exit_code, before.stdout) == (0, now.stdout)
    assert (now.stderr, before.stderr) == (
        "",
        "Note: assent wallet is assent signing-keys now; the former name goes with the next version.\n",
    )
    assert "wallet" not in desk.run("--help").stdout
