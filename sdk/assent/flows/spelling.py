"""One spelling for each word of a value, whatever it is written with, before values are compared.

1. Compatibility forms are one (NFKC), letters are small, and characters that nobody sees are gone: zero-width ones,
   soft hyphens, bidi controls, variation selectors.
2. A text is words between spaces, commas, quotes and brackets. A word loses what is no letter and no digit at its
   edges, the scheme of an address, `www.` and a trailing slash: `https://www.x.com/` is `x.com`, `#general` is
   `general`. Only known schemes go: `x.com://y.com` is another address than `y.com`. Signs that make another name at an
   edge (`/tmp`, `_dora@x.com`) are a spelling of their own: a text has the word with and without them, a value only as
   it is written (`edged`). A path is written in one way (`resolved`): `./x` is `x`, and `file:///a/./b/../c` is `/a/c`;
   `x/y` is neither `y` nor `/srv/x/y`.
3. A number loses its thousands commas and the zeros behind its point: `$1,200.00` is `1200`. Leading zeros stay, since
   `007` may name something.
4. Where a sentence ends without a space (`x.com.They`), where a colon joins (`IBAN:DE89`) and where an address has a
   path, the parts are words, too, beside the whole.
5. A number written in groups (`DE89 3704 0044`, `4111-1111-1111`) is one word, too, when it has eight digits or more.
6. What is written as an escape (`\\u0040`, `&#64;`) is in a text as the character that it means, too (`unescaped`). A
   value is as it is written: what a program makes of `x.com\\u0040y.com` is not known.
7. Where a text is looked for that has a number, `555-1234` and `05551234` are 5551234, too; the user has to write it as
   it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from html.entities import html5
from math import isfinite
from urllib.parse import unquote

from assent.normal import normal

MOST_PARTS = 8
"""Parts of one word that are looked at."""
MOST_WRAPPINGS = 8
"""Schemes, `www.` and signs around each other that a word loses."""
MOST_ESCAPES = 3
"""Escapes within escapes that are read."""
_ESCAPE = re.compile(
    r"\\{1,8}+(?:u(?:(?P<four>[0-9A-Fa-f]{4})|\{(?P<any>[0-9A-Fa-f]{1,6})\})"
    r"|x(?P<two>[0-9A-Fa-f]{2})|U(?P<eight>[0-9A-Fa-f]{8})|(?P<slash>/))"
    r"|(?P<entity>&(?:#[0-9]{1,7}|#[Xx][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});)"
)
_FILE = re.compile(r"[*_+~.-]*file:/(?://|/localhost/)?(?!/)", re.I)
_HIDDEN = re.compile(
    "[\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e01ef]"
)
_BETWEEN = r"""\s,;|()\[\]{}<>"'`=\u2018\u2019\u201c\u201d\u201e\u00ab\u00bb"""
_WORD = re.compile(rf"[^{_BETWEEN}]+(?:(?<=\d),(?=\d{{3}})[^{_BETWEEN}]+)*")
_SCHEME = re.compile(r"(?:https?|ftps?|wss?):[/\\]+|mailto:|tel:|sms:")
_BEFORE, _AFTER = re.compile(r"[/~.\\_+*-]+(?<!\+(?=\d))"), re.compile(r"(?<![~\\_+*-])[~\\_+*-]+$")
_NUMBER = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+\.\d+")
_JOINT = re.compile(r"(?<=[a-z0-9]{2})[.!?](?=[A-Z])|:(?!//)")
_ADDRESS_END = re.compile(r"[/?#]")
_QUERY = re.compile(r"[?#]")
_STAYS = re.compile(r"[.:@~]")
"""In the first step of a path: a host, a drive or somebody's home, which `..` does not leave."""
_GROUPS = re.compile(r"(?<![A-Za-z0-9])[A-Z0-9]{2,6}(?:[ -][A-Z0-9]{1,6}){1,9}(?![A-Za-z0-9])")
FEWEST_DIGITS = 8
FEWEST_BARE = 5
_BARE = re.compile(r"\s?\+?[\d(][\d ()/-]{0,60}\d")
_ENOUGH_DIGITS = re.compile(rf"[0-9](?:[A-Z -]*[0-9]){{{FEWEST_DIGITS - 1}}}")
_LEADING = re.compile(r":[/\\:~]|\\\\|\.[A-Za-z]{2}|[Ww]{3}\.|\d(?:\d|(?:\.\d){3}|(?:\D+\d){7})")
_MAILBOX = re.compile(r"<\s{0,8}[^<>\s]{1,320}@[^<>\s]{1,320}\s{0,8}>")
LONGEST_DISPLAY_NAME = 120
MOST_CHARACTER = 0x10FFFF
_NOT_IN_NAMES = (",", ";", ":", "|", "/", "\\", "<", ">", "\n", " and ", " or ", " & ", " + ", " - ")
"""What a display name without quotes does not have; after each another recipient may begin."""


