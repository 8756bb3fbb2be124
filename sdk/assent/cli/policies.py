"""`assent policies`: what guard goes by."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from assent.cli.failures import Exit, Failure
from assent.cli.input import identifier, read_json, read_text
from assent.cli.session import CommandSession, connected
from assent.cli.text import clean, moment, table, wrap
from assent.contract.analysis.observed import (
    LET_THROUGH,
    NOT_KEPT,
    OBSERVED_WINDOW,
    ObservedDecision,
    ObservedDecisions,
    ObservingPolicy,
    observed_in_words,
    policy_in_words,
    read_with_in_words,
    reason_in_words,
    untold_in_words,
)
from assent.contract.conditions import in_words
from assent.contract.control.policies import Mode, Policy, PolicyTest, once_enforced
from assent.contract.control.rules import PolicyType

app = typer.Typer(
    no_args_is_help=True,
    help="Policies: list, create, import, test, delete, enable, disable, enforce, observe; observed calls.",
)

NOTHING_OBSERVES = (
    "No policy observes. `assent policies observe POLICY_ID` lets one record what it would decide, and stops nobody."
)


def _id_or_none(given: str | None) -> str | None:
    return None if given is None else identifier(given)


PolicyId = Annotated[str, typer.Argument(callback=identifier, help="As `assent policies list` shows it.")]


@app.command("list")
@connected
def list_policies(session: CommandSession) -> None:
    """All policies, active or not."""
    answer = session.client.get_policies()
    session.output.rows(
        answer,
        ("policy_id", "name", "type", "mode", "active", "agents", "rules", "updated_at"),
        [_row(policy) for policy in answer.policies],
        "There are no policies, so guard allows everything; try `assent policies create --help`.",
    )


@app.command("create")
@connected
def create_policy(
    session: CommandSession,
    name: Annotated[str, typer.Argument(help="Shown in reasons and in the inbox.")],
    policy_type: Annotated[PolicyType, typer.Argument(help="What kind of policy.")],
    rules: Annotated[str, typer.Argument(help="A JSON object, @FILE, or - for standard input.")],
    mode: Annotated[Mode, typer.Option(help="`observe` records what it would decide, and decides nothing.")] = (
        Mode.ENFORCE
    ),
    agent_id: Annotated[list[str] | None, typer.Option(help="Only for this agent; may be repeated.")] = None,
    inactive: Annotated[bool, typer.Option("--inactive", help="Keep it switched off for now.")] = False,
) -> None:
    """Make a policy, for instance: create "No deletions" block_action_type '{"action_types": ["delete"]}'."""
    answer = session.client.create_policy(
        name, policy_type, read_json(rules, "rules"), active=not inactive, agent_ids=agent_id, mode=mode
    )
    session.output.lines(answer, f"Created: {answer.policy.policy_id}", *_warnings(answer.warnings))


@app.command("import")
@connected
def import_policies(
    session: CommandSession,
    file: Annotated[Path | None, typer.Argument(help="A YAML pack; - for standard input.")] = None,
    pack: Annotated[str | None, typer.Option(help="A pack that comes with the service, by name.")] = None,
    replace: Annotated[bool, typer.Option("--replace", help="Remove policies that the pack does not have.")] = False,
) -> None:
    """Take over a pack of policies; those that are there unchanged stay as they are."""
    if (file is None) == (pack is None):
        raise Failure("give either a FILE or --pack NAME", Exit.USAGE)
    text = None if file is None else read_text(file)
    answer = session.client.import_policies(text, pack=pack, replace=replace)
    session.output.lines(
        answer,
        f"Imported: {answer.imported}, unchanged: {answer.unchanged}, deleted: {answer.deleted}",
        *_warnings(answer.warnings),
    )


@app.command("test")
@connected
def try_policies(
    session: CommandSession,
    guard_context: Annotated[
        str | None, typer.Argument(metavar="[CONTEXT]", help="What guard is asked: a JSON object, @FILE, or -.")
    ] = None,
) -> None:
    """What guard would decide, without recording anything; without a CONTEXT, whether every policy can be read."""
    answer = session.client.test_policies(None if guard_context is None else read_json(guard_context, "context"))
    session.output.lines(answer, *_verdict_lines(answer))
    if not answer.success:
        raise Failure(f"{answer.failed} of {answer.total} policies cannot be used as they are", Exit.REFUSED)


@app.command("delete")
@connected
def delete_policy(session: CommandSession, policy_id: PolicyId) -> None:
    """Remove a policy; decisions it took part in stay as they are."""
    answer = session.client.delete_policy(policy_id)
    session.output.lines(answer, f"Deleted: {answer.policy_id}")


@app.command("enable")
@connected
def enable_policy(session: CommandSession, policy_id: PolicyId) -> None:
    """Switch a policy on."""
    _switch(session, policy_id, active=True)


@app.command("enforce")
@connected
def enforce_policy(session: CommandSession, policy_id: PolicyId) -> None:
    """Let a policy decide that only observed until now."""
    answer = session.client.update_policy(policy_id, mode=Mode.ENFORCE)
    follows = once_enforced(answer.policy)
    told = answer.warnings if follows is None else [*answer.warnings, follows]
    session.output.lines(answer, f"Enforced: {answer.policy.policy_id}", *_warnings(told))


@app.command("observe")
@connected
def observe_policy(session: CommandSession, policy_id: PolicyId) -> None:
    """Let a policy only record what it would decide."""
    answer = session.client.update_policy(policy_id, mode=Mode.OBSERVE)
    session.output.lines(answer, f"Observed: {answer.policy.policy_id}", *_warnings(answer.warnings))


@app.command("observed")
@connected
def list_observed(
    session: CommandSession,
    policy_id: Annotated[
        str | None,
        typer.Option("--policy", callback=_id_or_none, help="Only what the policy of this id alone changes."),
    ] = None,
    window: Annotated[str, typer.Option(help="How far back, such as 7d or 90d.")] = OBSERVED_WINDOW,
    since: Annotated[datetime | None, typer.Option(help="From this time on (UTC), instead of a window.")] = None,
    until: Annotated[datetime | None, typer.Option(help="Up to this time (UTC), instead of a window.")] = None,
    agent_id: Annotated[str | None, typer.Option(help="Only decisions about this agent.")] = None,
    session_id: Annotated[str | None, typer.Option("--session", help="Only decisions of this session.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=200, help="How many at most, the newest first.")] = 50,
) -> None:
    """Which decisions the policies that observe would have made stricter, and why, newest first; standing grants and
    triage may let some of these through."""
    answer = session.client.get_observed_decisions(
        window,
        since=_utc(since),
        until=_utc(until),
        policy_id=policy_id,
        agent_id=agent_id,
        session_id=session_id,
        limit=limit,
    )
    if session.output.json:
        session.output.document(answer)
        return
    if policy_id is None and not any(each.observes_since for each in answer.policies):
        session.output.remark(NOTHING_OBSERVES)
    for line in _totals(answer) if policy_id is None else _of_policy(answer, answer.policies[0]):
        session.output.remark(line)
    if session.output.terminal:
        print(*_told(answer.decisions, shutil.get_terminal_size().columns), sep="\n")
    else:
        session.output.rows(answer, _OBSERVED, [_observed(each) for each in answer.decisions], "")
    if answer.total > len(answer.decisions):
        shown = f"The newest {len(answer.decisions)} of {answer.total} are shown"
        session.output.remark(f"{shown}; --limit takes up to 200.")


@app.command("disable")
@connected
def disable_policy(session: CommandSession, policy_id: PolicyId) -> None:
    """Switch a policy off, and keep it."""
    _switch(session, policy_id, active=False)


def _switch(session: CommandSession, policy_id: str, *, active: bool) -> None:
    answer = session.client.update_policy(policy_id, active=active)
    said = f"{'Enabled' if active else 'Disabled'}: {answer.policy.policy_id}"
    session.output.lines(answer, said, *(_warnings(answer.warnings) if active else ()))


def _warnings(said: Sequence[str]) -> list[str]:
    return [f"Warning: {clean(each)}" for each in said]


def _row(policy: Policy) -> tuple[object, ...]:
    rules = msgspec.json.encode(policy.rules).decode()
    agents = ",".join(policy.agent_ids) or "all"
    active = "yes" if policy.active else "no"
    return (
        policy.policy_id,
        policy.name,
        policy.policy_type,
        policy.mode,
        active,
        agents,
        rules,
        moment(policy.updated_at),
    )


def _verdict_lines(answer: PolicyTest) -> list[str]:
    lines = [
        f"cannot be used: {clean(check.name)}: {clean(check.message)}" for check in answer.results if not check.passed
    ]
    result = answer.result
    if result is None:
        return [*lines, f"{answer.passed} of {answer.total} policies can be used"]
    lines.append(f"{result.decision} (risk {result.risk_score:g})")
    lines += [f"  {clean(in_words(reason))}" for reason in [*result.reasons, *result.warnings]]
    if result.would_decide is not None:
        lines.append(f"  with observed policies enforced: {result.would_decide}")
    return lines


_OBSERVED = (
    *("occurred_at", "decision_id", "action_id", "agent", "session", "tool", "action_type", "decision", "would_decide"),
    *("policies", "earlier", "reasons"),
)


def _utc(at: datetime | None) -> datetime | None:
    return None if at is None else at.replace(tzinfo=UTC)


def _totals(answer: ObservedDecisions) -> Iterator[str]:
    """How many decisions it is about, by policy and by tool."""
    yield observed_in_words(answer)
    if answer.simulated:
        yield f"  A simulator made {answer.simulated:,} of these decisions; they never happened."
    for each in answer.policies:
        first, *more = _counted(answer, each)
        yield f"  {first}"
        yield from (f"    {line}" for line in more)
    if answer.not_shown:
        yield f"  and {answer.not_shown} more policies"
    yield from _of_list(answer)


def _of_policy(answer: ObservedDecisions, asked: ObservingPolicy) -> Iterator[str]:
    """The same of the one policy that was asked for."""
    first, *more = _counted(answer, asked)
    yield f"{first}."
    yield from (f"  {line}" for line in more)
    yield from _of_list(answer)


def _counted(answer: ObservedDecisions, count: ObservingPolicy) -> Iterator[str]:
    yield f"{clean(count.name)} ({count.policy_id}) {policy_in_words(count, answer.since, moment)}"
    yield from (said for said in (untold_in_words(count), read_with_in_words(count)) if said is not None)


def _of_list(answer: ObservedDecisions) -> Iterator[str]:
    if not answer.total:
        return
    if answer.sessions:
        yield f"  Different sessions: {answer.sessions:,}. What is approved is trusted for the rest of its session."
    if answer.tools:
        yield f"  Tools: {', '.join(f'{clean(each.name)} {each.n}' for each in answer.tools)}"
    yield f"  {LET_THROUGH}"


def _told(decisions: Sequence[ObservedDecision], width: int) -> Iterator[str]:
    """A table on a terminal; below each row stand its reasons, whole, and what to open."""
    header = ("occurred_at", "by", "tool", "decision", "would_be")
    cells = [
        (moment(each.occurred_at), each.agent_id, each.tool, each.decision, each.would_decide) for each in decisions
    ]
    if not cells:
        return
    first, *rows = table(header, cells, max(width, 70), whole=("occurred_at",))
    yield first
    for row, decision in zip(rows, decisions, strict=True):
        yield row
        if decision.action_type != decision.tool:
            yield from (f"  {line}" for line in wrap(f"action type: {clean(decision.action_type)}", max(width - 2, 20)))
        for each in decision.policies:
            yield from (f"  {line}" for line in wrap(clean(reason_in_words(each)), max(width - 2, 20)))
        yield f"  {decision.action_id or decision.decision_id}"


def _observed(decision: ObservedDecision) -> tuple[object, ...]:
    return (
        moment(decision.occurred_at),
        decision.decision_id,
        decision.action_id,
        decision.agent_id,
        decision.session_id,
        decision.tool,
        decision.action_type,
        decision.decision,
        decision.would_decide,
        ",".join(each.policy_id for each in decision.policies),
        ",".join(each.policy_id for each in decision.policies if each.earlier),
        " | ".join(f"{each.name}: {each.reason or NOT_KEPT}" for each in decision.policies),
    )
