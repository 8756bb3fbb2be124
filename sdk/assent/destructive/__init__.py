"""Whether a goal speaks of destruction: of deleting, wiping or tearing down what an organization lives on.

    destructive("delete all customer data")    True
    destructive("delete the draft")            False
    destructive("Lösche die Kundendaten nicht")   False

Policies ask for it as the field `destructive`. A goal counts when one of its verbs takes away something that matters,
in any of fifteen languages, or when it holds a command that does (`sentences` says how); which words these are is a
table, `words.toml`, and nothing else. Guard records what it found with the table's version, so a decision replays by
the table of its time.
"""

from functools import lru_cache

from assent.destructive.sentences import speaks_of_destruction
from assent.destructive.table import VERSION

__all__ = ["VERSION", "destructive"]

LONGEST = 2000
"""Characters of a goal that are looked at: as many as guard accepts."""


def destructive(goal: str | None) -> bool:
    """Whether a goal speaks of destruction; no goal does not. Linear in its length, and remembered for the goals that
    come again."""
    return _found(goal[:LONGEST]) if goal else False


@lru_cache(maxsize=2048)
def _found(goal: str) -> bool:
    return speaks_of_destruction(goal)
