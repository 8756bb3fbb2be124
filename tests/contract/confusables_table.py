"""Writes `assent/contract/confusables.json` anew: `python -m tests.contract.confusables_table`, where ICU is installed.

`uspoof_getSkeleton` of ICU (the Unicode Consortium's own library) gives the prototype of a character by UTS #39's
confusables.txt, in the version of Unicode that the library carries; both versions go into the file. Taken are
characters outside ASCII that a folded name can hold (NFKC and case folding leave them as they are), and of them those
that are read as ASCII, in this order:

1. the prototype is ASCII: that, in lower case. ICU's prototype of `m` is `rn`, which is m again here, and a digit that
   looks like l or O is the digit that it is;
2. the prototype holds letters that Unicode names "small capital": their letters;
3. the capital looks like an ASCII capital: its letter, as Cyrillic т, whose capital is Т;
4. Unicode itself names it a squared, circled or regional Latin letter.

`capitals` are those whose small form is read as another letter than they are: Greek Ν looks like N, ν like v.
"""

from __future__ import annotations

import ctypes
import json
import re
import sys
import unicodedata
from ctypes.util import find_library
from pathlib import Path

import assent.contract

FILE = Path(assent.contract.__file__).with_name("confusables.json")
_NAMED = re.compile(
    r"(?:LATIN LETTER SMALL CAPITAL|NEGATIVE (?:CIRCLED|SQUARED) LATIN CAPITAL LETTER|REGIONAL INDICATOR SYMBOL LETTER)"
    r" (?P<letter>[A-Z])"
)


class Icu:
    """The little of ICU that is needed; its functions carry the library's version in their names."""

    def __init__(self) -> None:
        found = find_library("icui18n")
        if found is None:
            raise OSError("ICU is not installed here: libicui18n was not found")
        self.version = int(found.rpartition(".so.")[2])
        self._i18n, common = ctypes.CDLL(found), ctypes.CDLL(find_library("icuuc"))
        numbers = (ctypes.c_uint8 * 4)()
        getattr(common, f"u_getUnicodeVersion_{self.version}")(numbers)
        self.unicode = ".".join(map(str, numbers[:3]))
        open_checker = getattr(self._i18n, f"uspoof_open_{self.version}")
        open_checker.restype = ctypes.c_void_p
        self._checker = ctypes.c_void_p(open_checker(ctypes.byref(ctypes.c_int(0))))

    def skeleton(self, text: str) -> str:
        source, room = text.encode("utf-16-le"), ctypes.create_string_buffer(400)
        error = ctypes.c_int(0)
        size = getattr(self._i18n, f"uspoof_getSkeleton_{self.version}")(
            self._checker, 0, source, len(source) // 2, room, 200, ctypes.byref(error)
        )
        assert error.value <= 0
        return room.raw[: 2 * size].decode("utf-16-le")


def read_as(char: str, icu: Icu) -> str | None:
    """The ASCII that a small character is read as."""
    prototype = "".join(_letter(part) or part for part in icu.skeleton(char)).lower()
    if prototype.isascii():
        if unicodedata.category(char) == "Nd" and prototype in ("l", "o"):
            return str(unicodedata.digit(char))
        return prototype.replace("rn", "m")
    return (_capital(char.upper(), icu) if len(char.upper()) == 1 else None) or _letter(char)


def _capital(char: str, icu: Icu) -> str | None:
    """ICU's prototype of I is l; a capital that looks like l is an i."""
    prototype = icu.skeleton(char)
    return (
        {"l": "i"}.get(prototype, prototype.lower())
        if len(prototype) == 1 and prototype.isalpha() and prototype.isascii()
        else None
    )


def _letter(char: str) -> str | None:
    named = _NAMED.fullmatch(unicodedata.name(char, ""))
    return named["letter"].lower() if named else None


def main() -> None:
    icu = Icu()
    small: dict[str, str] = {}
    for code in range(0x80, sys.maxunicode + 1):
        char = chr(code)
        if unicodedata.category(char)[0] in "CMZ" or unicodedata.normalize("NFKC", char).casefold() != char:
            continue
        found = read_as(char, icu)
        if found:
            small[char] = found
    capitals: dict[str, str] = {}
    for char, letter in small.items():
        capital = char.upper()
        other = _capital(capital, icu) if len(capital) == 1 and capital != char and capital.casefold() == char else None
        if other not in (None, letter):
            capitals[capital] = str(other)
    table = {"unicode": icu.unicode, "icu": icu.version, "small": _by_target(small), "capitals": _by_target(capitals)}
    FILE.write_text(json.dumps(table, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    print(f"{len(small)} characters and {len(capitals)} capitals of Unicode {icu.unicode}: {FILE}")


def _by_target(found: dict[str, str]) -> dict[str, str]:
    targets: dict[str, str] = {}
    for char, target in sorted(found.items()):
        targets[target] = targets.get(target, "") + char
    return dict(sorted(targets.items()))


if __name__ == "__main__":
    main()
