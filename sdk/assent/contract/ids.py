"""What the service's ids begin with, and which kinds of id belong in which member.

An id of the service is a prefix and a UUIDv7 in hex (those of drift alerts and recommendations, which follow from what
they are about, a prefix and a digest). Whoever makes an id of their own (of an action, of a session) may
write what they like; what looks like one of the service's and is of another kind is a mistake, and is found before it
is sent (`assent.client.request`).
"""

from __future__ import annotations

NAMES: dict[str, str] = {
    "acap_": "an agent's capability",
    "act_": "an action",
    "agt_": "an agent's sign of life",
    "alw_": "an allowed text",
    "apq_": "a question about an approval",
    "apr_": "an approval",
    "art_": "an artifact",
    "asg_": "an assignment of a request",
    "asm_": "an assumption",
    "auf_": "a sum of refused keys",
    "cal_": "a calendar event",
    "cap_": "a capability",
    "ce_": "an entry of a context thread",
    "cex_": "an export of compliance",
    "cmt_": "a comment on an approval",
    "cnt_": "a piece of content",
    "conn_": "a connection",
    "cp_": "a key point",
    "csch_": "a schedule of compliance exports",
    "ct_": "a context thread",
    "da_": "a drift alert",
    "dec_": "a decision of guard",
    "doc_": "a shared document",
    "er_": "an evaluation run",
    "es_": "a scorer",
    "ev_": "a score",
    "fb_": "feedback",
    "fl_": "a session's flow",
    "ft_": "what a flow was told",
    "goal_": "a goal",
    "grant_": "a standing grant",
    "hlt_": "a halt",
    "ho_": "a handoff",
    "idea_": "an idea",
    "idn_": "an identity",
    "inj_": "a finding of the injection scan",
    "int_": "an interaction",
    "jump_": "a jump of the clock",
    "kc_": "a knowledge collection",
    "key_": "a key",
    "ki_": "a knowledge item",
    "ld_": "a recorded decision",
    "loop_": "an open loop",
    "mem_": "a report of memory health",
    "mrk_": "a mark on messages",
    "msg_": "a message",
    "mst_": "a model strategy",
    "mt_": "a message thread",
    "org_": "an organization",
    "nl_": "a notice's link",
    "pair_": "a pairing",
    "pb_": "a batch of scores",
    "pep_": "a provider's endpoint",
    "pol_": "a policy",
    "pr_": "a prompt run",
    "prv_": "a provider",
    "ps_": "a score by a profile",
    "pt_": "a prompt template",
    "pur_": "a purchase",
    "pv_": "a prompt version",
    "ra_": "an agent of the routing",
    "rag_": "a registered agent",
    "rec_": "a recommendation",
    "re_": "a recommendation's event",
    "rt_": "a risk template",
    "sd_": "a dimension of a scoring profile",
    "sec_": "a finding of the secret scan",
    "ses_": "a session",
    "sig_": "a signal",
    "snip_": "a snippet",
    "snz_": "what an operator has put off",
    "sp_": "a scoring profile",
    "task_": "a routing task",
    "tok_": "a report of tokens",
    "tri_": "a plan of triage",
    "wd_": "a delivery of a webhook",
    "wf_": "a workflow template",
    "wh_": "a webhook",
}
"""Every prefix of the service, with what such an id names."""
BELONGS: dict[str, tuple[str, ...]] = {
    "action_id": ("act_",),
    "alert_id": ("da_",),
    "assigned_to_key": ("key_",),
    "assumption_id": ("asm_",),
    "batch_id": ("pb_",),
    "capability_id": ("cap_",),
    "collection_id": ("kc_",),
    "decision_id": ("dec_",),
    "dimension_id": ("sd_",),
    "doc_id": ("doc_",),
    "export_id": ("cex_",),
    "feedback_id": ("fb_",),
    "flow_id": ("fl_",),
    "from_action_id": ("act_",),
    "goal_id": ("goal_",),
    "grant_id": ("grant_",),
    "key_id": ("key_",),
    "loop_id": ("loop_",),
    "message_id": ("msg_",),
    "message_ids": ("msg_",),
    "model_strategy_id": ("mst_",),
    "org_id": ("org_",),
    "pairing_id": ("pair_",),
    "parent_action_id": ("act_",),
    "policy_id": ("pol_",),
    "profile_id": ("sp_",),
    "provider_id": ("prv_",),
    "question_id": ("apq_",),
    "recommendation_id": ("rec_",),
    "registered_agent_id": ("rag_",),
    "replaces": ("act_",),
    "run_id": ("er_",),
    "schedule_id": ("csch_",),
    "scorer_id": ("es_",),
    "session_id": ("ses_",),
    "snippet_id": ("snip_",),
    "snoozed_by_key": ("key_",),
    "source_action_id": ("act_",),
    "strategy_id": ("mst_",),
    "task_id": ("task_",),
    "template_id": ("pt_", "rt_", "wf_"),
    "thread_id": ("ct_", "mt_"),
    "version_id": ("pv_",),
    "webhook_id": ("wh_",),
}
"""By the member that holds the id. Names that people choose (`agent_id`, `swarm_id`) are not in it."""
DIGITS = 32


def prefix_of(id_: str) -> str | None:
    """The prefix of an id in the service's form; None for any other text."""
    prefix, digits = id_[:-DIGITS], id_[-DIGITS:]
    if prefix not in NAMES or digits[12] != "7" or digits[16] not in "89ab":
        return None
    return prefix if all(digit in "0123456789abcdef" for digit in digits) else None


def misplaced(member: str, id_: str) -> str | None:
    """What is wrong with `id_` in `member`, and what to do; None where nothing is."""
    belongs = BELONGS.get(member)
    if belongs is None or id_.startswith(belongs):
        return None
    prefix = prefix_of(id_)
    if prefix is None:
        return None
    wanted = " or ".join(f"{NAMES[each]} ({each}...)" for each in belongs)
    hint = ""
    if (prefix, belongs) == ("dec_", ("act_",)):
        hint = "; guard's `action_id` repeats its decision's, `create_action` answers with the action's"
    return f"{member} is {id_!r}, the id of {NAMES[prefix]}; give that of {wanted}{hint}"
