"""Signing keys in the service: made when needed, rotated, revoked, and remembered."""

from __future__ import annotations

import asyncio
import base64
import json
from datetime import timedelta
from pathlib import Path

import pytest

from assent.contract.problems import Code
from assent.contract.roles import Role
from assent.proof.dsse import PAYLOAD_TYPE, open_envelope, seal
from assent.proof.jwk import load_jwk, standing
from assent.proof.note import key_id
from assent_service.evidence.wallet import Signer, Wallet, WalletState
from tests.backend import files
from tests.service.control.actions.world import DAY, SECOND, Hands, World, opened, refused
from tests.tiers import deep

ONE, TWO = (base64.b64encode(bytes([each]) * 32).decode() for each in (1, 2))


def wallet(world: World) -> Wallet:
    return world.service.wallet


async def test_there_is_no_key_until_one_is_needed_and_then_one(tmp_path: Path) -> None:
    async with opened(tmp_path) as world:
        ours = wallet(world)
        assert (ours.list(world.org_id), ours.jwks(world.org_id).keys, ours.has_key(world.org_id)) == ([], [], False)
        assert not (tmp_path / "wallet").exists()
        signers = await asyncio.gather(*(ours.signer(world.org_id) for _ in range(5)))
        assert len({signer.kid for signer in signers}) == 1
        (key,) = ours.list(world.org_id)
        assert (key.kid, key.status, key.created_by) == (signers[0].kid, "active", "system")
        assert key.not_after - key.not_before == timedelta(days=365)
        assert ours.has_key(world.org_id)
        (event,) = await world.events(kind="signing_key.")
        assert (event.type, event.subject, event.actor) == ("signing_key.created", key.kid, "system")


async def test_a_signer_signs_what_its_published_key_verifies(tmp_path: Path) -> None:
    async with opened(tmp_path) as world:
        signer = await wallet(world).signer(world.org_id)
        jwk = wallet(world).jwk(world.org_id, signer.kid)
        assert jwk == signer.jwk
        assert wallet(world).jwks(world.org_id).keys == [jwk]
        assert jwk is not None
        envelope = seal(b"{}", PAYLOAD_TYPE, signer.kid, signer.key)
        assert open_envelope(envelope, {signer.kid: load_jwk(jwk)}) == b"{}"
        assert standing(jwk, world.clock.moment) is None
        assert "rivate" not in repr(signer)


async def test_events_and_rows_have_the_public_part_only(tmp_path: Path) -> None:
    async with opened(tmp_path) as world:
        signer = await wallet(world).signer(world.org_id)
        (event,) = await world.events(kind="signing_key.")
        payload = json.loads(event.data or b"{}")
        assert payload["x"] == signer.jwk.x
        columns = "kid, x, created_by, retired_at, revoked_at, reason"
        (row,) = await world.service.ledger.read(f"SELECT {columns} FROM signing_keys")
        assert tuple(row) == (signer.kid, signer.jwk.x, "system", None, None, None)
        seed = signer.key.private_bytes_raw()
        for form in (seed, seed.hex().encode(), base64.b64encode(seed)[:42], base64.urlsafe_b64encode(seed)[:42]):
            assert form not in (event.data or b"")


async def test_rotation_retires_the_old_key_the_moment_the_new_one_begins(tmp_path: Path) -> None:
    async with opened(tmp_path) as world:
        before = await wallet(world).signer(world.org_id)
        signed_at = world.clock.moment
        world.clock.turn(7 * DAY)
        rotated = await wallet(world).rotate(world.admin, "yearly")
        old = rotated.retired
        assert old is not None
        assert (old.kid, old.status, old.reason) == (before.kid, "retired", "yearly")
        assert old.retired_by == world.admin.key_id
        assert old.not_after == old.retired_at == rotated.key.not_before
        assert (rotated.key.status, rotated.key.created_by) == ("active", world.admin.key_id)
        assert (await wallet(world).signer(world.org_id)).kid == rotated.key.kid != before.kid
        jwk = wallet(world).jwk(world.org_id, before.kid)
        assert jwk is not None
        assert standing(jwk, signed_at) is None
        assert standing(jwk, world.clock.moment + timedelta(seconds=2)) is not None
        assert [key.kid for key in wallet(world).jwks(world.org_id).keys] == [before.kid, rotated.key.kid]
        events = await world.events(kind="signing_key.")
        assert [event.type for event in events] == [
            "signing_key.created",
            "signing_key.updated",
            "signing_key.created",
        ]
        assert events[1].ts == events[2].ts