def visible(text: str) -> str:
    """The text in compatibility form, without what nobody sees. Case stays: it tells where a sentence ends."""
    if text.isascii():
        return text
    text = normal("NFKC", text)
    seen = _HIDDEN.sub("", text)
    return text if len(seen) == len(text) else normal("NFKC", seen)


def unescaped(text: str) -> str:
    """A visible text with the characters that its escapes mean; the text itself where it has none."""
    if "\\" not in text and "&" not in text:
        return text
    plain = text
    for _ in range(MOST_ESCAPES):
        read = _ESCAPE.sub(_meant, plain)
        if read == plain:
            break
        # Two escapes may be the halves of one character.
        plain = read if read.isascii() else read.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
    return text if plain == text else visible(plain)


def _meant(escape: re.Match[str]) -> str:
    entity = escape["entity"]
    if entity:
        return unescape(entity) if entity[1] == "#" else html5.get(entity[1:], entity)
    if escape["slash"]:
        return "/"
    number = int(escape["four"] or escape["any"] or escape["two"] or escape["eight"], 16)
    return chr(number) if number <= MOST_CHARACTER else escape[0]


def raw_words(text: str) -> list[str]:
    """The words of a visible text, as they are written."""
    return _WORD.findall(text)


_TELLING = re.compile(r"[^\W_]+")
_COMMON = frozenset(
    """the and for you your our with from this that these those have has had what when where which who whom whose how
    why please about into them they their there here some any all are was were will would could should can not now new
    old first last next other others more most than then also just only over out off one two both every each been being
    does did done its his her him she does make take give show tell find look want need like kindly thanks thank hello
    dear best regards""".split()  # noqa: SIM905  # as the tables of `pack.toml` are written
)
"""Words that tell nothing from anything."""
FEWEST_LETTERS = 4


def telling(text: str) -> Iterator[str]:
    """The words and parts of words of a line that may tell one thing from another: of four letters or more, names of
    three, what has digits, and of other letters from two on; each without the s of a plural, too."""
    for raw in _TELLING.findall(text):
        if not raw.isascii():
            if len(raw) > 1:
                yield raw
        elif raw.isalpha():
            if (len(raw) >= FEWEST_LETTERS or (len(raw) > 2 and raw[0].isupper())) and raw.lower() not in _COMMON:
                yield raw
                if raw[-1] == "s" and len(raw) > FEWEST_LETTERS:
                    yield raw[:-1]
        elif len(raw) > 2:
            yield raw


_LITTLE = frozenset(
    "ok no yes on off to in it is my me we us an at by do go he if of or so up as be am pm".split()  # noqa: SIM905
)


def is_telling(text: str) -> bool:
    """Whether a short value as a whole may tell one thing from another, such as `db` or `qa-1`."""
    plain = text.strip().lower()
    return len(plain) > 1 and plain not in _COMMON and plain not in _LITTLE


def words_at(text: str) -> Iterator[tuple[str, int, int]]:
    """The same, with where each begins and ends."""
    return ((each[0], each.start(), each.end()) for each in _WORD.finditer(text))


def runs(text: str) -> Iterator[list[str]]:
    """The words, those together that spaces alone part. A word keeps the colon behind its quote."""
    found, end = list[str](), 0
    for each in _WORD.finditer(text):
        between = text[end : each.start()]
        if found and ("\n" in between or between.strip()):
            yield found
            found = []
        end = each.end()
        found.append(each[0] + ":" if text[end : end + 2] in ('":', "':") else each[0])
    if found:
        yield found


def without_display_names(text: str) -> tuple[str, list[str]]:
    """A visible text without the names before the addresses of its mailboxes (`Dora <dora@x.com>`), and these names."""
    if "<" not in text:
        return text, []
    kept, names, end = list[str](), list[str](), 0
    for each in _MAILBOX.finditer(text):
        before = text[end : each.start()].rstrip(" ")
        name = before[_display_name_at(before) :]
        kept += [before[: len(before) - len(name)], " ", each[0]]
        names += [name] if name else []
        end = each.end()
    return "".join([*kept, text[end:]]), names


def _display_name_at(text: str) -> int:
    """Where the display name begins at the end of a text: in quotes, or words without a separator."""
    first = max(0, len(text) - LONGEST_DISPLAY_NAME)
    if text.endswith('"'):
        return max(text.rfind('"', first, len(text) - 1), first)
    after = [at + len(each) for each in _NOT_IN_NAMES if (at := text.rfind(each, first)) >= 0]
    address = text.rfind("@", first)
    if address >= 0:
        end = text.find(" ", address)
        after.append(end if end >= 0 else len(text))
    return max([first, *after])


