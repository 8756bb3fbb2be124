"""What happened in a session, in words. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from assent.contract.control.actions import ActionStatus
from assent.contract.control.approvals import ApprovalState
from assent.contract.control.flow_steps import FlowAsked, FlowEntry, FlowSteps
from assent.contract.control.flows import FlowSession
from assent.contract.control.guard import Decision
from assent.contract.names import same_name
from assent.origins import ValueOrigin
from assent_analytics.flow_steps import (
    answer_steps,
    first_step,
    is_last_page,
    label_spans,
    stopped,
    tool_of,
    would_stop,
)
from assent_dashboard.views import words

LONGEST_REASON = 320
VERDICTS = {
    Decision.ALLOW: ":green-badge[:material/check: allowed]",
    Decision.WARN: ":orange-badge[:material/warning: allowed, with a warning]",
    Decision.REQUIRE_APPROVAL: ":blue-badge[:material/front_hand: a person was asked]",
    Decision.BLOCK: ":red-badge[:material/block: blocked]",
}
KINDS = {
    "user": ":green-badge[user]",
    "approved": ":green-badge[approved]",
    "house": ":green-badge[your own]",
    "leaf": ":blue-badge[field]",
    "free": ":orange-badge[text]",
    "leaf and free": ":orange-badge[field and text]",
    "unknown": ":red-badge[unknown]",
}
"""Where a value came from, in a word."""
MEANINGS = (
    f"{KINDS['user']} the user named it · {KINDS['approved']} an operator approved it earlier in this session · "
    f"{KINDS['house']} a name that your flow policies say is your own · "
    f"{KINDS['leaf']} a whole value of a field that a tool answered · {KINDS['free']} it stands in a text that a tool "
    f"answered · {KINDS['leaf and free']} both, so the text may have pointed to it · {KINDS['unknown']} nobody named "
    "it. Numbers count all steps; where a sentence says how many steps ago something was read, it counts answers of "
    "tools."
)


def summary(found: FlowSteps) -> str:
    """What happened here, and what was stopped; Markdown."""
    calls = [
        (number, each.asked) for number, each in enumerate(found.steps, first_step(found)) if each.asked is not None
    ]
    those = [(number, asked) for number, asked in calls if stopped(asked)]
    if is_last_page(found):
        there = f"the last {words.amount(len(found.steps))} steps"
    else:
        there = f"steps {words.amount(first_step(found))} to {words.amount(found.before + len(found.steps))}"
    whole = len(found.steps) == found.total
    left = f" that {'is' if len(calls) == 1 else 'are'} left" if found.missing else ""
    of = words.several(len(calls), "call") + left + ("" if whole else f" in {there}")
    if not calls:
        what = f"Nothing was asked of guard here: it was told something {words.several(found.flow.told, 'time')}"
    elif not those:
        observed = [number for number, asked in calls if would_stop(asked)]
        what = f"Nothing was stopped: {of} went on"
        if observed:
            what += f"; an observed policy would have stopped {_steps(observed)}"
    else:
        number, asked = those[0]
        went = "" if len(calls) == len(those) else f", {words.amount(len(calls) - len(those))} went on"
        what = f"Of {of} {words.amount(len(those))} {'was' if len(those) == 1 else 'were'} stopped{went}. "
        what += f"{words.code(tool_of(asked))} at step {number}{became(asked)}"
        if len(those) > 1:
            what += f"; {_steps([number for number, _ in those[1:]])} as well"
    # An erased call leaves nothing that could be counted.
    gone = " Calls that are erased are not counted." if found.missing else ""
    return f"{what}.{gone} {carries(found)}".strip()


def became(asked: FlowAsked) -> str:
    """What became of a call that was stopped, as the end of a sentence."""
    if asked.decision is Decision.BLOCK:
        return " was blocked"
    by = f" by {words.plain(asked.decided_by)}" if asked.decided_by else ""
    match asked.approval:
        case ApprovalState.APPROVED:
            return f" was allowed{by}"
        case ApprovalState.DENIED:
            return f" was denied{by}"
        case ApprovalState.AWAITING:
            return " waits for a person"
        case None:
            return " was to be asked about, and no action came of it"
        case _:
            return f" was never answered: the request {asked.approval}"


def carries(found: FlowSteps) -> str:
    """Which labels hold, and since when."""
    spans = [span for span in label_spans(found) if span.until is None]
    if not spans:
        return "It carries no label."
    if not is_last_page(found):
        return f"It carries {_listed([words.code(span.label) for span in spans])} now."
    told = [
        f"{words.code(span.label)} " + (f"since step {span.since}" if span.since else "since before the steps below")
        for span in spans
    ]
    return f"It carries {_listed(told)}."


def told_line(number: int, told: FlowEntry) -> str:
    """One time that the session was told something; Markdown."""
    labels = _listed([words.code(each) for each in told.labels])
    if told.kind == "removal":
        return f"**{number}** · :material/label_off: An operator took {labels} off: “{words.plain(told.reason)}”"
    if told.kind == "user":
        what = ":material/person: The user said something"
    else:
        held = ", text of somebody else" if told.text else ", data"
        page = " from an address outside" if told.page else ""
        what = f":material/description: {words.code(told.tool)} answered{held}{page}"
    gap = "" if told.complete else " :red-badge[not all of it is kept]"
    put = f" · put on {labels}" if labels else ""
    return f"**{number}** · {what}{put}{gap}"


def told_by(flow: FlowSession, told: FlowEntry) -> str:
    """Who told it, where that is another key or another agent than the session was begun with; Markdown. Whoever tells
    a session decides what counts as the user's word, so who it was is read beside it."""
    if told.kind == "removal" or (told.by == flow.created_by and same_name(told.agent_id, flow.agent_id)):
        return ""
    agent = "no agent" if told.agent_id is None else f"agent {words.code(told.agent_id)}"
    return f" · told with key {words.code(told.by)} as {agent}"


