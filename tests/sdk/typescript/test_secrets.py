"""The Node client takes the same secrets out of texts, and knows the same names, as the Python client."""

from __future__ import annotations

import json
import random
from pathlib import Path

from assent.secrets import displayed, kind_of, names_secret
from tests import node
from tests.sdk.secrets.samples import HELD, NEAR
from tests.tiers import deep

PROGRAM = """
import { readFileSync } from "node:fs";
const built = "./node_modules/@assent/client/dist/esm/secrets/";
const { displayed } = await import(built + "find.js");
const { kindOf, namesSecret } = await import(built + "names.js");
const { texts, names } = JSON.parse(readFileSync("secrets.json", "utf8"));
const judged = names.map((name) => [namesSecret(name), kindOf(name) ?? null]);
console.log(JSON.stringify({ texts: texts.map(displayed), names: judged }));
"""
WORDS = (
    "db",
    "pass",
    "passwd",
    "pwd",
    "pin",
    "spin",
    "api",
    "key",
    "keys",
    "access",
    "secret",
    "token",
    "page",
    "next",
    "max",
    "prod",
    "2",
    "boarding",
    "hash",
    "cookie",
    "authorization",
    "credentials",
    "name",
    "private",
)
BETWEEN = (
    "",
    " ",
    "=",
    ": ",
    '"',
    "'",
    "\n",
    "\\n",
    "&",
    "://",
    "@",
    "-u ",
    "--password ",
    '{"token": "',
    "[REDACTED:x]",
    "\u00e9",
    "\U0001f600",
    "Authorization: ",
    "Basic ",
    "0x",
    "a1b2c3",
    "DB_PASSWORD=",
    ";",
    "<",
    ">",
)


def texts() -> list[str]:
    """Whole samples, their beginnings, and pieces of them side by side."""
    chance = random.Random(7)
    known = [sample.text for sample in HELD] + [text for each in NEAR.values() for text in each]
    cut = [text[: chance.randrange(len(text) + 1)] for text in known for _ in range(6)]
    pieces = [*known, *cut, *BETWEEN, *BETWEEN]
    mixed = ["".join(chance.choices(pieces, k=chance.randrange(2, 7))) for _ in range(4000)]
    return [*known, *cut, *mixed]


def names() -> list[str]:
    chance = random.Random(8)
    parts = [chance.choices(WORDS, k=chance.randrange(1, 4)) for _ in range(2000)]
    spelled = [chance.choice(("_", "-", " ", "")).join(each) for each in parts]
    camels = ["".join(word.capitalize() for word in each) for each in parts]
    return [*spelled, *camels, "secretAccessKey", "userPIN", "[REDACTED:jwt]_password"]


@deep("packs and installs the Node client")
def test_both_languages_find_the_same_secrets(folder: Path) -> None:
    (folder / "secrets.mjs").write_text(PROGRAM, encoding="utf-8")
    given = {"texts": texts(), "names": names()}
    (folder / "secrets.json").write_text(json.dumps(given), encoding="utf-8")
    found = json.loads(node.run([*node.runtime(), "secrets.mjs"], folder))
    for text, theirs in zip(given["texts"], found["texts"], strict=True):
        assert theirs == displayed(text), text
    for name, theirs in zip(given["names"], found["names"], strict=True):
        assert theirs == [names_secret(name), kind_of(name)], name
