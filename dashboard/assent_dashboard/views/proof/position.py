"""Where a proof stands in the log: the signed tree head to keep, the events' way up to its root, and the keys.

Keys: `proof_head`, `proof_tree`, `proof_evidence`, `proof_keys`, `proof_keep` (the head as a file).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

import polars as pl
import streamlit as st

from assent.contract.evidence.certificates import EvidenceItem
from assent.contract.evidence.proofs import BundleKey, ProofBundle
from assent.contract.evidence.wallet import Jwk, SigningKey, SigningKeyStatus
from assent.proof.jwk import JwkError, load_jwk
from assent.proof.note import key_id, read_checkpoint
from assent_analytics.charts import inclusion_tree
from assent_analytics.inclusion import Leaf, proving_tree
from assent_dashboard.views import words
from assent_dashboard.views.blocks import picture
from assent_dashboard.views.ledger.action import facts

DRAWN = 12
"""Events whose way up is drawn; more would be a thicket."""
_KEYS: dict[SigningKeyStatus, str] = {
    SigningKeyStatus.ACTIVE: "green",
    SigningKeyStatus.RETIRED: "gray",
    SigningKeyStatus.EXPIRED: "orange",
    SigningKeyStatus.REVOKED: "red",
}


def draw_log_head(bundle: ProofBundle) -> None:
    """`bundle` is one that was found to hold."""
    checkpoint, named, _ = read_checkpoint(bundle.checkpoint)
    st.subheader("Place in the log", anchor=False)
    with st.container(key="proof_head"):
        left, right = st.columns(2, gap="large")
        with left:
            facts(
                {
                    "Log": words.code(checkpoint.origin),
                    "Events": words.amount(checkpoint.size),
                    "Root": words.code(checkpoint.root.hex()),
                    "Signed": words.moment(checkpoint.signed_at),
                    "Key": ", ".join(words.code(kid) for kid in signers(bundle.keys, checkpoint.origin, named)),
                }
            )
        with right:
            st.code(bundle.checkpoint, language=None, wrap_lines=True)
            st.caption(
                "The signed tree head. **Keep this, and verify later with it** that the log was only appended to: here "
                "under *A head that you kept*, or with `assent verify bundle.json --head head.txt`."
            )
            st.download_button(
                "Keep the head",
                data=bundle.checkpoint,
                file_name=f"head-{checkpoint.size}.txt",
                mime="text/plain",
                icon=":material/bookmark_add:",
                key="proof_keep",
                on_click="ignore",
            )


def signers(keys: Iterable[BundleKey], origin: str, named: bytes) -> list[str]:
    """The kids of the keys that a checkpoint of this log names."""
    found = []
    for key in keys:
        try:
            public = load_jwk(Jwk(kty=key.kty, crv=key.crv, x=key.x, kid=key.kid))
        except JwkError:
            continue
        if key_id(origin, public) == named:
            found.append(key.kid)
    return found


def leaves(bundle: ProofBundle, evidence: Sequence[EvidenceItem]) -> list[Leaf]:
    """The first events with their paths."""
    paired = zip(evidence[:DRAWN], bundle.events[:DRAWN], strict=True)
    return [Leaf(item.n, item.type, item.leaf_hash, event.inclusion) for item, event in paired]


def draw_tree(bundle: ProofBundle, evidence: Sequence[EvidenceItem], *, simulated: bool) -> None:
    """`bundle` is one whose events were found in the log."""
    size = read_checkpoint(bundle.checkpoint)[0].size
    with st.container(key="proof_tree", border=True):
        drawn = leaves(bundle, evidence)
        tree = inclusion_tree(proving_tree(drawn, size), simulated=simulated, height=380)
        picture(tree, tree_says(len(drawn), size), key="proof_tree")
        more = f" These are the first {DRAWN} of {len(evidence)}." if len(evidence) > DRAWN else ""
        st.caption(
            "Each event's own hash leads upwards, joined with those that are given; a grey number is how many other "
            f"events such a hash stands for. What comes out at the top must be the root that was signed.{more}"
        )
    with st.container(key="proof_evidence"), st.expander(f"The {words.several(len(evidence), 'event')}"):
        st.table(evidence_table(evidence), hide_index=True, border="horizontal")


def tree_says(drawn: int, size: int) -> str:
    return (
        f"A tree of hashes: {words.several(drawn, 'event')} of this action at the bottom, the root of all "
        f"{words.several(size, 'event')} of the log at the top, and the hashes between that lead from one to the other"
    )


def evidence_table(evidence: Iterable[EvidenceItem]) -> pl.DataFrame:
    rows = [
        (str(at), words.amount(item.n), words.code(item.type), words.code(item.leaf_hash))
        for at, item in enumerate(evidence, 1)
    ]
    return pl.DataFrame(rows, schema=["", "number in the log", "event", "leaf hash"], orient="row")


def draw_keys(keys: Sequence[SigningKey]) -> None:
    st.subheader("Signing keys", anchor=False)
    with st.container(key="proof_keys", gap="small"):
        for key in reversed(keys):
            st.markdown(key_line(key))


def key_line(key: SigningKey) -> str:
    """`active` since when and until when, or when and why it ended."""
    colour = _KEYS.get(key.status, "gray")
    span = f"from {words.moment(key.not_before)} to {words.moment(key.not_after)}"
    ended = {
        SigningKeyStatus.REVOKED: ("Revoked", key.revoked_at, "Nothing counts that it signed."),
        SigningKeyStatus.RETIRED: ("Replaced", key.retired_at, "What it signed stays valid."),
    }.get(key.status)
    lines = [f":{colour}-badge[{key.status.value}] {words.code(key.kid)}", f":gray[Signs {span}.]"]
    if ended is not None:
        lines.append(_ended(*ended, key.reason))
    return "  \n".join(lines)


def _ended(what: str, at: datetime | None, meaning: str, reason: str | None) -> str:
    then = f" {words.moment(at)}" if at else ""
    why = f": {words.plain(reason)}" if reason else ""
    return f"{what}{then}{why}. {meaning}"
