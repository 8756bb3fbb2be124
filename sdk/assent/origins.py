"""Where the values of a request came from, in sentences: for a page, a terminal and a proof alike. Pure.

    found = origins(decision.flow, action_context)
    for value in found.values:
        value.argument, value.text, value.sentence   # recipient, DE89..., This account number appears only in the ...
    found.session                                    # what is to be known of the whole session

What guard recorded holds no value (`contract.control.flows.FlowTrace`): values are read from the request itself, as it
was recorded, where they can be told apart. What nobody named stands first. Texts that a stranger may have written are
as they came.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, cast, get_args

from assent.contract.control.flows import FlowTrace, FlowValue, flow_call
from assent.flows import Provenance, came_from, put_on, shipped_pack, taken_off, texts_of
from assent.flows.decide import LABELS
from assent.flows.gaps import call_gap, capital, kept_back, session_gap, untold
from assent.flows.provenance import Kind
from assent.flows.session import UNTRUSTED
from assent.flows.trace import EARLIER_WORDS, NAMELESS

LONGEST_TEXT = 120
MOST_VALUES, MOST_LABELS = 12, 6
"""So many are told one by one."""
_ORDER = ("free", "leaf and free", "unknown", "leaf", "house", "approved", "user")
QUOTED = "“{}”"
DOUBTFUL = ("free", "leaf and free", "unknown")
GAPS = "Not everything that the session was told is kept"
MISSING = "so a text that has one of these values may be missing."
REACH = (
    "If you allow it, its values pass for the rest of this session: for this use, in any tool that does the same with "
    "them, whatever the amount."
)
CUT = "The call has more values than are looked at."


class ValueOrigin(NamedTuple):
    """`text` is the value as the request has it, its beginning where it is long, None where it cannot be told from
    another one or is gone. `doubtful` says that a text has it, or that nothing does. `kind` is where it came from in a
    word, and `call` the number of the answer that has it, in its text if it stands in one; 0 for none."""

    argument: str
    text: str | None
    doubtful: bool
    sentence: str
    kind: Kind
    call: int


class Origins(NamedTuple):
    """`values` are those that guard looked at, what nobody named first; `more` of them are not told. `session` are
    sentences about the whole: labels with the call that put them on, those taken off, and what is not known. `reach` is
    how far it goes when an operator allows the call; empty where that is for this call alone."""

    values: tuple[ValueOrigin, ...]
    more: int
    session: tuple[str, ...]
    reach: str = ""

    def lines(self) -> list[str]:
        """Where the values came from as text, one value a line."""
        told = [
            f"{each.argument}{'' if each.text is None else f' {QUOTED.format(each.text)}'}: {each.sentence}"
            for each in self.values
        ]
        more = [f"{self.more} more values were looked at."] if self.more else []
        return [*told, *more, *self.session]


def origins(flow: FlowTrace, context: Mapping[str, Any]) -> Origins:
    """`context` is the request as guard recorded it; empty where that is gone."""
    facts = TraceFacts(flow)
    session: list[str] = []
    if not flow.told:
        return Origins((), 0, (untold(flow.gaps),))
    if flow.withheld:
        session.append(kept_back(flow.gaps))
    if not flow.complete:
        why = session_gap(flow.gaps)
        session.append(f"{capital(why)}, {MISSING}" if why else f"{GAPS}, {MISSING}")
    if not flow.whole:
        session.append(call_gap(flow.gaps) or CUT)
    labels = sorted(flow.labels, key=lambda label: (label not in LABELS, label))
    session += [put_on(label, flow.label_calls.get(label, 0), facts) for label in labels[:MOST_LABELS]]
    if len(labels) > MOST_LABELS:
        session.append(f"It has {len(labels) - MOST_LABELS} more labels.")
    session += [taken_off(label) for label in flow.removed[:MOST_LABELS]]
    places = [(each.path, each.role, each.shape) for each in flow.values]
    # The type names a tool, and of the call the parameters alone are read.
    call = flow_call("", context)
    texts = texts_of(call.parameters, places, shipped_pack())
    found = sorted(zip(flow.values, texts, strict=True), key=lambda pair: _rank(pair[0]))
    values = tuple(_told(value, text, facts) for value, text in found[:MOST_VALUES])
    # What has a secret taken out of it is trusted nowhere else.
    reach = REACH if found and call.parameters and not call.gaps else ""
    return Origins(values, max(0, len(found) - MOST_VALUES), tuple(session), reach)


class TraceFacts:
    """What the words of a sentence need of a recorded trace."""

    def __init__(self, flow: FlowTrace) -> None:
        self.calls = flow.calls
        self.tools: Mapping[int, str] = {int(number): tool for number, tool in flow.tools.items()}
        self.gaps: tuple[str, ...] = tuple(flow.gaps)
        self._labels = flow.labels
        self._has_earlier_words = flow.version in EARLIER_WORDS
        self._text_call = 0 if flow.version in NAMELESS else flow.label_calls.get(UNTRUSTED, 0)

    def holds(self, label: str) -> bool:
        return label in self._labels

    def text_call(self) -> int:
        """The call that answered the last text of somebody else; 0 where that is not told."""
        return self._text_call

    def has_earlier_words(self) -> bool:
        """Whether questions are worded as when calls were read by version 5."""
        return self._has_earlier_words


def _rank(value: FlowValue) -> int:
    return _ORDER.index(value.origin) if value.origin in _ORDER else len(_ORDER)


def _told(value: FlowValue, text: str | None, facts: TraceFacts) -> ValueOrigin:
    kind = cast("Kind", value.origin) if value.origin in get_args(Kind) else "unknown"
    origin = Provenance(kind, value.leaf_call, value.field, value.free_call)
    sentence = came_from(f"This {value.shape}", origin, facts, command=value.role == "command")
    if text is not None and len(text) > LONGEST_TEXT:
        text = text[: LONGEST_TEXT - 1] + "…"
    call = value.free_call or value.leaf_call
    return ValueOrigin(value.path or "a name", text, value.origin in DOUBTFUL, sentence, kind, call)