def verdict(asked: FlowAsked) -> str:
    """Badges: how guard decided, and what became of it."""
    said = [VERDICTS[asked.decision]]
    if would_stop(asked):
        said.append(":blue-badge[an observed policy would have asked]")
    if asked.decision is Decision.REQUIRE_APPROVAL and asked.approval is not None:
        said.append(
            f":gray-badge[{asked.approval!s}{f' by {words.plain(asked.decided_by)}' if asked.decided_by else ''}]"
        )
    elif asked.status in (ActionStatus.FAILED, ActionStatus.CANCELLED):
        said.append(f":gray-badge[{asked.status}]")
    return " ".join(said)


def value_line(found: FlowSteps, value: ValueOrigin) -> str:
    """Where one value came from; Markdown."""
    text = "" if value.text is None else f" “{words.plain(value.text)}”"
    step = answer_steps(found).get(value.call)
    where = f" (step {step})" if step is not None else ""
    return f"- {KINDS[value.kind]} **{words.plain(value.argument)}**{text}: {words.plain(value.sentence)}{where}"


def spoken_picture(found: FlowSteps) -> str:
    """What the picture shows, for whoever cannot see it."""
    parts: list[str] = []
    for number, each in enumerate(found.steps, first_step(found)):
        if each.told is not None and each.told.kind == "user":
            parts.append(f"{number} the user")
        elif each.told is not None and each.told.kind == "removal":
            parts.append(f"{number} an operator took {' and '.join(each.told.labels)} off")
        elif each.told is not None:
            parts.append(f"{number} {words.clean(each.told.tool)} answered{' with text' if each.told.text else ''}")
        elif each.asked is not None:
            parts.append(f"{number} {words.clean(tool_of(each.asked))}, {str(each.asked.decision).replace('_', ' ')}")
    shown = parts[:SPOKEN]
    more = f"; and {words.several(len(parts) - SPOKEN, 'step')} more" if len(parts) > SPOKEN else ""
    return f"Steps of the session: {'; '.join(shown)}{more}."


SPOKEN, NAMED = 40, 4
"""Steps that are read aloud, and that a sentence names; all of them stand below the picture."""


def _steps(numbers: Iterable[int]) -> str:
    found = [str(each) for each in numbers]
    shown = found[:NAMED] if len(found) <= NAMED else [*found[: NAMED - 1], f"{len(found) - NAMED + 1} more"]
    return f"step{'s' if len(found) > 1 else ''} {_listed(shown)}"


def _listed(found: list[str]) -> str:
    return " and ".join(found) if len(found) < 3 else f"{', '.join(found[:-1])} and {found[-1]}"
