"""What commit 6a49c10 wrote is read today: it opens, answers as it did, verifies, is made anew, and is proven."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import duckdb
import msgspec
import pytest
from typer.testing import CliRunner

from assent.cli.app import app
from assent.contract.evidence.wallet import Jwks
from assent.proof.verify import verify
from tests.house.old_folder import Answer, difference, recorded, serving, unpack
from tests.tiers import deep

KEYS = {"paid": "one", "review": "one", "second": "two"}
"""Whose key set is whose bundle's."""


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Answer]]:
    """A copy that the service has opened, asked everything, and closed; and what it answered."""
    unpacked = unpack(tmp_path_factory.mktemp("opened"))
    with serving(unpacked) as house:
        return unpacked / "home", house.again(recorded())


@pytest.fixture(scope="module")
def untouched(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The archive's content; who changes anything of it takes a copy."""
    return unpack(tmp_path_factory.mktemp("untouched"))


def assent(*arguments: object) -> tuple[int, Any]:
    """Exit code and JSON of a command."""
    done = CliRunner().invoke(app, [*map(str, arguments), "--json"])
    return done.exit_code, json.loads(done.stdout)


def statuses(found: Mapping[str, Any]) -> dict[str, str]:
    return {check["name"].partition(" ")[0]: check["status"] for check in found["checks"]}


@deep("asks a service for everything that it ever answered")
def test_every_get_is_answered_as_it_was(opened: tuple[Path, list[Answer]]) -> None:
    found = [text for before, now in zip(recorded(), opened[1], strict=True) if (text := difference(before, now))]
    assert not found, f"{len(found)} of {len(opened[1])} answers are not as they were:\n" + "\n\n".join(found[:20])


@deep("asks a service for everything that it ever answered")
def test_the_log_and_the_tables_verify(opened: tuple[Path, list[Answer]]) -> None:
    code, found = assent("log", "verify", "--home", opened[0], "--tables")
    assert (code, set(statuses(found).values())) == (0, {"pass"}), found


@deep("asks a service for everything that it ever answered")
def test_tables_that_are_made_anew_are_the_same(opened: tuple[Path, list[Answer]], tmp_path: Path) -> None:
    anew = tmp_path / "home"
    shutil.copytree(opened[0], anew)
    (anew / "tables.duckdb").unlink()
    assert assent("rebuild", "--home", anew)[0] == 0
    with duckdb.connect() as both:
        both.execute(f"ATTACH '{opened[0] / 'tables.duckdb'}' AS old (READ_ONLY)")
        both.execute(f"ATTACH '{anew / 'tables.duckdb'}' AS anew (READ_ONLY)")
        shape = "SELECT table_name, column_name, data_type FROM duckdb_columns() WHERE database_name = ? ORDER BY ALL"
        old, new = (both.execute(shape, [name]).fetchall() for name in ("old", "anew"))
        assert old == new
        for table in {table for table, _, _ in old} - {"migrations"}:
            columns = ", ".join(f'"{column}"' for each, column, _ in old if each == table)
            for one, other in (("old", "anew"), ("anew", "old")):
                query = f'SELECT {columns} FROM {one}."{table}" EXCEPT ALL SELECT {columns} FROM {other}."{table}"'
                assert both.execute(query).fetchall() == [], (table, f"only in {one}")


@pytest.mark.parametrize("name", ["action", "log", "export"])
@pytest.mark.parametrize("of", KEYS)
def test_a_bundle_of_then_verifies(untouched: Path, of: str, name: str) -> None:
    bundle = (untouched / "bundles" / f"{of}.{name}.json").read_bytes()
    found = verify(bundle, keys=key_set(untouched, KEYS[of]))
    assert (found.ok, found.signer) == (True, "trusted"), found
    number = bundle.index(b"sha256:") + 10
    damaged = bundle[:number] + (b"0" if bundle[number : number + 1] != b"0" else b"1") + bundle[number + 1 :]
    assert not verify(damaged, keys=key_set(untouched, KEYS[of])).ok


def test_a_bundle_that_proves_growth_does_so_today(untouched: Path) -> None:
    bundle = (untouched / "bundles" / "since.json").read_bytes()
    keys = key_set(untouched, "one")
    assert verify(bundle, keys=keys, since=head(untouched, "paid")).ok
    assert not verify(bundle, keys=keys, since=head(untouched, "second")).ok


@deep("asks a service for everything that it ever answered")
def test_heads_that_were_kept_are_of_the_log(
    opened: tuple[Path, list[Answer]], untouched: Path, tmp_path: Path
) -> None:
    for name in ("paid", "two.last"):
        note = tmp_path / f"{name}.note"
        note.write_text(head(untouched, name), encoding="utf-8")
        code, found = assent("log", "verify", "--home", opened[0], "--head", note)
        assert code == 0, found


def test_one_byte_of_the_log_is_missed(untouched: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    shutil.copytree(untouched / "home", home)
    segment = min((home / "log").glob("*.log"))
    whole = bytearray(segment.read_bytes())
    whole[len(whole) // 2] ^= 1
    segment.write_bytes(whole)
    code, found = assent("log", "verify", "--home", home)
    assert (code != 0, statuses(found)["log"]) == (True, "fail")


def test_a_difference_is_shown() -> None:
    before = Answer(key="one admin", path="/api/x", status=200, content_type="application/json", body='{"a":1,"b":2}')
    assert difference(before, before) == ""
    now = msgspec.structs.replace(before, body='{"a":1,"b":3}')
    assert difference(before, now).splitlines()[-2:] == ['-"b":2}', '+"b":3}']
    for other in ({"status": 404}, {"content_type": "text/plain"}, {"body": '{"a":1,\n"b":2}'}):
        assert difference(before, msgspec.structs.replace(before, **other)).startswith("one admin: GET /api/x\n")


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("0.11", "0.10999999999999999", True),
        ("0.15366856930196765", "0.15366856930196762", True),
        ("74.83333333333333", "74.83333333333336", True),
        ("0.1100000001", "0.11", False),
        ("1.5016209550397606", "1.5016209551397606", False),
        ("3.0000000000000004e-7", "3.0000000000000001e-6", False),
    ],
)
def test_the_last_digits_of_a_sum_are_no_difference(one: str, other: str, same: bool) -> None:
    before, now = (
        Answer(key="one", path="/api/x", status=200, content_type="application/json", body=f'{{"mean":{number}}}')
        for number in (one, other)
    )
    assert (difference(before, now) == "") is same


def key_set(unpacked: Path, of: str) -> Jwks:
    return msgspec.json.decode((unpacked / "bundles" / f"{of}.keys.json").read_bytes(), type=Jwks)


def head(unpacked: Path, name: str) -> str:
    """The text of a tree head that was given out then."""
    (file,) = (each for each in (f"{name}.head.json", f"{name}-head.json") if (unpacked / "bundles" / each).exists())
    text: str = json.loads((unpacked / "bundles" / file).read_bytes())["checkpoint"]
    return text
