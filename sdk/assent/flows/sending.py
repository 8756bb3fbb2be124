"""Whether a call of a tool that reads, or works something out, sends: its arguments say so, whatever its name does.

1. A method other than GET, HEAD and OPTIONS beside a web address: `fetch(url=..., method="POST")`.
2. Something that is sent to a web address beside it: `fetch(url=..., data=...)`, also headers, parameters and cookies.
3. An argument that says who gets it: `recipient`, `cc`, `email_to`, `share_with`.
4. An address in an argument of what is called back or told: `webhook`, `callback_url`, `destination`, `to`.

In a search of what was sent (`search_emails(to=...)`) recipients are what is looked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, TypeAlias

from assent.flows.pack import Pack, local_name, split_name

Says: TypeAlias = Literal["", "method", "sent", "somebody", "address"]
"""What the name of an argument says of what the call sends."""


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
