"""A refusal has the same words in Node as in Python: the error, and what a model reads instead of a tool's result."""

from __future__ import annotations

import json
from pathlib import Path

from tests import node
from tests.sdk.refusals import DECISION, OVER, REFUSALS, WAITING, WHY
from tests.tiers import deep

PROGRAM = """
import * as assent from "@assent/client";
import { ToolRefused } from "@assent/client/ai";
const { decision, waiting, over, why } = JSON.parse(process.env.GIVEN);
const errors = {
  blocked: new assent.GuardBlockedError(decision, "act_1"),
  denied: new assent.ApprovalDeniedError(waiting, why),
  expired: new assent.ApprovalExpiredError(waiting),
  withdrawn: new assent.ApprovalWithdrawnError(waiting, why),
  waits: new assent.ApprovalTimeoutError("act_1", 90_000),
  other: new assent.NotAwaitingApprovalError(over),
};
const words = ([kind, error]) => [kind, [error.message, new ToolRefused("pay", error).message]];
console.log(JSON.stringify(Object.fromEntries(Object.entries(errors).map(words))));
"""


@deep("packs and installs the Node client")
def test_both_languages_refuse_in_the_same_words(folder: Path) -> None:
    (folder / "refusals.mjs").write_text(PROGRAM, encoding="utf-8")
    given = json.dumps({"decision": DECISION, "waiting": WAITING, "over": OVER, "why": WHY})
    said = json.loads(node.run([*node.runtime(), "refusals.mjs"], folder, GIVEN=given))
    assert said == {kind: [message, told] for kind, (_, message, told) in REFUSALS.items()}
