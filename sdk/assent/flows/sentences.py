"""Whether a short text says something instead of naming something: then it is a text of somebody else.

1. It has an address beside words or a picture: `send payroll to zoe@x.com`. An address is an e-mail address, a web
   address of whatever scheme, a host, a path on one (`box:/tmp`), an IP address, an IBAN, another account number of
   letters and digits that is as long, or a telephone number with its country. Addresses alone are values, however many,
   and so are a mailbox (`Dora <dora@x.com>`) and what says which address it is (`IBAN DE89...`).
2. It has more words than a leaf has. Of scripts that write no spaces between words (Chinese, Japanese, Thai, Lao,
   Khmer, Burmese) two letters count as a word.
3. Characters that nobody sees stand between its letters, or are many: they part words for a model.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import TYPE_CHECKING

from assent.flows.spelling import unescaped, visible

if TYPE_CHECKING:
    from assent.flows.pack import Words

LETTERS_A_WORD = 2
"""In scripts without spaces."""
NAMED_ADDRESS = re.compile(r"([^<>@]{0,60})<([^<>\s]{3,80})>")
EMAIL = re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}")
"""A mailbox: whose it is, and the address."""

_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+"
)
_MAY_LEAD = re.compile(r"[@.]\w|:[/~]|[A-Za-z]{2}\d\d|\+\d|[A-Za-z0-9]{30}")
_LABEL = rf"(?:(?!{_UNSPACED.pattern})[\w-])"
_ADDRESS = re.compile(
    rf"[A-Za-z0-9._%+'-]+@{_LABEL}+(?:\.{_LABEL}+)+"
    r"|(?:https?|ftps?|wss?|mailto|tel):\S+|\bwww\.\S+"
    r"|(?<![\w+.-])[A-Za-z][A-Za-z0-9+.-]{1,15}://\S+|(?<![\w./-])[A-Za-z][\w.-]+:[~/]\S*"
    r"|(?<![\w+])\+\d(?:[ ()/.-]{0,2}\d){7,14}(?!\d)"
    r"|\b(?![0-9A-Fa-f]+\b)(?=(?:[A-Za-z]*\d){8})[A-Za-z0-9]{30,}\b"
    r"|(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w.]*\d)\S*"
    r"|\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{2,4}){3,8}\b"
    r"|\b[a-z]{2}\d{2}[a-z0-9]{10,30}\b"
)
_HOST = re.compile(r"(?<![\w.@/-])(?:[A-Za-z0-9-]+\.)+(?P<end>[a-z]{2,24})(?![\w-])(?P<path>[/?#]\S*)?")
_WORD = re.compile(rf"[^\W\d_]{{2,}}|{_UNSPACED.pattern}")
_UNSEEN_PARTS = re.compile("[A-Za-z][\u200b\u2060-\u2064\ufeff]+[A-Za-z]|[\U000e0020-\U000e007e]{8}")
"""Those that part ASCII letters, and tags, of which a flag has six."""
_PICTURE = re.compile("[\u2190-\u21ff\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff]")
_WHICH = frozenset(
    ["iban", "tel", "phone", "mobile", "fax", *"\u260e\u2706\u2709\U0001f4de\U0001f4e0\U0001f4e7\U0001f4f1"]
)
"""Words and pictures that say which address it is."""


def word_count(text: str, words: int) -> int:
    """Of a text that has so many words between spaces."""
    if text.isascii():
        return words
    letters = sum(map(str.isalpha, "".join(_UNSPACED.findall(text))))
    return words + letters // LETTERS_A_WORD


def hides_words(text: str) -> bool:
    """By rule 3."""
    return not text.isascii() and _UNSEEN_PARTS.search(text) is not None


def tells(text: str, endings: Collection[str]) -> bool:
    """By rules 1 and 3, of a text that is one line; `endings` are those of files, which are no hosts."""
    if hides_words(text):
        return True
    text = unescaped(visible(text)).strip()
    if not _MAY_LEAD.search(text) or NAMED_ADDRESS.fullmatch(text):
        return False

    def without(host: re.Match[str]) -> str:
        return "\n" if host["path"] or host["end"] not in endings else host[0]

    rest = _HOST.sub(without, _ADDRESS.sub("\n", text))
    beside = [*_WORD.findall(rest), *_PICTURE.findall(rest)] if "\n" in rest else []
    return any(each.lower() not in _WHICH for each in beside)


_BIDDING = re.compile(r"\w+(?:'\w+)?|[^\w\s]")
_LEADING = frozenset(
    [
        *(
            "please",
            "pls",
            "kindly",
            "now",
            "then",
            "also",
            "and",
            "just",
            "so",
            "todo",
            "fixme",
            "hint",
            "tip",
            "note",
        ),
        *("important", "urgent", "attention", "warning", "error", "you", "should", "must", "need", "to", "have"),
    ]
)
"""Words before the one that says what to do."""
_ASKING = frozenset(["please", "pls", "kindly", "now", "must", "should", "todo", "fixme"])
_URGING = _ASKING | {"immediately", "asap", "first"}
_UNUSUAL = re.compile(r"(?<!\S)(?:-\w|(?=\S*[^\W\d_])(?=\S*\d)\w{3,})")
"""Options, and words of letters and digits: what is named exactly."""
_NAMED = frozenset(["of", "for", "to", "in", "on", "at", "up", "paid", "made", "sent", "is", "was", "has", "will", ","])
"""Words behind a verb that names something: `change of plans`, `deposit paid`."""
FEWEST_BIDDING = 3
"""Words of a line that bids, behind those that lead to it."""


def bids(text: str, words: Words) -> bool:
    """Whether a line tells somebody to do something: it, or what stands behind a sign in it, begins with a verb that
    sends, writes or destroys, behind words such as `please`, or goes on and urges (`now`, `first`) or names something
    exactly (`mallory77`, `-rf`). A title does neither: `Add tests for the parser`."""
    seen = text if text.isascii() and "\\" not in text else unescaped(visible(text))
    short = len(seen.split()) < FEWEST_BIDDING
    begins, asked, said = True, False, _BIDDING.findall(seen.lower())
    if words.acting.isdisjoint(said):
        return False
    urged = not _URGING.isdisjoint(said) or _UNUSUAL.search(seen) is not None
    for at, each in enumerate(said):
        if not each[0].isalnum():
            begins, asked = each in ".:;!?-(", False
            continue
        if begins or each in _ASKING:
            asked = (asked and begins) or each in _ASKING
            if each in _LEADING or each in _ASKING:
                begins = True
                continue
            if each in words.acting and (asked or each not in words.either):
                behind = said[at + 1 : at + FEWEST_BIDDING]
                named = short or len(behind) < FEWEST_BIDDING - 1 or behind[0] in _NAMED or behind[0].endswith("ed")
                if asked or (not named and urged):
                    return True
        begins = asked = False
    return False
