"""`assent backup` of a service that is asked, records and erases meanwhile. A service on the copy signs nothing until
`assent log adopt`, and the proofs of before hold."""

from __future__ import annotations

import json
import shutil
import threading
from pathlib import Path

import httpx

from tests.live import SETTINGS, start_service
from tests.stories.proving import assent, bundle_of, failing, log_verify, offline, published_keys, whole_action
from tests.stories.tenant import Tenant
from tests.tiers import deep

pytestmark = deep("a load, several starts and processes")


def test_backups_under_load_are_whole_and_verify(tmp_path: Path, http: httpx.Client) -> None:
    home, target = tmp_path / "home", tmp_path / "target"
    stop, acknowledged, erased = threading.Event(), list[str](), list[str]()
    home.mkdir()
    (home / "assent.toml").write_text(
        "segment_megabytes = 1\nhead_seconds = 0.5\n" + SETTINGS.replace("head_seconds = 3600\n", "")
    )
    with start_service(home) as service:
        tenant = Tenant(service, http)
        tenant.governed()
        kept = whole_action(tenant)
        bundle, head = bundle_of(tenant, kept), tenant.call("GET", "/api/log/head")

        def load(number: int) -> None:
            with tenant.client("admin", f"bot-{number}") as client:
                while not stop.is_set():
                    action = client.create_action("look", "Read the report", input_summary="x" * 2000)
                    acknowledged.append(action.action_id)
                    if number == 0:
                        client.update_outcome(action.action_id, "completed", output_summary="Read")
                        done = tenant.send("POST", f"/api/actions/{action.action_id}/erase", {"reason": "asked for"})
                        assert done.status < 300, done.content
                        erased.append(action.action_id)

        threads = [threading.Thread(target=load, args=(number,)) for number in range(3)]
        for each in threads:
            each.start()
        try:
            for number in range(4):
                # The third and the fourth after a rotation.
                while sum(path.stat().st_size for path in (home / "log").glob("*.log")) < 450_000 * (number + 1):
                    assert any(each.is_alive() for each in threads)
                    stop.wait(0.01)
                before = list(acknowledged)
                done = assent("backup", target, "--home", home, "--json")
                assert done.returncode == 0, done.stderr
                assert log_verify(target, head["checkpoint"], at=tmp_path)[0] == 0
        finally:
            stop.set()
            for each in threads:
                each.join()
        keys = published_keys(service, tenant.org_id)
    assert erased
    copied = b"".join(path.read_bytes() for path in sorted((target / "log").glob("*.log")))
    # Acknowledged before the last backup began: none is missing.
    assert [each for each in before if each.encode() not in copied] == []
    assert json.loads(done.stdout)["events"] == copied.count(b"\n")
    assert len(list((home / "log").glob("*.log"))) > 1
    assert failing(offline(bundle, keys, head["checkpoint"])) == set()
    last = assent("backup", target, "--home", home)
    assert last.returncode == 0, last.stderr
    lines = [b"".join(path.read_bytes() for path in sorted((each / "log").glob("*.log"))) for each in (home, target)]
    assert lines[0] == lines[1]
    for name in ("admin.key", "wallet.key"):
        if (home / name).exists():
            shutil.copy(home / name, target / name)
    assert assent("rebuild", "--home", target).returncode == 0
    done = assent("log", "verify", "--tables", "--home", target)
    assert done.returncode == 0, done.stdout


