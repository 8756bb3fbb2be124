"""Taking secrets out of decoded JSON: texts at any depth, names of members, and what goes by the name of a secret.

- A text, and a member's name, loses what `redacted` finds in it. Where two names become the same, the later one gets a
  number behind it: no value is lost.
- A text under a name that `kind_of` knows (`{"password": "hunter2"}`) goes as a whole if `is_secret` takes its value
  for one; so do the texts of a list under such a name.
- Numbers, booleans and nulls stay: a number of tokens is none, and a secret in figures is not told from a count.

What holds nothing is given back as it is, the very same object.

SIGNS is what the bytes of a document have somewhere if any of its texts or names may hold a secret: one expression in
RE2's syntax, without regard to case, for whoever has to look at every request. A document in which it is not found is
left as it is by `redact_members`. It may find more than there is, and never less; escapes that could spell any of it
(`\\u0070assword`, `:\\/\\/`) count as signs themselves. A property of the tests holds the two together.
"""

from assent.secrets.find import redacted
from assent.secrets.names import hidden, kind_of
from assent.secrets.values import is_secret

_BEFORE = r"(?:[^a-z0-9_]|\\[bfnrt])"
"""What is no part of a word; in JSON a line break is a backslash and a letter."""
SIGNS = (
    r"(?i)"
    # escapes of plain letters, and of slashes
    r"\\u00|\\/"
    # names of secrets
    r"|pass(?:[^a-z]|word|wd|phrase|code)|pwd|secret|token[^s]|credential"
    r"|(?:api|access|private|signing|encryption)[^a-z0-9]?key"
    r"|authorization[^a-z0-9_]|cookies?[^a-z0-9_]|x-[a-z-]{0,40}key"
    # addresses and commands
    r"|://[^\s/@\"']+@|-u[ =]|--user[ =]|hooks\.slack\.com|bearer[ \\]"
    # keys that say what they are
    rf"|{_BEFORE}sk-|[rsp]k_(?:live|test)_|gh[pousr]_|github_pat_|glpat-|xox[a-z]-|xapp-|a[ks]ia[a-z0-9]"
    r"{16}|aiza|oc_[a-z0-9_]{16}|assent_[a-z0-9_-]{43}|whsec_|npm_|pypi-|hf_|eyj|-----begin"
)


_KINDS: dict[str, str | None] = {}
_MOST_KNOWN, _LONGEST_KNOWN = 4096, 128

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def redact_members(value: "Any") -> "Any":
    """`value` without its secrets. Raises RecursionError for what is nested deeper than Python follows."""
    return _without(value, None)


def _without(value: "Any", kind: str | None) -> "Any":
    if isinstance(value, str):
        after = redacted(value)
        whole = after.startswith("[REDACTED:") and after.endswith("]") and after.count("[") == 1
        return hidden(kind) if kind is not None and not whole and is_secret(kind, value) else after
    if isinstance(value, dict):
        return _of_object(value)
    if isinstance(value, list):
        return _of_list(value, kind)
    return value


def _of_list(items: "list[Any]", kind: str | None) -> "list[Any]":
    after = [_without(item, kind) for item in items]
    return items if all(new is old for new, old in zip(after, items, strict=True)) else after


def _of_object(members: "dict[str, Any]") -> "dict[str, Any]":
    found: dict[str, Any] = {}
    renamed: dict[str, str] = {}
    same = True
    for name, value in members.items():
        kind = _KINDS.get(name, name)
        if kind is name:
            kind = _kind(name, renamed)
        after = _without(value, kind)
        same = same and after is value
        found[name] = after
    if renamed:
        taken = set(found) - set(renamed)
        return {_free(renamed[name], taken) if name in renamed else name: value for name, value in found.items()}
    return members if same else found


def _kind(name: str, renamed: dict[str, str]) -> str | None:
    """The kind of secret that goes by the name. A name that holds one itself is noted in `renamed`; others are
    remembered, since the same ones come again and again."""
    after = redacted(name)
    kind = kind_of(after)
    if after != name:
        renamed[name] = after
    elif len(name) <= _LONGEST_KNOWN:
        if len(_KINDS) >= _MOST_KNOWN:
            _KINDS.clear()
        _KINDS[name] = kind
    return kind


def _free(name: str, taken: set[str]) -> str:
    """The name, with a number behind it where it is taken."""
    free, number = name, 1
    while free in taken:
        number += 1
        free = f"{name} ({number})"
    taken.add(free)
    return free
