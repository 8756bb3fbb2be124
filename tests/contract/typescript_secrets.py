"""The Node client's table of secrets: what `assent.secrets` looks for, in JavaScript's regular expressions.

Only the data is generated; how it is looked through is written in both languages, and held together by
`tests/sdk/typescript/test_secrets.py`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

from assent.secrets.assigned import ASSIGNED, BARE, BEGIN, KEY_BEGINS, KEY_ENDS, KEY_REST, OPTION, QUOTED, SIGNS
from assent.secrets.names import ENDING, KIND_ENDINGS, MARK, OF_GATES, OF_PAGES, SHORT, WHERE
from assent.secrets.patterns import DATABASES, PATTERNS, Pattern
from assent.secrets.values import SCHEME, STANDS_FOR, WORDS

SECRETS = "sdk/typescript/src/secrets/table.ts"


def secrets_source() -> str:
    return "\n".join(
        [
            "// Written by `make golden` from the Python client's table, assent.secrets; change that instead.",
            "",
            "export interface Pattern {",
            "  readonly name: string;",
            "  readonly signs: readonly string[];",
            "  readonly expression: RegExp;",
            "  readonly word: boolean;",
            "  readonly check?: string;",
            "}",
            "",
            "export const PATTERNS: readonly Pattern[] = [",
            *(f"  {_pattern(each)}," for each in PATTERNS),
            "];",
            f"export const BEGIN = {json.dumps(BEGIN)};",
            f"export const SIGNS: readonly string[] = {json.dumps(SIGNS)};",
            f"export const DATABASES = {_expression(DATABASES)};",
            f"export const ASSIGNED = {_expression(ASSIGNED, 'dg')};",
            f"export const OPTION = {_expression(OPTION, 'dg')};",
            f"export const BARE = {_expression(BARE + '*', 'y')};",
            f"export const QUOTED = {_expression(QUOTED + '*', 'y')};",
            f"export const KEY_BEGINS = {_expression(KEY_BEGINS, 'g')};",
            f"export const KEY_REST = {_expression(KEY_REST, 'y')};",
            f"export const KEY_ENDS = {_expression(KEY_ENDS, 'g')};",
            f"export const MARK = {_expression(MARK, 'g')};",
            f"export const SCHEME = {_expression('^' + SCHEME)};",
            f"export const STANDS_FOR = {_expression(f'^{STANDS_FOR}$', 's')};",
            f"export const WORDS = {_set(WORDS)};",
            f"export const ENDING = {_expression(ENDING)};",
            "export const KIND_ENDINGS: readonly (readonly [string, RegExp])[] = [",
            *(f"  [{json.dumps(kind)}, {_expression(ending)}]," for kind, ending in KIND_ENDINGS),
            "];",
            f"export const WHERE = {_set(WHERE)};",
            f"export const OF_PAGES = {_set(OF_PAGES)};",
            f"export const OF_GATES = {_set(OF_GATES)};",
            f"export const SHORT = {_set(SHORT)};",
            "",
        ]
    )


def _pattern(each: Pattern) -> str:
    members = [
        f"name: {json.dumps(each.name)}",
        f"signs: {json.dumps(each.signs)}",
        f"expression: {_expression(each.expression, 'dg')}",
        f"word: {json.dumps(each.word)}",
        *([f'check: "{each.check.__name__.strip("_")}"'] if each.check is not None else []),
    ]
    return f"{{ {', '.join(members)} }}"


def _set(words: Iterable[str]) -> str:
    return f"new Set({json.dumps(sorted(words))})"


def _expression(pattern: str, flags: str = "") -> str:
    """A literal. JavaScript has no possessive repetition: what a lookahead has found is not given back, either."""
    if found := re.search(r"\(\?i?a?\)", pattern):
        assert found.start() in (0, 1), pattern
        flags += "i" if "i" in found[0] else ""
        pattern = pattern[: found.start()] + pattern[found.end() :]
    pattern = pattern.replace("(?P<", "(?<")
    pattern = re.sub(r"(\[[^\]]+\]\{\d+,\d+\})\+", r"(?=(?<own>\1))\\k<own>", pattern)
    pattern = re.sub(r"(\\.)|/", lambda each: each[1] or r"\/", pattern)
    return f"/{pattern}/{flags}"
