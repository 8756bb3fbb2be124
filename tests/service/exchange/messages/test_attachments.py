"""Attachments on disk: durable before anybody is told, and handed out whole or not at all."""

from __future__ import annotations

import errno
from hashlib import sha256
from pathlib import Path

import pytest

from assent.contract.problems import Code
from assent_service.store.blobs import BlobMissing, Blobs
from assent_service.store.files import Files
from tests.service.control.actions.world import refused
from tests.service.exchange.messages.post import Post, file

CONTENT = b"\x89PNG and so on \x00\xff"


async def test_a_file_comes_back_as_it_was_sent(post: Post) -> None:
    sent = await post.send(post.a, "b", attachments=[file(CONTENT, "plän.png", "image/png"), file(b"two")])
    first, second = sent.attachments
    assert (first.filename, first.mime_type, first.size_bytes) == ("plän.png", "image/png", len(CONTENT))
    assert await post.messages.attachment(post.b, first.id) == (first, CONTENT)
    assert await post.messages.attachment(post.a, second.id) == (second, b"two")
    assert (await post.page(post.b, "inbox")).messages[0].attachments == [first, second]


async def test_the_log_has_what_is_known_of_a_file_and_not_the_file(post: Post) -> None:
    sent = await post.send(post.a, "b", attachments=[file(CONTENT)])
    (event,) = await post.world.events(kind="message.created")
    assert event.data is not None
    assert file(CONTENT)["data"].encode() not in event.data
    digest = sha256(CONTENT).hexdigest()
    assert digest.encode() in event.data
    place = post.blobs_at / post.world.org_id / digest
    assert place.read_bytes() == CONTENT
    assert (place.stat().st_mode & 0o077, sent.attachments[0].sha256) == (0, digest)


async def test_only_those_who_see_the_message_get_its_file(post: Post) -> None:
    (made,) = (await post.send(post.a, "b", attachments=[file()])).attachments
    stranger = await post.world.stranger()
    for by, id_ in ((post.c, made.id), (stranger, made.id), (post.a, made.id[:-1] + "2"), (post.a, "att_x")):
        async with refused(Code.ATTACHMENT_NOT_FOUND):
            await post.messages.attachment(by, id_)
    assert (await post.messages.attachment(post.world.admin, made.id))[1] == b"a file"


@pytest.mark.parametrize("damage", ["changed", "gone"])
async def test_a_damaged_file_is_not_handed_out_and_sending_it_again_mends_it(post: Post, damage: str) -> None:
    (made,) = (await post.send(post.a, "b", attachments=[file()])).attachments
    place = post.blobs_at / post.world.org_id / made.sha256
    if damage == "changed":
        place.write_bytes(b"A file")
    else:
        place.unlink()
    async with refused(Code.INTERNAL_ERROR) as found:
        await post.messages.attachment(post.b, made.id)
    assert str(post.blobs_at) not in found.value.detail
    await post.send(post.a, "c", attachments=[file()])
    assert (await post.messages.attachment(post.b, made.id))[1] == b"a file"


async def test_a_message_whose_file_cannot_be_kept_is_not_sent(post: Post) -> None:
    class Full(Files):
        def write(self, fd: int, data: memoryview) -> int:
            raise OSError(errno.ENOSPC, "No space left on device")

    post.messages._blobs = Blobs(post.blobs_at, Full())
    before = len(await post.world.events())
    async with refused(Code.STORAGE_UNAVAILABLE) as found:
        await post.send(post.a, "b", attachments=[file()])
    assert "No space left" in found.value.detail
    assert len(await post.world.events()) == before
    assert [each for each in post.blobs_at.rglob("*") if each.is_file()] == []
    # What carries nothing is still sent.
    assert (await post.send(post.a, "b")).attachments == []


async def test_nothing_is_stored_for_a_message_that_is_refused(post: Post) -> None:
    thread = (await post.thread(post.a)).thread_id
    await post.resolve(post.a, thread)
    async with refused(Code.THREAD_CLOSED):
        await post.send(post.a, "b", thread_id=thread, attachments=[file()])
    async with refused(Code.INVALID_BODY):
        await post.send(post.a, "b", attachments=[file(), file(kind="text/html")])
    assert not post.blobs_at.exists()


def test_a_file_is_synced_before_it_has_its_name_and_its_folder_after(tmp_path: Path) -> None:
    told: list[str] = []

    class Told(Files):
        def fsync(self, fd: int) -> None:
            names = [each.suffix for each in (tmp_path / "blobs" / "org_1").iterdir()]
            told.append(f"file while there is {names}")
            super().fsync(fd)

        def sync_folder(self, folder: Path) -> None:
            names = [each.name == digest for each in folder.iterdir() if each.is_file()]
            told.append(f"{folder.name} with {names}")
            super().sync_folder(folder)

    digest = sha256(b"x").hexdigest()
    assert Blobs(tmp_path / "blobs", Told()).put("org_1", b"x") == digest
    assert told == [f"{tmp_path.name} with []", "blobs with []", "file while there is ['.part']", "org_1 with [True]"]


def test_what_a_killed_write_left_is_swept_and_the_rest_stays(tmp_path: Path) -> None:
    blobs = Blobs(tmp_path)
    digest = blobs.put("org_1", b"x")
    left = tmp_path / "org_1" / f"{digest}.00.part"
    left.write_bytes(b"hal")
    blobs.sweep()
    assert [each.name for each in (tmp_path / "org_1").iterdir()] == [digest]
    assert blobs.get("org_1", digest) == b"x"
    with pytest.raises(BlobMissing):
        blobs.get("org_2", digest)
