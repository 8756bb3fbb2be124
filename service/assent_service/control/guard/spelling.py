"""Members of a context that are probably misspelt: guard does not look at them, and whoever wrote them thinks it does.

A context is open, so a member that guard does not know is kept and nobody is told. One whose name is nearly that of a
member that guard does know is a warning, which names the other. Near is:

1. the same letters, whatever their case and the hyphens and underscores between them;
2. one letter missing, too many, wrong, or two neighbours exchanged, from 8 letters on; shorter names only by an
   exchange of neighbours, as too many words are one letter apart;
3. two such slips from 12 letters on, where the lengths differ by one at most (`irreversible` is a word of its own).

Nothing is near that any call of the contract or of published clients says.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from assent.contract.control.actions import CreateAction
from assent.contract.control.guard import OF_GUARD, GuardContext
from assent.contract.spelling import PUBLISHED

OF_GUARD_ALONE = frozenset(GuardContext.__struct_encode_fields__)
OF_CREATION = OF_GUARD_ALONE | frozenset(CreateAction.__struct_encode_fields__)
KNOWN = OF_CREATION | frozenset((*PUBLISHED, *PUBLISHED.values(), *OF_GUARD, "signature"))
"""`signature` is what published clients call a creation's `_signature` in their answers."""
LONGEST = max(map(len, OF_CREATION)) + 2
MOST = 20
"""Unknown members of one call that are looked at; whoever says more has a format of their own."""
ONE_SLIP_FROM, TWO_SLIPS_FROM = 8, 12
MAX_KEPT = 1024
_kept: dict[tuple[bool, tuple[str, ...]], tuple[str, ...]] = {}


def misspelt(members: Mapping[str, object], *, creating: bool) -> tuple[str, ...]:
    """A warning for each member that is probably a misspelt one of guard's context, or of a creation's."""
    if members.keys() <= KNOWN:
        return ()
    unknown = tuple([name for name in members if name not in KNOWN and len(name) <= LONGEST][:MOST])
    found = _kept.get((creating, unknown))
    if found is None:
        targets = sorted(OF_CREATION if creating else OF_GUARD_ALONE)
        near = [(name, _nearest(name, targets)) for name in unknown]
        found = tuple(
            f"{name!r} is no member that guard looks at; did you mean {other!r}?" for name, other in near if other
        )
        if len(_kept) >= MAX_KEPT:
            _kept.clear()
        _kept[creating, unknown] = found
    return found


def _nearest(name: str, targets: Iterable[str]) -> str | None:
    """The member that `name` was probably meant to be."""
    plain = _letters(name)
    for target in targets:
        letters = _letters(target)
        if letters == plain:
            return target
    near = [(slips(plain, _letters(target)), target) for target in targets if _may_be(plain, _letters(target))]
    return min(((count, target) for count, target in near if count <= _allowed(_letters(target))), default=(0, None))[1]


def _letters(name: str) -> str:
    return name.lower().replace("_", "").replace("-", "").replace(" ", "")


def _may_be(name: str, target: str) -> bool:
    """Whether the lengths leave a slip possible."""
    if len(target) < ONE_SLIP_FROM:
        return sorted(name) == sorted(target)
    return abs(len(name) - len(target)) <= 1


def _allowed(target: str) -> int:
    return 2 if len(target) >= TWO_SLIPS_FROM else 1


def slips(one: str, other: str) -> int:
    """The optimal string alignment distance: letters missing, too many or wrong, and neighbours exchanged (Damerau,
    "A technique for computer detection and correction of spelling errors", CACM 7 (1964), 171-176)."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for at, letter in enumerate(one):
        earlier, before, row = before, row, [at + 1]
        for to, wanted in enumerate(other):
            cost = min(before[to + 1] + 1, row[to] + 1, before[to] + (letter != wanted))
            if at and to and letter == other[to - 1] and one[at - 1] == wanted:
                cost = min(cost, earlier[to - 1] + 1)
            row.append(cost)
    return row[-1]
