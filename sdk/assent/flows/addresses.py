"""Web addresses as wholes, for what is read at one: two are the same where whoever answers there gets the same.

1. The scheme (`http`, `https`, `ftp`, `ws` and none), one `www.`, one slash at the end and the case of the host say
   nothing. Letters that are no ASCII are what a client sends of them: their bytes in percent signs.
2. Everything else is another address: the case of a path, another percent sign, a step that leads back, a sign behind
   it, a character that nobody sees. So is a fragment, which scripts of the page can read and send.
3. Where an address ends in a text nobody can tell. It has each of these: up to a space, a quote or an angle, up to each
   of the first signs that may end one (`,` `;` `|` `'` `#` and brackets), and these without the signs at their end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import quote

MOST_ENDS = 8
"""Signs in one address of a text at which it may end."""
MOST_ADDRESSES = 64
"""Of a text, between two spaces or quotes."""
LONGEST_ADDRESS = 4_000
_SAME = re.compile(r"(?:(?:https?|ftps?|wss?):)?//(?![/\\])", re.I)
_SCHEME = r"(?!file:)[a-z][a-z0-9+.-]{1,15}://"
_HOST = r"(?:(?:[\w-]{1,63}\.){1,8}(?:xn--[a-z0-9-]{2,59}|[^\W\d_]{2,24})|\d{1,3}(?:\.\d{1,3}){3})"
_BEGIN = re.compile(rf"(?<![A-Za-z0-9]){_SCHEME}|(?<![\w.@/\\:-])(?:www\.|{_HOST}(?::\d{{1,5}})?(?=[/?#]))", re.I)
_HOSTED = re.compile(rf"{_SCHEME}|(?:https?|ftps?|wss?):[/\\]", re.I)
_SCHEMED = re.compile(r"(?<![A-Za-z0-9])(?:(?:https?|ftps?|wss?)://|www\.)[^\s/?#<>\"'`,;|()\[\]{}]{1,300}", re.I)
_BARE = re.compile(rf"[/\\]{{2}}[^/\\]|www\.|{_HOST}(?!:[~/])(?![\w-])", re.I)
_APART = re.compile(r"[<>\"`\u201c\u201d\u201e\u00ab\u00bb]+")
_PATH = re.compile(r"[/?#]")
_END = re.compile(r"[,;|()\[\]{}'#]")
_SIGNS = ".,;:!?'*_~-|()[]{}#"
_PRINTED = "".join(map(chr, range(0x80)))


def begins_address(text: str, *, bare: bool) -> bool:
    """Whether a visible text begins with a web address; `bare` is whether a host without a scheme makes one."""
    return _HOSTED.match(text) is not None or (bare and _BARE.match(text) is not None)


def plain_address(text: str) -> str:
    """The one spelling of an address that is a text as a whole."""
    same = _SAME.match(text)
    if same:
        text = text[same.end() :]
    if text[:4].lower() == "www.":
        text = text[4:]
    text = text.removesuffix("/")
    path = _PATH.search(text)
    if path is None:
        return text.lower()
    host, rest = text[: path.start()].lower(), text[path.start() :]
    return host + (rest if rest.isascii() else quote(rest, safe=_PRINTED, errors="surrogatepass"))


def _may_have(word: str) -> bool:
    return "/" in word or "?" in word or "#" in word


def host_of(address: str) -> str:
    """The host of a spelled address, with its port: of `user@host` what follows the last `@`. Empty with a backslash,
    of which programs do not agree what it means."""
    authority = _PATH.split(address, maxsplit=1)[0]
    return "" if "\\" in authority else authority.rpartition("@")[2]


def hosts(text: str) -> Iterator[str]:
    """Those of the addresses of a text that have a scheme or `www.`, so that none of them is the name of a file."""
    for each in dict.fromkeys(each[0] for each in _SCHEMED.finditer(text)):
        host = host_of(plain_address(each))
        if host:
            yield host


def addresses(text: str) -> Iterator[str]:
    """Those that stand in a text, in their spelling, some of them more than once."""
    for token in (part for word in dict.fromkeys(text.split()) if _may_have(word) for part in _APART.split(word)):
        for _, begin in zip(range(MOST_ADDRESSES), _BEGIN.finditer(token), strict=False):
            whole = token[begin.start() : begin.start() + LONGEST_ADDRESS]
            ends = _END.finditer(whole, begin.end() - begin.start())
            for end in [*(each.start() for _, each in zip(range(MOST_ENDS), ends, strict=False)), len(whole)]:
                yield plain_address(whole[:end])
                bare = whole[:end].rstrip(_SIGNS)
                if len(bare) < end:
                    yield plain_address(bare)
