"""Whether a call of a tool that reads, or works something out, sends: its arguments say so, whatever its name does.

1. A method other than GET, HEAD and OPTIONS beside a web address: `fetch(url=..., method="POST")`.
2. Something that is sent to a web address beside it: `fetch(url=..., data=...)`, also headers, parameters and cookies.
3. An argument that says who gets it: `recipient`, `cc`, `email_to`, `share_with`.
4. An address in an argument of what is called back or told: `webhook`, `callback_url`, `destination`, `to`.

In a search of what was sent (`search_emails(to=...)`) recipients are what is looked for.

Where the user did not name the host of an address it sends as well if it has something for who answers there
(`carries`):

1. Whatever stands beside the address and neither limits nor shapes what is read, nor is said to a model: `query`,
   `variables`, `token`, and names that nobody knows. Of numbers those in a list or an object, and large ones.
2. A method that writes, in an argument such as `verb` or `type`.
3. An address that the call goes through or is based on: `proxy`, `base_url`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias

from assent.flows.pack import Pack, local_name, split_name

Says: TypeAlias = Literal["", "method", "sent", "somebody", "address"]
"""What the name of an argument says of what the call sends."""
Use: TypeAlias = Literal["content", "limits", "verb", "through", "around", "place", "path"]
"""What the name of an argument says of what it has, beside an address: something for who answers there; what limits or
shapes a read; perhaps a method; an address that the call goes through; further arguments; where is searched; a path."""
_IDS = frozenset(["id", "ids", "uid", "uuid"])
LARGEST_AMOUNT = 10**7
"""From here on a number names something, such as an account, wherever it stands."""


def argument_says(name: str, pack: Pack) -> Says:
    words, known = split_name(name), pack.words
    if not words:
        return ""
    last, before = words[-1], known.verbs.get(words[-2]) if len(words) > 1 else None
    if last in known.method:
        return "method"
    if last in known.sent:
        return "sent"
    to = last == "to" and before in ("send", "write")
    if last in known.somebody or (to and before == "send") or (last == "with" and pack.is_held(words)):
        return "somebody"
    return "address" if to or words == ["to"] or not known.sent_to.isdisjoint(words) else ""


class Content(NamedTuple):
    """What an argument has, at its path. `address` is whether an address belongs there."""

    path: str
    use: Use
    address: bool
    values: Sequence[object]
    listed: bool


def use_of(words: list[str], pack: Pack) -> Use:
    """`words` are those of an argument's name."""
    known = pack.words
    if not words:
        return "content"
    if words[-1] in known.around:
        return "around"
    if not known.through.isdisjoint(words):
        return "through"
    if words[-1] in known.places:
        return "place"
    if words[-1] in known.verbal:
        return "verb"
    if words[-1] in known.paths or words[-1] in ("folder", "directory", "dir"):
        return "path"
    own = words[-1] in _IDS and len(words) > 1 and words[0] in known.own
    counted = known.roles.get(words[-1]) in ("amount", "time")
    return "limits" if own or counted or words[-1] in known.limiting or words[0] in known.choosing else "content"


def carries(contents: Iterable[Content], web: Sequence[str], tool: str, pack: Pack) -> bool:
    """Whether a call that reads at the addresses whose paths are `web` has something for who answers there."""
    given = [each for each in contents if not (each.path in web and _is_an_address(each))]
    if not given:
        return False
    known, words = pack.words, split_name(local_name(tool))
    if not known.listing.isdisjoint(words):
        looked_in = {each.path for each in given if each.use == "place"}
        if all(each in looked_in for each in web):
            return False
    saves = not known.saving.isdisjoint(words)
    return any(_goes(each, web, saves=saves, pack=pack) for each in given)


def _is_an_address(content: Content) -> bool:
    """Whether all that stands at the path of an address is addresses that are read."""
    if content.use not in ("content", "around", "path"):
        return False
    return all(isinstance(each, str) and (content.address or len(each.split()) == 1) for each in content.values)


def _goes(content: Content, web: Sequence[str], *, saves: bool, pack: Pack) -> bool:
    path, use, _, values, listed = content
    if use == "verb":
        return any(
            bool(each) if isinstance(each, Mapping) else str(each).strip().lower() in pack.words.writing
            for each in values
        )
    if path in web and use in ("through", "place"):
        return use == "through"
    return not (use == "path" and saves) and any(_says(each, listed=listed) for each in values)


def _says(value: object, *, listed: bool) -> bool:
    if value is None or isinstance(value, bool):
        return False
    if isinstance(value, (int, float)):
        return listed or abs(value) >= LARGEST_AMOUNT
    return bool(value.strip()) if isinstance(value, str) else bool(value)


def sends(
    given: Iterable[tuple[str, Says, object]], web: Sequence[str], addresses: Sequence[str], tool: str, pack: Pack
) -> bool:
    """`given` are arguments by their paths, with what their names say and what they have; `web` and `addresses` are the
    paths of web addresses, and of all addresses."""
    searches: bool | None = None
    for path, says, value in given:
        if says == "method":
            found = bool(web) and str(value).strip().lower() not in pack.words.reading
        elif says == "sent":
            found = any(not _is_at(each, path) for each in web)
        else:
            found = says == "somebody" or any(_is_at(each, path) for each in addresses)
            if found and _is_recipient(path):
                searches = _searches_sent(tool, pack) if searches is None else searches
                found = not searches
        if found:
            return True
    return False


def _is_at(path: str, argument: str) -> bool:
    return path == argument or path.startswith(argument + ".")


def _is_recipient(path: str) -> bool:
    words = split_name(path.rpartition(".")[2])
    return words in (["to"], ["cc"], ["bcc"]) or words[:1] in (["recipient"], ["recipients"])


def _searches_sent(tool: str, pack: Pack) -> bool:
    """Whether it searches what was sent, such as `search_emails`."""
    words, verbs = split_name(local_name(tool)), pack.words.verbs
    sent = any(verbs.get(each, verbs.get(each.removesuffix("s"))) == "send" for each in words)
    return sent and not pack.words.listing.isdisjoint(words)
