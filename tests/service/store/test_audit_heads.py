"""Signed heads held against the log: what shows a log that was truncated, rewritten or forked."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from assent.proof.jwk import jwk_of
from assent.proof.merkle import EMPTY
from assent_service.store import audit as audit_module
from assent_service.store.audit import NamedHead, audit
from assent_service.store.log import Submission
from assent_service.store.segments import seal_path
from tests.service.store.folder import (
    KEYS,
    NAMES,
    detail,
    files,
    fill,
    key_event,
    leaves,
    note,
    plant,
    quick,
    read,
    sign,
    sound_home,
    statuses,
    whole_writes,
)
from tests.service.store.logbook import Book, submission
from tests.vectors.test_merkle import mth


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return sound_home(tmp_path / "home")


def test_a_head_that_somebody_kept_is_in_the_log(home: Path) -> None:
    events = read(home)
    hashes = leaves(events, "org_a")
    kept = [NamedHead(f"at {size}", note("org_a", size, mth(hashes[:size]))) for size in range(len(hashes) + 1)]
    answer = msgspec.json.encode({"size": 2, "checkpoint": note("org_a", 2, mth(hashes[:2]))}).decode()
    found = quick(home, *kept, NamedHead("from the service", answer))
    assert found.ok, found.checks
    assert len(found.checks) == len(NAMES) + len(hashes) + 2
    assert "the log begins with the 2 events of org_a" in detail(found, "head from the service")
    assert found == audit(home, kept=[*kept, NamedHead("from the service", answer)], processes=2)


def forge(home: Path, last: Path) -> None:
    """The log rewritten from its end, all hashes fresh and right, by somebody who owns the folder."""
    shutil.rmtree(home)
    events = fill(home, "abcdefXY")
    plant(home, events)
    sign(home, events, 9, len(leaves(events, "org_a")))
    assert last.exists()


def truncate(home: Path, last: Path) -> None:
    """The last whole writes gone, and everything that would tell of them."""
    content = last.read_bytes()
    shorter = list(whole_writes(content))[-1]
    last.write_bytes(shorter)
    for name in ("tree", "heads"):
        shutil.rmtree(home / name)


def drop_a_file(home: Path, last: Path) -> None:
    last.unlink()
    seal_path(home / "log", int(files(home)[-1].stem)).unlink()
    for name in ("tree", "heads"):
        shutil.rmtree(home / name)


@pytest.mark.parametrize(
    ("attack", "said"),
    [(truncate, "events were taken away"), (drop_a_file, "events were taken away"), (forge, "events were changed")],
)
@pytest.mark.parametrize("org", sorted(KEYS))
def test_an_old_head_shows_a_truncated_or_forked_log(
    home: Path, attack: Callable[[Path, Path], None], said: str, org: str
) -> None:
    events = read(home)
    hashes = leaves(events, org)
    old = NamedHead("old", note(org, len(hashes), mth(hashes)))
    assert quick(home, old).ok
    attack(home, files(home)[-1])
    assert quick(home).ok, "by itself such a log is whole"
    found = quick(home, old)
    assert statuses(found) == dict.fromkeys(NAMES, "pass") | {"head old": "fail"}
    assert said in detail(found, "head old")


def test_stored_heads_show_it_as_well(home: Path) -> None:
    events = read(home)
    sign(home, events, len(leaves(events, "org_a")))
    last = files(home)[-1]
    last.write_bytes(list(whole_writes(last.read_bytes()))[-1])
    shutil.rmtree(home / "tree")
    found = quick(home)
    assert statuses(found)["heads"] == "fail"
    assert "org_a.jsonl" in detail(found, "heads")
    assert "events were taken away" in detail(found, "heads")


def test_a_head_must_be_signed_by_a_key_that_the_log_names(home: Path) -> None:
    root = mth(leaves(read(home), "org_a")[:5])
    stranger = Ed25519PrivateKey.from_private_bytes(b"s" * 32)
    good = note("org_a", 5, root)
    found = quick(
        home,
        NamedHead("stranger", note("org_a", 5, root, stranger)),
        NamedHead("other", note("org_a", 5, root, KEYS["org_b"])),
        # The right key's id over another text's signature.
        NamedHead("moved", good.replace("12:00:00", "12:00:01")),
        NamedHead("good", good),
    )
    assert statuses(found) == dict.fromkeys(NAMES, "pass") | {
        "head stranger": "fail", "head other": "fail", "head moved": "fail", "head good": "pass",
    }  # fmt: skip
    assert "names no key of the organization" in detail(found, "head stranger")
    assert "the signature is not that of the key" in detail(found, "head moved")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "not a checkpoint"),
        ("{}", "neither a checkpoint nor JSON with one"),
        ("{", "neither a checkpoint nor JSON with one"),
        ('{"checkpoint":"nothing"}', "not a checkpoint"),
        (note("org_a", 1, EMPTY, origin="assent.local"), "does not end in /<organization>"),
        (note("org_a", 1, EMPTY, origin="assent.local/"), "does not end in /<organization>"),
        (note("org_a", 1, EMPTY, origin="assent.local/org_c"), "the log has 0"),
        (note("org_a", 10**9, EMPTY), "events were taken away"),
    ],
)
def test_a_file_that_is_no_head_of_this_log_fails(home: Path, text: str, said: str) -> None:
    found = quick(home, NamedHead("kept", text))
    assert statuses(found) == dict.fromkeys(NAMES, "pass") | {"head kept": "fail"}
    assert said in detail(found, "head kept")


def test_a_key_that_was_revoked_is_told(home: Path) -> None:
    with Book(home) as book:
        book.write(Submission((key_event("org_a", KEYS["org_a"], "updated", revoked_at="2026-11-20T12:00:00Z"),)))
    root = mth(leaves(read(home), "org_a")[:5])
    found = quick(home, NamedHead("kept", note("org_a", 5, root)))
    assert found.ok
    assert "which was revoked since" in detail(found, "head kept")


def test_a_key_under_anothers_name_is_none(home: Path) -> None:
    stranger = Ed25519PrivateKey.from_private_bytes(b"s" * 32)
    with Book(home) as book:
        book.write(Submission((key_event("org_a", stranger, kid=jwk_of(KEYS["org_a"].public_key()).kid),)))
    found = quick(home)
    assert statuses(found)["heads"] == "fail"
    assert "is not the one that it is named after" in detail(found, "heads")


def test_stored_heads_are_of_their_organization_and_size(home: Path) -> None:
    path = home / "heads" / "org_a.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    other = (home / "heads" / "org_b.jsonl").read_bytes()
    for content in (
        other + b"".join(lines),
        b"".join(lines)[:-1],
        lines[0].replace(b'"size":1', b'"size":2'),
        lines[0].replace(b'":', b'": '),
        b"\n" + lines[0],
    ):
        path.write_bytes(content)
        assert statuses(quick(home)) == dict.fromkeys(NAMES, "pass") | {"heads": "fail"}


def test_what_is_read_first_may_grow_while_the_log_is_read(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A head signed and a tree grown after the log was listed, by a service that runs."""
    listed = audit_module.find_end
    events = read(home)

    def grow(folder: Path, pause: Callable[[float], object]) -> object:
        found = listed(folder, pause)
        with Book(home) as book:
            book.write(submission("later", "still"))
            fresh = book.all()
        plant(home, fresh)
        sign(home, fresh, len(leaves(fresh, "org_a")))
        return found

    monkeypatch.setattr(audit_module, "find_end", grow)
    found = quick(home)
    assert found.ok, found.checks
    assert found.events == len(events)
