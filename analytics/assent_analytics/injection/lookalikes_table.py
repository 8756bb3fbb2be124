"""Writes `lookalikes.json` anew: `python -m assent_analytics.injection.lookalikes_table CONFUSABLES_JSON`.

Two tables of characters that are read as ASCII letters, each `{letter: characters}`:

- `latin`: letters that Unicode itself names Latin and does not decompose: small capitals, strokes, squared and regional
  letters. Source: `unicodedata` of the running Python.
- `foreign`: letters of other scripts that look like one. Source: Unicode's confusables.txt (UTS #39), as the package
  confusable-homoglyphs 3.3.1 (MIT) carries it in `confusables.json`; its path is the argument.
"""

from __future__ import annotations

import json
import re
import string
import sys
import unicodedata
from pathlib import Path

NAMED = re.compile(
    r"(?:NEGATIVE |MODIFIER |REGIONAL |COMBINING )?(?:CIRCLED |SQUARED |PARENTHESIZED |INDICATOR SYMBOL )?"
    r"(?:LATIN )?(?:SMALL |CAPITAL )?(?:LETTER )?(?:SMALL )?(?:CAPITAL )?(?:SCRIPT |OPEN |DOTLESS |TURNED |LONG )?"
    r"(?:LETTER )?(?P<letter>[A-Z])(?: WITH .*)?"
)


def latin() -> dict[str, str]:
    found: dict[str, str] = {}
    for code in range(0x80, 0x20000):
        char = chr(code)
        plain = unicodedata.normalize("NFKD", char)
        if unicodedata.category(char)[0] not in "LS" or plain[0].isascii():
            continue
        named = NAMED.fullmatch(unicodedata.name(char, ""))
        if named:
            letter = named["letter"].lower()
            found[letter] = found.get(letter, "") + char
    return found


def foreign(confusables: dict[str, list[dict[str, str]]]) -> dict[str, str]:
    """Lower-case characters only: texts are lower case when they are looked at."""
    letters: dict[str, str] = {}
    for lower_first in (True, False):
        for char, others in confusables.items():
            if len(char) != 1 or char.isascii() or unicodedata.category(char)[0] != "L":
                continue
            plain = unicodedata.normalize("NFKD", char)
            if plain[0].isascii() or (char == char.lower()) is not lower_first:
                continue
            alike = [other["c"] for other in others if len(other["c"]) == 1 and other["c"] in string.ascii_letters]
            if alike and len(char.lower()) == 1:
                # Unicode's prototype of I and | is l; a capital that looks like l is an i.
                letter = "i" if alike[0] == "l" and not lower_first else alike[0].lower()
                letters.setdefault(char.lower(), letter)
    found: dict[str, str] = {}
    for char, letter in sorted(letters.items()):
        found[letter] = found.get(letter, "") + char
    return found


def main(path: str) -> None:
    confusables = json.loads(Path(path).read_text(encoding="utf-8"))
    table = {"latin": latin(), "foreign": foreign(confusables)}
    text = json.dumps({name: dict(sorted(of.items())) for name, of in table.items()}, ensure_ascii=False, indent=1)
    Path(__file__).with_name("lookalikes.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
