"""Secrets: derived from one file, the same for ever, and written nowhere."""

from __future__ import annotations

import base64
import stat
from pathlib import Path

import pytest

from assent.contract.problems import Code
from assent_service.base.problem import Refusal
from assent_service.exchange.webhooks.keyring import Keyring, as_text, fingerprint, hint
from tests.service.control.actions.world import DAY, Hands
from tests.service.exchange.webhooks.receiver import Receiver, posting


def test_a_secret_depends_on_everything_that_names_it(tmp_path: Path) -> None:
    keys = Keyring(tmp_path)
    named = [("org_1", "wh_1", 1), ("org_2", "wh_1", 1), ("org_1", "wh_2", 1), ("org_1", "wh_1", 2)]
    secrets = [keys.secret(*name) for name in named]
    assert len(set(secrets)) == 4
    assert {len(secret) for secret in secrets} == {32}
    assert [Keyring(tmp_path).secret(*name) for name in named] == secrets


def test_it_is_what_hkdf_says(tmp_path: Path) -> None:
    """RFC 5869 by hand: no salt is a hash's length of zeros, and 32 bytes are one block."""
    import hashlib
    import hmac

    (tmp_path / "webhooks.key").write_text("0b" * 32)
    pseudo = hmac.new(b"\0" * 32, b"\x0b" * 32, hashlib.sha256).digest()
    expected = hmac.new(pseudo, b"assent webhook secret\0org_1\0wh_1\0007\x01", hashlib.sha256).digest()
    assert Keyring(tmp_path).secret("org_1", "wh_1", 7) == expected


def test_the_file_is_the_owners_alone_and_made_once(tmp_path: Path) -> None:
    first = Keyring(tmp_path)
    assert list(tmp_path.iterdir()) == []
    secret = first.secret("o", "w", 1)
    (file,) = tmp_path.iterdir()
    assert (file.name, stat.S_IMODE(file.stat().st_mode)) == ("webhooks.key", 0o600)
    assert secret.hex() not in file.read_text()
    assert Keyring(tmp_path).secret("o", "w", 1) == secret


def test_two_folders_have_nothing_in_common(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    assert Keyring(tmp_path / "a").secret("o", "w", 1) != Keyring(tmp_path / "b").secret("o", "w", 1)


def test_the_form_on_the_wire() -> None:
    secret = bytes(range(32))
    assert as_text(secret) == "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
    assert hint(secret) == "dHh8"
    assert fingerprint(b"") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


@pytest.mark.parametrize("content", ["", "zz" * 32, "ab" * 31, "ab" * 33, "é"])
def test_a_damaged_file_is_not_used_and_not_replaced(tmp_path: Path, content: str) -> None:
    file = tmp_path / "webhooks.key"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(Refusal) as found:
        Keyring(tmp_path).secret("o", "w", 1)
    assert found.value.code is Code.STORAGE_UNAVAILABLE
    assert "webhooks.key" in found.value.detail
    assert str(tmp_path) not in found.value.detail
    assert file.read_text(encoding="utf-8") == content


def test_a_folder_that_cannot_be_written_to(tmp_path: Path) -> None:
    with pytest.raises(Refusal) as found:
        Keyring(tmp_path / "missing").secret("o", "w", 1)
    assert found.value.code is Code.STORAGE_UNAVAILABLE


async def test_no_secret_is_recorded_anywhere(tmp_path: Path, receiver: Receiver) -> None:
    home = tmp_path / "home"
    async with posting(home) as post:
        made = await post.create(receiver.url)
        rotated = await post.webhooks.rotate(post.world.admin, made.webhook.webhook_id)
        await post.world.act()
        await post.rounds(made.webhook.webhook_id)
        await post.webhooks.test(post.world.admin, made.webhook.webhook_id)
        await post.world.service.ledger.caught_up()
    written = b"".join(file.read_bytes() for file in home.rglob("*") if file.is_file())
    assert made.webhook.webhook_id.encode() in written
    for secret in (made.webhook.secret, rotated.webhook.secret):
        raw = base64.b64decode(secret.removeprefix("whsec_"))
        for form in (secret.encode(), secret[6:30].encode(), raw, raw.hex().encode()):
            assert form not in written


async def test_after_a_rotation_the_old_secret_signs_for_a_day(tmp_path: Path, receiver: Receiver) -> None:
    async with posting(tmp_path / "home") as post:
        made = await post.create(receiver.url)
        webhook_id = made.webhook.webhook_id
        rotated = await post.webhooks.rotate(post.world.admin, webhook_id)
        old, new = made.webhook.secret, rotated.webhook.secret
        await post.webhooks.test(post.world.admin, webhook_id)
        assert (receiver.sent[-1].signed_by(old), receiver.sent[-1].signed_by(new)) == (True, True)
        post.clock.turn(DAY)
        await post.webhooks.test(post.world.admin, webhook_id)
        assert (receiver.sent[-1].signed_by(old), receiver.sent[-1].signed_by(new)) == (False, True)


async def test_without_its_file_deliveries_say_so_until_the_secret_is_rotated(
    tmp_path: Path, receiver: Receiver
) -> None:
    clock = Hands()
    async with posting(tmp_path / "home", clock) as post:
        webhook_id = (await post.create(receiver.url)).webhook.webhook_id
    (tmp_path / "home" / "webhooks.key").unlink()
    async with posting(tmp_path / "home", clock) as post:
        tested = await post.webhooks.test(post.world.admin, webhook_id)
        assert not tested.success
        assert tested.delivery.error is not None
        assert "secret is lost" in tested.delivery.error
        assert receiver.sent == []
        made = await post.webhooks.rotate(post.world.admin, webhook_id)
        assert (await post.webhooks.test(post.world.admin, webhook_id)).success
        assert receiver.sent[0].signed_by(made.webhook.secret)