async def test_rotating_without_a_key_makes_the_first(tmp_path: Path) -> None:
    async with opened(tmp_path) as world:
        rotated = await wallet(world).rotate(world.admin, None)
        assert rotated.retired is None
        assert (await wallet(world).signer(world.org_id)).kid == rotated.key.kid


async def test_a_key_that_has_run_out_is_replaced_by_the_next_use(tmp_path: Path) -> None:
    async with opened(tmp_path, signing_key_days=2) as world:
        first = await wallet(world).signer(world.org_id)
        world.clock.turn(2 * DAY - SECOND)
        assert (await wallet(world).signer(world.org_id)).kid == first.kid
        world.clock.turn(SECOND)
        assert [key.status for key in wallet(world).list(world.org_id)] == ["expired"]
        second = await wallet(world).signer(world.org_id)
        assert second.kid != first.kid
        assert [key.status for key in wallet(world).list(world.org_id)] == ["expired", "active"]
        assert standing(second.jwk, world.clock.moment) is None
        world.clock.turn(2 * DAY)
        assert (await wallet(world).rotate(world.admin, "late")).retired is None, "it had ended by itself"
        assert [key.status for key in wallet(world).list(world.org_id)] == ["expired", "expired", "active"]


async def test_a_revoked_key_counts_for_nothing_and_is_replaced(tmp_path: Path) -> None:
    async with opened(tmp_path) as world:
        first = await wallet(world).signer(world.org_id)
        signed_at = world.clock.moment
        gone = await wallet(world).revoke(world.admin, first.kid, "laptop stolen")
        assert (gone.status, gone.revoked_by, gone.reason) == ("revoked", world.admin.key_id, "laptop stolen")
        jwk = wallet(world).jwk(world.org_id, first.kid)
        assert jwk is not None
        assert "laptop stolen" in (standing(jwk, signed_at) or "")
        async with refused(Code.SIGNING_KEY_ENDED) as found:
            await wallet(world).revoke(world.admin, first.kid, "again")
        assert found.value.status == 409
        second = await wallet(world).signer(world.org_id)
        assert second.kid != first.kid
        assert standing(second.jwk, world.clock.moment) is None


async def test_a_retired_key_can_still_be_revoked_and_the_one_in_use_goes_on(tmp_path: Path) -> None:
    async with opened(tmp_path) as world:
        first = await wallet(world).signer(world.org_id)
        rotated = await wallet(world).rotate(world.admin, "yearly")
        gone = await wallet(world).revoke(world.admin, first.kid, "found in a backup")
        assert (gone.status, gone.reason, gone.retired_at) == ("revoked", "found in a backup", rotated.key.not_before)
        assert (await wallet(world).signer(world.org_id)).kid == rotated.key.kid


async def test_no_other_organization_has_anything_to_do_with_it(tmp_path: Path) -> None:
    async with opened(tmp_path) as world:
        stranger = await world.stranger()
        ours = await wallet(world).signer(world.org_id)
        assert wallet(world).list(stranger.org_id) == []
        assert wallet(world).jwk(stranger.org_id, ours.kid) is None
        async with refused(Code.SIGNING_KEY_NOT_FOUND):
            await wallet(world).revoke(stranger, ours.kid, "mine")
        theirs = await wallet(world).signer(stranger.org_id)
        assert theirs.kid != ours.kid
        await wallet(world).revoke(stranger, theirs.kid, "mine")
        assert (await wallet(world).signer(world.org_id)).kid == ours.kid


async def test_an_unknown_key_cannot_be_revoked(tmp_path: Path) -> None:
    async with opened(tmp_path) as world, refused(Code.SIGNING_KEY_NOT_FOUND):
        await wallet(world).revoke(world.admin, "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k", "gone")