def test_a_restored_backup_signs_nothing_until_it_is_adopted(tmp_path: Path, http: httpx.Client) -> None:
    home, target = tmp_path / "home", tmp_path / "target"
    with start_service(home) as service:
        tenant = Tenant(service, http)
        tenant.governed()
        kept = whole_action(tenant)
        bundle, head = bundle_of(tenant, kept), tenant.call("GET", "/api/log/head")
        assert assent("backup", target, "--home", home).returncode == 0
        tenant.create(declared_goal="made after the backup")
        newest = tenant.call("GET", f"/api/log/head?size={tenant.recorded()}")
    for name in ("wallet.key", "assent.toml"):
        shutil.copy(home / name, target / name)
    with start_service(target) as service:
        tenant.service = service
        status, ready = service.call("GET", "/ready", key=None)
        [wallet] = [each for each in ready["checks"] if each["name"] == "wallet"]
        assert (status, wallet["status"], wallet["code"]) == (503, "fail", "wallet_unavailable")
        assert "was restored from the backup of " in wallet["detail"]
        assert "run `assent log adopt`" in wallet["detail"]
        refused = tenant.send("GET", "/api/log/head")
        assert (refused.status, refused.code) == (503, "wallet_unavailable")
        assert "Nothing is signed. This data folder was restored from the backup of" in refused.body["detail"]
        keys = tenant.call("GET", "/api/signing-keys")
        refused = tenant.send("POST", "/api/signing-keys/rotate", {"reason": "so that it signs"})
        assert (refused.status, refused.code) == (503, "wallet_unavailable")
        assert tenant.call("GET", "/api/signing-keys") == keys
        # Whoever asks is governed as ever.
        tenant.create(declared_goal="made while nothing is signed")
        assert assent("log", "adopt", "--home", target).returncode != 0  # in use
    lines = (target / "heads" / f"{tenant.org_id}.jsonl").read_bytes()
    assert lines == (home / "heads" / f"{tenant.org_id}.jsonl").read_bytes()[: len(lines)]
    note = tmp_path / "newest.note"
    note.write_text(newest["checkpoint"])
    done = assent("log", "adopt", "--home", target, "--head", note)
    assert done.returncode == 0, done.stderr
    assert f"Not of this log: a head of {newest['size']} events of {tenant.org_id}" in done.stdout
    with start_service(target) as service:
        tenant.service = service
        assert service.call("GET", "/ready", key=None)[0] == 200
        signed = tenant.call("GET", "/api/log/head")
        keys = tenant.call("GET", "/api/signing-keys")["keys"]
        [ended] = [each for each in keys if each["kid"] == head["kid"]]
        assert ended["status"] == "retired"
        assert ended["reason"].startswith("The log was restored to event ")
        assert f"A head of {newest['size']} events, root {newest['root']}, signed " in ended["reason"]
        assert signed["kid"] != head["kid"]
        published = published_keys(service, tenant.org_id)
        found = offline(bundle, published, head["checkpoint"])
        assert (failing(found), found["signer"]) == (set(), "trusted")
        assert tenant.call("GET", f"/api/log/consistency?from={head['size']}")["first"]["root"] == head["root"]
    with start_service(target) as service:
        # Once is enough: nothing is adopted again.
        assert len(service.call("GET", "/api/signing-keys", key=tenant.keys["admin"])[1]["keys"]) == len(keys)
    assert log_verify(target, head["checkpoint"], at=tmp_path)[0] == 0
    code, found_by_name = log_verify(target, newest["checkpoint"], at=tmp_path)
    assert (code, found_by_name["head"][0], found_by_name["heads"][0]) == (1, "fail", "pass")


def test_heads_that_are_newer_than_the_log_are_seen_without_a_mark(tmp_path: Path, http: httpx.Client) -> None:
    """A copy of the folder by other means; its heads were kept elsewhere and are put back."""
    home, old = tmp_path / "home", tmp_path / "old"
    with start_service(home) as service:
        tenant = Tenant(service, http)
        tenant.create()
        tenant.call("GET", "/api/log/head")
    shutil.copytree(home, old)
    with start_service(home) as service:
        tenant.service = service
        tenant.create(declared_goal="lost")
        newest = tenant.call("GET", f"/api/log/head?size={tenant.recorded()}")
    shutil.copytree(home / "heads", old / "heads", dirs_exist_ok=True)
    for grown in (0, 12):
        with start_service(old) as service:
            tenant.service = service
            for _ in range(grown):
                tenant.create(declared_goal="made instead")
            refused = tenant.send("GET", "/api/log/head")
            assert (refused.status, refused.code) == (503, "wallet_unavailable")
            assert " events was signed at " in refused.body["detail"]
            assert "does not hold it: it was restored to an earlier moment, or cut" in refused.body["detail"]
            assert service.call("GET", "/ready", key=None)[0] == 503
    assert assent("log", "adopt", "--home", old).returncode == 0
    assert len((old / "lost-heads" / f"{tenant.org_id}.jsonl").read_text().splitlines()) >= 1
    with start_service(old) as service:
        tenant.service = service
        assert tenant.call("GET", "/api/log/head")["size"] > newest["size"]
        assert service.call("GET", "/ready", key=None)[0] == 200
    assert log_verify(old, at=tmp_path)[0] == 0