def resolved(word: str) -> str:
    """A word whose path is written in one way: without `file:`, steps that lead nowhere, and slashes that are doubled.
    A host stays where it is: `x.com/../y.com` is not `y.com`, and `x.com://y.com` is as it was."""
    if "/" not in word:
        return word
    file = _FILE.match(word) if ":" in word else None
    if file:
        word = "/" + visible(unquote(word[file.end() :]))
    if "//" not in word and "/." not in word and not word.startswith("./"):
        return word
    scheme, mark, path = word.rpartition("://")
    if "://" in scheme:
        return word
    end = _QUERY.search(path)
    path, query = (path[: end.start()], path[end.start() :]) if end else (path, "")
    rooted = not mark and path.startswith("/")
    steps = _steps(path, rooted=rooted, hosted=bool(mark))
    ends = "/" if steps and path.endswith("/") else ""
    return scheme + mark + ("/" if rooted else "") + "/".join(steps) + ends + query


def is_file(text: str) -> bool:
    """Whether a text is an address of a file on this machine (`file:`)."""
    return _FILE.match(text) is not None


def _steps(path: str, *, rooted: bool, hosted: bool) -> list[str]:
    """Those that a path leads through in the end; the first one is a host where it is `hosted`."""
    found = list[str]()
    for step in path.split("/"):
        if step in ("", "."):
            continue
        stays = (
            not found or found[-1] == ".." or (len(found) == 1 and not rooted and (hosted or _STAYS.search(found[0])))
        )
        if step != "..":
            found.append(step)
        elif not stays:
            found.pop()
        elif found or not rooted:
            found.append(step)
    return found


def spelled(word: str) -> str:
    """The one spelling of a word; nothing where it has neither letters nor digits."""
    # Lower case, and no folding: `straße.de` and `strasse.de` are two addresses. A sigma is one wherever it stands.
    word = word.lower() if word.isascii() else normal("NFKC", word.lower()).replace("ς", "σ")
    for _ in range(MOST_WRAPPINGS):
        word = bare = _without_edges(word)
        if ":" in word:
            found = _SCHEME.match(word)
            if found:
                word = word[found.end() :]
        if word.startswith("www."):
            word = word[4:]
        if word == bare:
            break
    if word[:1].isdecimal() and _NUMBER.fullmatch(word):
        word = word.replace(",", "")
        if "." in word:
            word = word.rstrip("0").rstrip(".")
    return word


def edged(word: str, whole: str) -> str:
    """The spelling `whole` of a word with the signs at its edges that make another name of it."""
    if word[:1].isalnum() and word[-1:].isalnum():
        return whole
    before, after = _BEFORE.match(word), _AFTER.search(word)
    return (before[0] if before and before[0] != "./" else "") + whole + (after[0] if after else "")


def _without_edges(word: str) -> str:
    if word[:1].isalnum() and word[-1:].isalnum():
        return word
    start, end = 0, len(word)
    while start < end and not word[start].isalnum():
        start += 1
    while end > start and not word[end - 1].isalnum():
        end -= 1
    return word[start:end]


def parts(word: str, whole: str) -> list[str]:
    """By rule 4: the other words that a word holds, in their spelling, without its own, which is `whole`."""
    found: list[str] = []
    if ":" in word or "." in word or "!" in word or "?" in word:
        joined = _JOINT.split(word, MOST_PARTS - 1)
        if len(joined) > 1:
            found = [spelled(each) for each in joined]
    for each in [whole, *found]:
        end = _ADDRESS_END.search(each)
        if end and "." in each[: end.start()]:
            found.append(spelled(each[: end.start()]))
    return list(dict.fromkeys(each for each in found if each and each != whole))[:MOST_PARTS]


def grouped_numbers(text: str) -> list[str]:
    """By rule 5, the numbers of a visible text that are written in groups, joined."""
    found = list[str]()
    if not _ENOUGH_DIGITS.search(text):
        return found
    for each in _GROUPS.findall(text):
        joined = each.replace(" ", "").replace("-", "")
        if sum(map(str.isdecimal, joined)) >= FEWEST_DIGITS:
            found.append(joined.lower())
    return found


def bare_number(text: str) -> str:
    """The digits of a visible text that is one number in groups or with zeros before it (`555-1234`, `05551234`); empty
    for any other one."""
    if not _BARE.fullmatch(text):
        return ""
    digits = "".join(str(int(each)) for each in text if each.isdecimal())
    return digits if len(digits.lstrip("0")) >= FEWEST_BARE and digits.lstrip("0") != text else ""


def may_lead(text: str) -> bool:
    """Whether an address or a number may stand in a visible text; what is cheap to tell, and never wrong with no. It
    takes an `@`, a slash or two backslashes behind a colon or at the beginning, a point before two letters, or two
    digits in a row, four with points between them, or eight in all."""
    return not text.isascii() or "@" in text or _LEADING.search(text) is not None


def scalar_text(value: object) -> str | None:
    """How a number, a text or a truth value is written; None for anything else."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        # Python writes no number of more than 4300 digits in decimal.
        return str(value) if value.bit_length() < 8192 else f"{value:x}"
    if isinstance(value, float):
        if isfinite(value) and value.is_integer() and abs(value) < 1e16:
            return str(int(value))
        return repr(value)
    return None
