"""`assent verify`: the verdict in words, the checks as a table or JSON, and the exit code."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest
from typer.testing import CliRunner

from assent.cli.app import app
from assent.cli.failures import Exit
from assent.cli.text import clean
from assent.contract.evidence.proofs import ProofVerification
from assent.proof.verify import verify
from tests.vectors.edited import edited_value
from tests.vectors.key_sets import KEY_SETS
from tests.vectors.sealing import FOLDER, JWKS, KEY, SIGNED_AT, Setting, approved

GOOD = FOLDER / "action_after_rotation.json"
KEYS = FOLDER / "jwks.json"


def run(*arguments: object, input: bytes | None = None) -> Any:
    return CliRunner().invoke(app, ["verify", *map(str, arguments)], input=input, env={"COLUMNS": "200"})


def head(size: int, seed: str = "grove") -> str:
    return Setting(approved(), seed=seed).note(size, KEY, SIGNED_AT)


def test_a_good_bundle_with_the_keys() -> None:
    result = run(GOOD, "--key", KEYS)
    assert result.exit_code == Exit.OK
    assert result.stderr == "Verified: action act_1, signed by a key of the given set.\n"
    header, *rows = [line.split("\t") for line in result.stdout.splitlines()]
    assert header == ["check", "status", "detail"]
    expected = verify(GOOD.read_bytes(), keys=JWKS)
    assert rows == [[check.name.value, check.status.value, clean(check.detail)] for check in expected.checks]


def test_without_keys_it_is_intact_and_says_what_is_missing() -> None:
    result = run(GOOD)
    assert result.exit_code == Exit.OK
    assert result.stderr.startswith("Intact, but the signer is not known: give --key")


@pytest.mark.parametrize("name", ["altered_body", "another_schema", "step_left_out", "signature_by_a_stranger"])
def test_a_bad_bundle_names_the_check(tmp_path: Path, name: str) -> None:
    file = tmp_path / "bundle.json"
    file.write_bytes(msgspec.json.encode(edited_value(name)))
    found = verify(edited_value(name), keys=JWKS)
    failing = [check.name.value for check in found.checks if check.status == "fail"]
    result = run(file, "--key", KEYS)
    assert result.exit_code == Exit.REFUSED
    assert result.stderr == f"NOT verified: {', '.join(failing)}.\n"
    assert f"\n{failing[0]}\tfail\t" in result.stdout


@pytest.mark.parametrize(("arguments", "code"), [([], 0), (["--key", KEYS], 0), (["--head", "x"], 2)])
def test_json_is_one_document(arguments: list[object], code: int) -> None:
    result = run(GOOD, "--json", *arguments)
    assert result.exit_code == code
    if code == 0:
        keys = JWKS if arguments else None
        assert msgspec.json.decode(result.stdout, type=ProofVerification) == verify(GOOD.read_bytes(), keys=keys)
        assert result.stderr == ""


def test_standard_input() -> None:
    assert run("-", "--key", KEYS, input=GOOD.read_bytes()).exit_code == Exit.OK
    empty = run("-", "--json", input=b"")
    assert empty.exit_code == Exit.REFUSED
    assert json.loads(empty.stdout)["checks"][0]["name"] == "schema"


@pytest.mark.parametrize(
    ("size", "seed", "code"), [(129, "grove", 0), (200, "grove", 0), (129, "fork", 1), (99, "x", 1)]
)
def test_a_head_that_was_kept(tmp_path: Path, size: int, seed: str, code: int) -> None:
    note = head(size, seed)
    for name, text in {"note": note, "stripped": note.rstrip(), "json": json.dumps({"checkpoint": note})}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
        result = run(GOOD, "--key", KEYS, "--head", tmp_path / name)
        assert result.exit_code == code, name
        assert result.stderr.startswith("Verified" if code == 0 else "NOT verified: consistency.")


@pytest.mark.parametrize("name", sorted(KEY_SETS))
def test_key_sets_that_do_not_vouch(tmp_path: Path, name: str) -> None:
    (tmp_path / "jwks.json").write_bytes(msgspec.json.encode(KEY_SETS[name]))
    result = run(GOOD, "--key", tmp_path / "jwks.json")
    assert (result.exit_code, result.stderr) == (Exit.REFUSED, "NOT verified: key.\n")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b'{"keys":1}',
        b'{"keys":[{"kty":"RSA","n":"x","e":"AQAB"}]}',
        b'{"keys":[],"keys":[]}',
        b"\xff",
        GOOD.read_bytes(),
    ],
)
def test_what_is_no_key_set_is_code_two(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "jwks.json").write_bytes(content)
    result = run(GOOD, "--key", tmp_path / "jwks.json")
    assert (result.exit_code, result.stdout) == (Exit.USAGE, "")
    assert "is no key set" in result.stderr
    assert "/.well-known/jwks.json" in result.stderr


def test_files_that_cannot_be_read_are_code_two(tmp_path: Path) -> None:
    for arguments in (
        [tmp_path / "none.json"],
        [tmp_path],
        [GOOD, "--key", tmp_path],
        [GOOD, "--head", tmp_path / "none"],
    ):
        result = run(*arguments)
        assert (result.exit_code, result.stdout) == (Exit.USAGE, "")
        assert "cannot be read" in result.stderr


@pytest.mark.parametrize("content", [b"{}", b'{"checkpoint":1}', b"{", b"\xff"])
def test_what_is_no_head_is_code_two(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "head").write_bytes(content)
    result = run(GOOD, "--head", tmp_path / "head")
    assert (result.exit_code, result.stdout) == (Exit.USAGE, "")
    assert "is no tree head" in result.stderr


def test_what_a_bundle_says_does_not_steer_the_terminal(tmp_path: Path) -> None:
    value = edited_value("another_digest") | {"org_id": "a\x1b[31m\nb", "schema": "\x1b]0;x"}
    (tmp_path / "bundle.json").write_bytes(msgspec.json.encode(value))
    result = run(tmp_path / "bundle.json")
    assert result.exit_code == Exit.REFUSED
    assert "\x1b" not in result.stdout + result.stderr


def test_nor_does_its_json(tmp_path: Path) -> None:
    steering = "\x1b\x7f\x9b2J\u202e\u2066\u200b\U000e0041 \u00e9 \U0001f989"
    (tmp_path / "bundle.json").write_bytes(msgspec.json.encode(edited_value("another_digest") | {"org_id": steering}))
    result = run(tmp_path / "bundle.json", "--json")
    assert json.loads(result.stdout)["org_id"] == steering
    assert clean(result.stdout.rstrip("\n")) == result.stdout.rstrip("\n")
    assert "\u00e9 \U0001f989" in result.stdout


def test_it_takes_no_client_no_service_and_nothing_heavy() -> None:
    script = (
        "import sys\n"
        "from assent.cli import main\n"
        f"sys.argv = ['assent', 'verify', {str(GOOD)!r}, '--key', {str(KEYS)!r}, '--json']\n"
        "try:\n    main()\n"
        "except SystemExit as ended:\n    print(ended.code, file=sys.stderr)\n"
        "heavy = ('httpx', 'assent.client', 'assent_service', 'polars', 'duckdb', 'litestar', 'textual')\n"
        "print(*[name for name in heavy if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stderr == "0\n\n"
    assert json.loads(done.stdout)["ok"] is True


def test_the_former_name_of_head_does_the_same_and_says_that_it_goes(tmp_path: Path) -> None:
    file = tmp_path / "head"
    file.write_text(head(129, "grove"), encoding="utf-8")
    now, before = run(GOOD, "--head", file, "--json"), run(GOOD, "--since", file, "--json")
    assert (before.exit_code, before.stdout) == (now.exit_code, now.stdout)
    assert (now.stderr, before.stderr) == (
        "",
        "Note: --since is --head now; the former name goes with the next version.\n",
    )
    assert run(GOOD, "--since", file, "--head", file).exit_code == Exit.USAGE
    assert "--since" not in run("--help").stdout