async def test_the_key_of_a_note_is_found_by_its_id(tmp_path: Path) -> None:
    async with opened(tmp_path) as world:
        first = await wallet(world).signer(world.org_id)
        second = (await wallet(world).rotate(world.admin, None)).key
        identity = key_id("log/one", first.key.public_key())
        assert wallet(world).kid_of(world.org_id, "log/one", identity) == first.kid != second.kid
        assert wallet(world).kid_of(world.org_id, "log/two", identity) is None
        assert wallet(world).kid_of("org_other", "log/one", identity) is None


async def test_no_kid_begins_like_an_option(tmp_path: Path) -> None:
    """One of 64 would; this many without one happen once in two billion otherwise."""
    async with opened(tmp_path) as world:
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        from assent.proof.jwk import jwk_of

        seeds = (n.to_bytes(32, "big") for n in range(10_000))
        keys = [Ed25519PrivateKey.from_private_bytes(seed) for seed in seeds]
        bad = [key for key in keys if jwk_of(key.public_key()).kid.startswith("-")]
        good = next(key for key in keys if key not in bad)
        made = iter([bad[0], bad[1], good])
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr("assent_service.evidence.wallet.wallet.Ed25519PrivateKey", Fixed(made.__next__))
            signer = await wallet(world).signer(world.org_id)
        assert signer.kid == jwk_of(good.public_key()).kid


class Fixed:
    """Stands for the class that makes keys."""

    def __init__(self, generate: object) -> None:
        self.generate = generate


async def test_a_restart_keeps_the_keys_and_what_became_of_them(tmp_path: Path) -> None:
    clock = Hands()
    async with opened(tmp_path, clock) as world:
        stranger = await world.stranger()
        theirs = await wallet(world).signer(stranger.org_id)
        first = await wallet(world).signer(world.org_id)
        await wallet(world).rotate(world.admin, "yearly")
        await wallet(world).revoke(world.admin, first.kid, "stolen")
        active = await wallet(world).signer(world.org_id)
        told = wallet(world).list(world.org_id)
    async with opened(tmp_path, clock) as world:
        assert wallet(world).list(world.org_id) == told
        again = await wallet(world).signer(world.org_id)
        assert (again.kid, again.jwk) == (active.kid, active.jwk)
        assert again.key.private_bytes_raw() == active.key.private_bytes_raw()
        assert (await wallet(world).signer(stranger.org_id)).kid == theirs.kid


async def test_loading_gives_what_folding_gives(tmp_path: Path) -> None:
    async with opened(tmp_path) as world:
        stranger = await world.stranger()
        for turn in range(12):
            by = world.admin if turn % 3 else stranger
            if turn % 4 == 3:
                await wallet(world).revoke(by, (await wallet(world).signer(by.org_id)).kid, f"reason {turn}")
            else:
                await wallet(world).rotate(by, None if turn % 2 else f"turn {turn}")
            world.clock.turn(DAY)
        organizations = (world.org_id, stranger.org_id)
        folded = WalletState()
        for org_id in organizations:
            for event in await world.events(org_id, "signing_key."):
                assert event.type in folded.types
                folded.fold(event)
        lived = {org_id: wallet(world).state.of(org_id) for org_id in organizations}
        await world.service.ledger.caught_up()
    async with opened(tmp_path) as world:
        assert list(world.service.ledger.log.tail) == [], "the tables hold all of it"
        for org_id in organizations:
            assert wallet(world).state.of(org_id) == folded.of(org_id) == lived[org_id]
            assert wallet(world).state.newest(org_id) == folded.newest(org_id)
            assert len(lived[org_id]) > 2


async def test_when_the_clock_steps_back_the_newest_is_still_known_and_signs(tmp_path: Path) -> None:
    clock = Hands()
    async with opened(tmp_path, clock) as world:
        first = await wallet(world).signer(world.org_id)
        clock.turn(-3 * DAY)
        second = await wallet(world).signer(world.org_id)
        assert second.kid != first.kid, "what the first one signed now would count for nothing"
        assert standing(second.jwk, clock.moment) is None
        assert [key.status for key in wallet(world).list(world.org_id)] == ["expired", "active"]
    async with opened(tmp_path, clock) as world:
        assert (await wallet(world).signer(world.org_id)).kid == second.kid
        clock.turn(4 * DAY)
        assert (await wallet(world).signer(world.org_id)).kid == second.kid


