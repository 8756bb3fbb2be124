"""What each problem code means to a reader: when it is answered, and what to do about it.

The OpenAPI document and docs/errors.md both tell it from here. Both sentences stand by themselves.
"""

from __future__ import annotations

from typing import NamedTuple

from assent.contract.problems import Code


class Meaning(NamedTuple):
    when: str
    remedy: str


MEANING: dict[Code, Meaning] = {
    Code.INVALID_JSON: Meaning(
        "The body is not JSON in UTF-8, or is nested too deeply.", "Send one JSON object, encoded as UTF-8."
    ),
    Code.INVALID_BODY: Meaning(
        "A member of the body is missing, has the wrong type or is out of range.",
        "Correct the members that `errors` names.",
    ),
    Code.INVALID_QUERY: Meaning(
        "A query parameter has the wrong type or is out of range, or a cursor is not one of ours.",
        "Correct the parameters that `errors` names; take cursors from the page before.",
    ),
    Code.INVALID_PATH: Meaning(
        "An id in the path is not 1 to 128 letters, digits or `_ . : -`.", "Use the id as the service gave it."
    ),
    Code.UNKNOWN_MEMBER: Meaning(
        "The body has members that the operation does not know, and the call asked for strict handling.",
        "Correct the spelling, or leave out `Prefer: handling=strict` to have them ignored.",
    ),
    Code.INVALID_POLICY: Meaning(
        "A policy's kind, rules or condition tree cannot be read.", "Correct the place that `errors` names."
    ),
    Code.THREAD_CLOSED: Meaning(
        "The thread is closed and takes no more entries.",
        "Create the thread again by its name to reopen it, or use another one.",
    ),
    Code.INVALID_SCORER: Meaning(
        "A scorer's type or configuration cannot be used.", "Correct the place that `errors` names."
    ),
    Code.INVALID_RISK_TEMPLATE: Meaning(
        "A rule of a risk template cannot be read, or the organization has as many templates as it can.",
        "Correct the place that `errors` names; a condition is `path op value` or a tree.",
    ),
    Code.INVALID_PROFILE: Meaning(
        "A scoring profile's method, or a dimension's source, weight or scale, cannot be used.",
        "Correct the place that `errors` names.",
    ),
    Code.INVALID_PUBLIC_KEY: Meaning(
        "The public key cannot be loaded, is too weak, or does not fit the algorithm.",
        "Send a PEM of an RSA key with at least 2048 bits, or of an Ed25519 key.",
    ),
    Code.INVALID_WEBHOOK: Meaning(
        "A webhook's address or its list of events cannot be used.",
        "Correct the place that `errors` names; addresses are https and public.",
    ),
    Code.UNAUTHORIZED: Meaning(
        "The header `x-api-key` is missing, unknown or revoked.", "Send a valid key; an admin makes new ones."
    ),
    Code.SIGNATURE_REQUIRED: Meaning(
        "The agent is paired, and this service takes only signed actions of paired agents.",
        "Sign the action with the agent's private key.",
    ),
    Code.SIGNATURE_INVALID: Meaning(
        "The signature is not one of the agent's key over this action.",
        "Sign the body as it is sent, with the key that was paired for this agent.",
    ),
    Code.SIGNATURE_REPLAYED: Meaning(
        "This signature came before, and a repeat proves nothing.",
        "Sign a body that differs, for example by its `timestamp_start` or `idempotency_key`.",
    ),
    Code.FORBIDDEN: Meaning(
        "The key's role may not do this.", "Use a key with one of the roles listed for the operation."
    ),
    Code.AGENT_MISMATCH: Meaning(
        "The key is bound to another agent than the one the call is about.",
        "Leave `agent_id` out, or use that agent's own key.",
    ),
    Code.ACTION_BLOCKED: Meaning(
        "Guard decided to block; the attempt is kept as evidence, and `decision` holds the verdict.",
        "Do not run the action: change what it does, or ask an operator to change the policy.",
    ),
    Code.ROUTE_NOT_FOUND: Meaning("Nothing is served at this path.", "Look the path up in the table of operations."),
    Code.ACTION_NOT_FOUND: Meaning(
        "No such action in the key's organization, or none that the key may see.",
        "Check the id, and that the key belongs to the same organization and agent.",
    ),
    Code.ASSUMPTION_NOT_FOUND: Meaning(
        "No such assumption in the key's organization, or none that the key may see.",
        "Check the id, and that the key belongs to the same organization and agent.",
    ),
    Code.POLICY_NOT_FOUND: Meaning(
        "No such policy in the key's organization, or it was deleted.", "List the policies and take the id from there."
    ),
    Code.KEY_NOT_FOUND: Meaning(
        "No such key in the caller's organization.", "List the keys and take the id from there."
    ),
    Code.TABLE_NOT_FOUND: Meaning(
        "No table of this name is served as data.", "Take a name from `GET /api/data`, the data dictionary."
    ),
    Code.LOOP_NOT_FOUND: Meaning(
        "No such open loop in the key's organization, or none that the key may see.",
        "Check the id, and that the key belongs to the same organization and agent.",
    ),
    Code.MESSAGE_NOT_FOUND: Meaning(
        "No such message in the key's organization, or none that the key may see.",
        "Check the id, and that the key belongs to the same organization and agent.",
    ),
    Code.ATTACHMENT_NOT_FOUND: Meaning(
        "No such attachment in the key's organization, or none that the key may see.",
        "Check the id, and that the key belongs to the same organization and agent.",
    ),
    Code.THREAD_NOT_FOUND: Meaning(
        "No such thread in the key's organization, or none that the key may see.",
        "Check the id, and that the key belongs to the same organization and agent.",
    ),
    Code.FEEDBACK_NOT_FOUND: Meaning(
        "No such feedback in the key's organization, or none that the key may see.",
        "Check the id, and that the key belongs to the same organization and agent.",
    ),
    Code.TEMPLATE_NOT_FOUND: Meaning(
        "No such prompt template in the key's organization, or none that the key may see.",
        "Check the id, and that the key belongs to the same organization and agent.",
    ),
    Code.PROMPT_VERSION_NOT_FOUND: Meaning(
        "No such prompt version in the key's organization, or none that the key may see.",
        "Check the id, and that the key belongs to the same organization and agent.",
    ),
    Code.SCORER_NOT_FOUND: Meaning(
        "No such scorer in the key's organization, or none that the key may see.",
        "Check the id, and that the key belongs to the same organization and agent.",
    ),
    Code.RISK_TEMPLATE_NOT_FOUND: Meaning(
        "No such risk template in the key's organization, or it was removed.",
        "Take the id from list_risk_templates.",
    ),
    Code.PROFILE_NOT_FOUND: Meaning(
        "No such scoring profile in the key's organization, or it was deleted.",
        "Take the id from the profile's creation or from `list_scoring_profiles`.",
    ),
    Code.DIMENSION_NOT_FOUND: Meaning(
        "The scoring profile has no such dimension, or it was deleted.",
        "Take the id from the profile's dimensions.",
    ),
    Code.DRIFT_ALERT_NOT_FOUND: Meaning(
        "No such drift alert in the key's organization, or it was removed.",
        "Take the id from `list_drift_alerts`.",
    ),
    Code.RECOMMENDATION_NOT_FOUND: Meaning(
        "No such recommendation in the key's organization, or none that the key may see: no agent and action type "
        "that has acted has this id.",
        "Take the id from `get_recommendations`.",
    ),
    Code.EVALUATION_NOT_FOUND: Meaning(
        "No such evaluation run in the key's organization, or none that the key may see.",
        "Check the id, and that the key belongs to the same organization and agent.",
    ),
    Code.PAIRING_NOT_FOUND: Meaning(
        "No such pairing in the key's organization, or none that the key may see.",
        "Check the id, and that the key belongs to the same organization and agent.",
    ),
    Code.IDENTITY_NOT_FOUND: Meaning(
        "No such identity in the key's organization, or none that the key may see.",
        "Check the id, and that the key belongs to the same organization and agent.",
    ),
    Code.WEBHOOK_NOT_FOUND: Meaning(
        "No such webhook in the key's organization, or none that the key may see.",
        "Check the id, and that the key belongs to the same organization and agent.",
    ),
    Code.RECORD_NOT_FOUND: Meaning(
        "No such record in the key's organization, or none that the key may see.",
        "Check the id, and that the key belongs to the same organization and agent.",
    ),
    Code.TASK_NOT_FOUND: Meaning(
        "No such task in the key's organization, or none that the key may see.",
        "Check the id, and that the key belongs to the same organization and agent.",
    ),
    Code.AGENT_NOT_FOUND: Meaning(
        "No such agent in the key's organization, or none that the key may see.",
        "Check the id, and that the key belongs to the same organization and agent.",
    ),
    Code.ORGANIZATION_NOT_FOUND: Meaning(
        "No such organization in the key's organization, or none that the key may see.",
        "Check the id, and that the key belongs to the same organization and agent.",
    ),
    Code.SIGNING_KEY_NOT_FOUND: Meaning(
        "The organization has no signing key of that id.", "Take the id from `get_signing_keys`."
    ),
    Code.BUNDLE_NOT_FOUND: Meaning(
        "No bundle of that id is kept for this organization; those of erased actions are gone.",
        "Export the action's proof anew by `action_id`.",
    ),
    Code.HALTED: Meaning(
        "The organization is halted, so no approval is used; the detail says why.",
        "Do not act. Claim again once the halt is lifted.",
    ),
    Code.NOT_APPROVED: Meaning(
        "The action has no approval that could be used: none was asked for, or it was not given.",
        "Wait for the approval first; an action that asked for none needs no claim.",
    ),
    Code.RECEIPT_USED: Meaning(
        "The approval was used already, and it counts once.", "Create the action again, and have it approved."
    ),
    Code.RECEIPT_MISMATCH: Meaning(
        "What is about to be done is not what was approved; `errors` names the members that differ.",
        "Do exactly what was approved, or create the action as it is now and have that approved.",
    ),
    Code.ACTION_OPEN: Meaning(
        "The action goes on, so its evidence cannot be erased yet.", "Report its outcome first, then erase it."
    ),
    Code.SIGNING_KEY_ENDED: Meaning(
        "The signing key was revoked already.", "Read it in `get_signing_keys`; nothing is left to do."
    ),
    Code.RECEIPT_EXPIRED: Meaning(
        "The operator's approval was for a limited time, and that has passed.",
        "Create the action again, and have it approved.",
    ),
    Code.ACTION_ERASED: Meaning(
        "The content of the action was erased; the detail says by whom and when.",
        "Its proof (`get_governance_proof`) still shows that it was there.",
    ),
    Code.WALLET_UNAVAILABLE: Meaning(
        "The organization's signing key cannot be used: its file or the key that encrypts it is missing or wrong.",
        "Restore both from a backup, or rotate the signing key.",
    ),
    Code.FRAMEWORK_NOT_FOUND: Meaning(
        "No compliance framework of this name is there.",
        "Take a name from the list in the error, or from `GET /api/compliance/frameworks`.",
    ),
    Code.NOT_SERVED: Meaning(
        "Published clients know this call, this service does not serve it.", "Use what the error names in its place."
    ),
    Code.METHOD_NOT_ALLOWED: Meaning(
        "The path exists, but not with this method.", "Use one of the methods in the header `Allow`."
    ),
    Code.BODY_TIMEOUT: Meaning(
        "The body began and did not come to its end in time, so nothing was done.",
        "Send it again, faster or in parts.",
    ),
    Code.ACTION_EXISTS: Meaning(
        "An action with this `action_id` exists already.",
        "Leave `action_id` out, or use an idempotency key to repeat a creation.",
    ),
    Code.ASSUMPTION_EXISTS: Meaning(
        "An assumption with this `assumption_id` exists already.",
        "Leave `assumption_id` out, or read the existing one.",
    ),
    Code.POLICY_EXISTS: Meaning("Another policy has this name already.", "Choose another name, or change that policy."),
    Code.POLICY_CHANGED: Meaning(
        "Somebody changed this policy after the version that `if_version` names.",
        "Read the policy again, and decide then.",
    ),
    Code.ORGANIZATION_EXISTS: Meaning("Another organization has this slug already.", "Choose another slug."),
    Code.AWAITING_APPROVAL: Meaning(
        "The action waits for an operator, so it has no outcome yet.", "Wait for the approval, then report the outcome."
    ),
    Code.ALREADY_DECIDED: Meaning(
        "Somebody has decided on this approval already; `approval` says who, when and what.",
        "Accept that decision; a new attempt needs a new action.",
    ),
    Code.NOT_AWAITING_APPROVAL: Meaning(
        "Nobody asked for an approval of this action.", "Check the id against the list of pending approvals."
    ),
    Code.DECISION_UNUSABLE: Meaning(
        "The `decision_id` is unknown, used, older than five minutes, or about another agent, context or policies.",
        "Ask guard again, or leave `decision_id` out.",
    ),
    Code.LAST_ADMIN_KEY: Meaning(
        "Revoking the organization's last admin key would lock everybody out.", "Make another admin key first."
    ),
    Code.LOOP_EXISTS: Meaning(
        "An open loop with this `loop_id` exists already.", "Leave `loop_id` out, or read the existing one."
    ),
    Code.LOOP_CLOSED: Meaning(
        "The loop was resolved or cancelled already.", "Register a new loop if something is open again."
    ),
    Code.SCORER_EXISTS: Meaning("Another scorer has this name already.", "Choose another name, or change that scorer."),
    Code.PAIRING_DECIDED: Meaning(
        "The pairing was approved already.", "Read the identity; a new key needs a new pairing."
    ),
    Code.TOO_MANY_PAIRINGS: Meaning(
        "As many pairings wait in this organization as may.",
        "Have an admin approve those that are meant; the others expire by themselves.",
    ),
    Code.TASK_DONE: Meaning("The task is completed, failed or cancelled already.", "Submit a new task."),
    Code.OUTCOME_EXISTS: Meaning(
        "The action's durable outcome was reported already, and the first one stands.",
        "Read it; correct the action itself with `update_outcome`.",
    ),
    Code.APPROVAL_EXPIRED: Meaning(
        "The approval ran out before anybody decided.", "Have the agent create the action again."
    ),
    Code.PAIRING_EXPIRED: Meaning(
        "The pairing ran out before an admin approved it.", "Have the agent create a new pairing."
    ),
    Code.PAYLOAD_TOO_LARGE: Meaning(
        "The body is larger than the operation's limit.", "Send less; the limit is in the description of the body."
    ),
    Code.BUNDLE_TOO_LARGE: Meaning(
        "What was recorded about the action is more than any verifier takes, so no bundle of it is handed out.",
        "Prove its events one by one with `get_inclusion_proof`.",
    ),
    Code.IDEMPOTENCY_MISMATCH: Meaning(
        "The idempotency key was used before with a different request.", "Use a new key for a new request."
    ),
    Code.NOTHING_TO_SCORE: Meaning(
        "No dimension of the scoring profile found a value in the action, or none of those that did has a weight.",
        "Give the values that the dimensions look at, or the id of a recorded action that has them.",
    ),
    Code.INTERNAL_ERROR: Meaning(
        "The service failed in a way nobody foresaw; its log has the trace.",
        "Try again; if it lasts, report it with the time of the request.",
    ),
    Code.STORAGE_UNAVAILABLE: Meaning(
        "The evidence log could not be written, so nothing was recorded or changed.",
        "Try again after `Retry-After` seconds; look at `/ready` if it lasts.",
    ),
    Code.READ_ONLY: Meaning(
        "The evidence log could not be brought back to its last durable state, so nothing new is recorded.",
        "Free or repair the disk and restart the service; reading still works.",
    ),
    Code.PROJECTION_BEHIND: Meaning(
        "The tables could not follow the log in time, so an answer would miss what was recorded.",
        "Try again after `Retry-After` seconds; look at `/ready` if it lasts.",
    ),
    Code.BUSY: Meaning(
        "The service does as much of this at once as it does: streams of tables, runs, large bodies on their way.",
        "Try again after `Retry-After` seconds, or ask for less at the same time.",
    ),
    Code.SHUTTING_DOWN: Meaning("The service is stopping.", "Connect again in a moment."),
}
"""Total over `Code`, which a test holds."""
