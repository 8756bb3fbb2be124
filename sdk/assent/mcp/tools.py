"""The tools: what each takes and answers with, and when a model calls it. What they do is in `calls`.

Named as the operations of the SDK. The descriptions are for the model; what the members mean stands with them. A host
shows its model all of it with every request, so the list has the short form (`outline`) and `help` the rest.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from msgspec import Meta

from assent.contract.analysis.lessons import Lessons, LessonsQuery
from assent.contract.control.actions import ActionDetail, CreateAction, UpdatedAction, UpdateOutcome
from assent.contract.control.assumptions import RecordAssumption, RecordedAssumption
from assent.contract.control.claims import ClaimAction
from assent.contract.control.guard import GuardContext
from assent.contract.control.questions import AnswerQuestion, QuestionDetail
from assent.contract.record import Id, Record
from assent.mcp.answers import GUARDING, READING, REPORTING, Claimed, Guarded, Opened, Waited
from assent.mcp.arguments import Members

LONGEST_WAIT = 3600
Seconds = Annotated[float, Meta(ge=0, le=LONGEST_WAIT)]

INSTRUCTIONS = """Assent governs what you do. Before every action that changes something outside this conversation \
(writes, sends, deploys, deletes, pays, runs code):
1. call guard, then create_action with its decision_id (or create_action alone, which asks guard itself);
2. act only if the answer has may_act true; if it asks for an approval, call wait_for_approval;
3. afterwards call update_outcome, also when it failed or you gave it up.
Every answer says in what_to_do what comes next. Put no secrets into any argument. A blocked or denied action must not \
be carried out in any other way either. If a tool returns an error, nothing is allowed: do not act. The tool help says \
more about each of the others."""

WORDS: Mapping[str, str] = {
    "action_type": "Kind of action in a word or two; the same for the same kind: deploy, send_email.",
    "declared_goal": "What exactly will be done, and to what end; a sentence, no secrets.",
    "systems_touched": "Systems, hosts, files or accounts that it changes.",
    "parameters": "What it is done with; an action keeps their digest, and an approval is for exactly these.",
    "externality": "How far it reaches beyond you; who sees it, whose account, which data, and within how many seconds "
    "it can be taken back.",
    "reversible": "Whether it can be undone.",
    "risk_score": "Your own estimate of the risk; 0 to 100.",
    "metadata": "Further facts for policies; no secrets.",
    "decision_id": "From guard's answer for this very action; at most five minutes old, and each can be used once.",
    "reasoning": "Why you do it.",
    "authorization_scope": "What allows it; such as a ticket or the user's words.",
    "trigger": "What led to it.",
    "input_summary": "What it works on; in short, no secrets.",
    "confidence": "How sure you are that it is right; 0 to 100.",
    "parent_action_id": "The action of which this is a part.",
    "session_id": "The conversation that it belongs to; or a session of your own.",
    "model": "The model that decided it.",
    "idempotency_key": "A text of your own; a repeated call with it finds the first action instead of making another.",
    "action_id": "From create_action.",
    "replaces": "Your waiting action whose place this takes; such as after an operator's question.",
    "question_id": "From wait_for_approval.",
    "answer": "What you say to the question; true and in short, no secrets.",
    "assumption": "What you take to be true; in a sentence.",
    "basis": "What that rests on.",
    "status": "How it ended; completed, failed or cancelled, and running while it goes on.",
    "output_summary": "What came of it; in short, no secrets.",
    "side_effects": "What else has changed.",
    "artifacts_created": "What there is now that was not before; files, pull requests, tickets.",
    "error_message": "What went wrong.",
    "duration_ms": "Milliseconds that it took.",
    "cost_estimate": "US dollars that it cost.",
    "tokens_in": "Tokens read.",
    "tokens_out": "Tokens written.",
    "timeout_seconds": f"Wait at most so long; 0 to {LONGEST_WAIT}, and the answer comes as soon as there is one.",
    "limit": "How many lessons at most; 1 to 200, 10 unless given.",
    "lookback_days": "How many days back; 90 unless given.",
    "min_samples": "Finished actions that a lesson needs; 5 unless given.",
    "tool": "Name of the tool.",
    "part": "Its arguments, or its answer; arguments unless given.",
}
"""What each argument means. The list of tools has what stands before the first semicolon or full stop, `help` all."""

CONTEXT = ("declared_goal", "systems_touched", "parameters", "externality", "reversible", "risk_score", "metadata")
ABOUT = (
    *("decision_id", "reasoning", "authorization_scope", "trigger", "input_summary", "confidence"),
    *("parent_action_id", "replaces", "session_id", "model", "idempotency_key"),
)
OUTCOME = (
    *("output_summary", "side_effects", "artifacts_created", "error_message", "duration_ms"),
    *("cost_estimate", "tokens_in", "tokens_out", "model", "metadata"),
)


@dataclass(frozen=True, kw_only=True)
class Tool:
    """One tool. `consequence` is what a model is told when the tool has no answer. None of them destroys anything, and
    none reaches anybody but Assent; those that are not `read_only` add a record with each call."""

    name: str
    title: str
    description: str
    members: Members
    answer: type[Record]
    consequence: str
    read_only: bool = False


def _own_action(**more: Any) -> dict[str, Any]:
    return {"action_id": Id, **more}


TOOLS: Mapping[str, Tool] = {
    tool.name: tool
    for tool in (
        Tool(
            name="guard",
            title="Ask whether an action may go ahead",
            description="Ask before you act. The decision is recorded. verdict.decision is: allow (call create_action, "
            "then act); warn (the same, minding verdict.warnings); require_approval (call create_action, then "
            "wait_for_approval, and act only once it is approved); block (do not act, in no other way either; tell the "
            "user the reasons). Call create_action next with verdict.decision_id and the same arguments.",
            members=Members("Guard", GuardContext, required=("action_type",), optional=CONTEXT, words=WORDS),
            answer=Guarded,
            consequence=GUARDING,
        ),
        Tool(
            name="create_action",
            title="Say what you are about to do",
            description="Record an action right before you carry it out; without decision_id guard is asked as well. "
            "may_act true: carry it out now, exactly as declared, then call update_outcome. status pending_approval: "
            "call wait_for_approval and do not act before it says so. status blocked: do not act; the attempt is kept "
            "as evidence.",
            members=Members(
                "CreateAction", CreateAction, required=("action_type",), optional=(*CONTEXT, *ABOUT), words=WORDS
            ),
            answer=Opened,
            consequence=GUARDING,
        ),
        Tool(
            name="wait_for_approval",
            title="Wait until a person decides",
            description="Wait for the operator's decision on an action of status pending_approval. Answers as soon as "
            "there is one. ended approved: act, keeping to approval.conditions. denied, expired or withdrawn: do not "
            "act. question: the operator asks something first; do not act, call answer_question or create_action with "
            "replaces, then this again. still_waiting: nobody has decided within timeout_seconds; call this again or "
            "do something else meanwhile, but do not act.",
            members=Members(
                "WaitForApproval",
                None,
                required=("action_id",),
                optional=("timeout_seconds",),
                own=_own_action(timeout_seconds=Seconds),
                words=WORDS,
            ),
            answer=Waited,
            consequence=GUARDING,
            read_only=True,
        ),
        Tool(
            name="answer_question",
            title="Answer an operator's question",
            description="Answer what an operator asked about your waiting action, as wait_for_approval told it. The "
            "first answer stands. It allows nothing: the action still waits, so call wait_for_approval again.",
            members=Members(
                "AnswerQuestion",
                AnswerQuestion,
                required=("question_id", "answer"),
                own={"question_id": Id},
                words=WORDS,
            ),
            answer=QuestionDetail,
            consequence=GUARDING,
        ),
        Tool(
            name="claim_action",
            title="Use an approval, once",
            description="Right before acting on an approved action, say again what you are about to do: the same "
            "action_type, declared_goal, systems_touched and parameters as in create_action, none left out. It is "
            "refused if anything differs from what was approved, if the approval was used before or has run out. "
            "Needed where wait_for_approval says so. Act only if may_act is true.",
            members=Members(
                "ClaimAction",
                ClaimAction,
                required=("action_id", "action_type"),
                optional=("declared_goal", "systems_touched", "parameters"),
                own=_own_action(),
                words=WORDS,
            ),
            answer=Claimed,
            consequence=GUARDING,
        ),
        Tool(
            name="record_assumption",
            title="Record what you take to be true",
            description="Record what you believe, but have not checked, while you do an action and that it depends on. "
            "People look at it when something went wrong. It allows nothing.",
            members=Members(
                "RecordAssumption",
                RecordAssumption,
                required=("action_id", "assumption"),
                optional=("basis",),
                words=WORDS,
            ),
            answer=RecordedAssumption,
            consequence=REPORTING,
        ),
        Tool(
            name="update_outcome",
            title="Report what came of an action",
            description="Call this after every action that you created: completed, failed (with error_message) or "
            "cancelled when you did not do it after all. A changed report is kept as a correction. Not possible while "
            "the action waits for an approval.",
            members=Members(
                "UpdateOutcome",
                UpdateOutcome,
                required=("action_id", "status"),
                optional=OUTCOME,
                own=_own_action(),
                words=WORDS,
            ),
            answer=UpdatedAction,
            consequence=REPORTING,
        ),
        Tool(
            name="get_action",
            title="Look at an action",
            description="An action as it is recorded now, with its approval, assumptions and open loops. Call it when "
            "you do not know whether something was created, approved or reported, such as after an error. It allows "
            "nothing by itself: ask wait_for_approval whether you may act.",
            members=Members("GetAction", None, required=("action_id",), own=_own_action(), words=WORDS),
            answer=ActionDetail,
            consequence=READING,
            read_only=True,
        ),
        Tool(
            name="get_lessons",
            title="What earlier actions teach",
            description="What your own finished actions suggest for the next one, by action type: success rate with "
            "its interval, hints, guidance in sentences, and what has drifted. Worth a call before something that you "
            "have done before. It allows nothing.",
            members=Members(
                "GetLessons",
                LessonsQuery,
                optional=("action_type", "limit", "lookback_days", "min_samples"),
                words=WORDS,
            ),
            answer=Lessons,
            consequence=READING,
            read_only=True,
        ),
    )
}