async def unavailable(world: World) -> str:
    async with refused(Code.WALLET_UNAVAILABLE) as found:
        await wallet(world).signer(world.org_id)
    assert found.value.status == 503
    return found.value.detail


async def signer_of(home: Path, clock: Hands, key: str | None) -> Signer:
    async with opened(home, clock, wallet_key=key) as world:
        return await wallet(world).signer(world.org_id)


@files("a service with another key does not start beside those that share the log (tests/engine)")
@pytest.mark.parametrize(
    "other", [TWO, *(pytest.param(each, marks=deep("not the key in a further way")) for each in ("garbage", None))]
)
async def test_with_another_key_the_wallet_is_shut_guard_goes_on_and_rotating_helps(
    tmp_path: Path, other: str | None
) -> None:
    clock = Hands()
    first = await signer_of(tmp_path, clock, ONE)
    async with opened(tmp_path, clock, wallet_key=other) as world:
        detail = await unavailable(world)
        assert "ASSENT_WALLET_KEY" in detail
        assert other is None or other not in detail
        assert (await world.guard()).decision == "allow"
        assert [key.kid for key in wallet(world).jwks(world.org_id).keys] == [first.kid], "verifying goes on, too"
        if other == "garbage":
            async with refused(Code.WALLET_UNAVAILABLE):
                await wallet(world).rotate(world.admin, "lost")
            return
        rotated = await wallet(world).rotate(world.admin, "lost")
        assert rotated.retired is not None
        assert rotated.retired.kid == first.kid
        assert (await wallet(world).signer(world.org_id)).kid == rotated.key.kid
    assert (await signer_of(tmp_path, clock, other)).kid == rotated.key.kid


async def test_once_the_file_is_put_back_the_wallet_opens_without_a_restart(tmp_path: Path) -> None:
    clock = Hands()
    first = await signer_of(tmp_path, clock, None)
    kept = tmp_path / "wallet.key"
    async with opened(tmp_path, clock) as world:
        kept.rename(tmp_path / "aside")
        assert "wallet.key in the data folder is missing" in await unavailable(world)
        assert not kept.exists()
        (tmp_path / "aside").rename(kept)
        kept.chmod(0o640)
        assert "can be read by others" in await unavailable(world)
        kept.chmod(0o600)
        assert (await wallet(world).signer(world.org_id)).kid == first.kid


@files("sealed keys are in the database")
async def test_a_key_that_could_not_be_kept_is_not_recorded(tmp_path: Path) -> None:
    async with opened(tmp_path) as world:
        (tmp_path / "wallet").write_text("in the way")
        async with refused(Code.STORAGE_UNAVAILABLE):
            await wallet(world).signer(world.org_id)
        assert (wallet(world).list(world.org_id), await world.events(kind="signing_key.")) == ([], [])
        (tmp_path / "wallet").unlink()
        assert (await wallet(world).signer(world.org_id)).kid


async def test_what_could_not_be_recorded_did_not_happen(tmp_path: Path) -> None:
    async with opened(tmp_path) as world:
        first = await wallet(world).signer(world.org_id)
        told = wallet(world).list(world.org_id)
        world.break_disk().room = 0
        async with refused(Code.STORAGE_UNAVAILABLE):
            await wallet(world).rotate(world.admin, None)
        async with refused(Code.STORAGE_UNAVAILABLE):
            await wallet(world).revoke(world.admin, first.kid, "stolen")
        assert wallet(world).list(world.org_id) == told
        assert (await wallet(world).signer(world.org_id)).kid == first.kid


async def test_over_http(tmp_path: Path) -> None:
    async with opened(tmp_path) as world:
        assert (await world.http("GET", "/.well-known/jwks.json")).json() == {"keys": []}
        assert (await world.http("GET", "/api/signing-keys", by=Role.AUDITOR)).json() == {"keys": []}
        made = await world.http("POST", "/api/signing-keys/rotate")
        assert (made.status_code, made.json()["retired"]) == (201, None)
        kid = made.json()["key"]["kid"]
        (listed,) = (await world.http("GET", "/api/signing-keys", by=Role.OPERATOR)).json()["keys"]
        assert listed == made.json()["key"]
        (jwk,) = (await world.http("GET", "/.well-known/jwks.json")).json()["keys"]
        assert set(jwk) == {"kty", "crv", "x", "kid", "use", "alg", "nbf", "exp"}
        for body in ({}, {"reason": ""}, {"reason": None}, {"reason": 5}, {"reason": "x" * 501}):
            refusal = await world.http("POST", f"/api/signing-keys/{kid}/revoke", body)
            assert (refusal.status_code, refusal.json()["code"]) == (400, "invalid_body")
        revoked = await world.http("POST", f"/api/signing-keys/{kid}/revoke", {"reason": "stolen"})
        assert (revoked.status_code, revoked.json()["revoked"], revoked.json()["key"]["status"]) == (
            200,
            True,
            "revoked",
        )
        again = await world.http("POST", f"/api/signing-keys/{kid}/revoke", {"reason": "stolen"})
        assert (again.status_code, again.json()["code"]) == (409, "signing_key_ended")
        for unknown in (kid[:-1], "A" * 43):
            missing = await world.http("POST", f"/api/signing-keys/{unknown}/revoke", {"reason": "stolen"})
            assert (missing.status_code, missing.json()["code"]) == (404, "signing_key_not_found")
        bad = await world.http("POST", "/api/signing-keys/-AAA/revoke", {"reason": "stolen"})
        assert (bad.status_code, bad.json()["code"]) == (400, "invalid_path")
        (jwk,) = (await world.http("GET", f"/.well-known/jwks.json?org_id={world.org_id}")).json()["keys"]
        assert jwk["revoked"]["reason"] == "stolen"
        unknown_set = await world.http("GET", "/.well-known/jwks.json?org_id=org_nobody")
        assert (unknown_set.status_code, unknown_set.json()) == (200, {"keys": []})
        odd = await world.http("GET", "/.well-known/jwks.json?org_id=../etc")
        assert (odd.status_code, odd.json()["code"]) == (400, "invalid_query")


@files("sealed keys are in the database")
async def test_keys_that_are_missing_at_the_start_are_told_until_they_are_back(tmp_path: Path) -> None:
    async with opened(tmp_path) as world:
        signer = await wallet(world).signer(world.org_id)
    file = tmp_path / "wallet" / world.org_id / f"{signer.kid}.key"
    content = file.read_bytes()
    file.unlink()
    async with opened(tmp_path) as world:
        ours = wallet(world)
        assert ours.inspect().status == "pass", "nobody has looked yet"
        await ours.start()
        found = ours.inspect()
        assert (found.name, found.status, found.code) == ("wallet", "fail", "wallet_unavailable")
        assert "is missing" in found.detail
        assert world.org_id not in found.detail
        assert signer.kid not in found.detail
        async with refused(Code.WALLET_UNAVAILABLE):
            await ours.signer(world.org_id)
        file.write_bytes(content)
        file.chmod(0o600)
        assert (ours.inspect().status, ours.inspect().code) == ("pass", None)
        assert (await ours.signer(world.org_id)).kid == signer.kid


@files("sealed keys are in the database")
async def test_a_key_whose_time_is_over_is_not_missed(tmp_path: Path) -> None:
    async with opened(tmp_path, signing_key_days=1.0) as world:
        signer = await wallet(world).signer(world.org_id)
    (tmp_path / "wallet" / world.org_id / f"{signer.kid}.key").unlink()
    async with opened(tmp_path, world.clock, signing_key_days=1.0) as world:
        await wallet(world).start()
        assert wallet(world).inspect().status == "fail"
        world.clock.turn(2 * DAY)
        assert wallet(world).inspect().status == "pass", "the next use makes another"
        assert (await wallet(world).signer(world.org_id)).kid != signer.kid
