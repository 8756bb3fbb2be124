# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # Verify offline
#
# Can I check, without trusting the service, that this happened?
#
# 1. Take two files away: an action's bundle, and the organization's public keys.
# 2. Verify them with nothing but `pip install ./assent`, without a server.
# 3. Verify one event by hand, with `hashlib` and `cryptography` only, to see that there is no magic.
# 4. Change the record, and see which check notices.
# 5. Keep a tree head, let the log grow, and see that it only grew.
# 6. Do it for a hundred actions.

# %%
import json
import os
import re
import time
from base64 import b64decode, urlsafe_b64decode
from hashlib import sha256
from pathlib import Path

import altair as alt
import polars as pl
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from assent import Client
from assent.proof.verify import verify
from assent_analytics import charts
from assent_analytics.inclusion import Leaf, proving_tree

pl.Config(tbl_rows=30, fmt_str_lengths=250, tbl_hide_dataframe_shape=True)
alt.renderers.enable("svg")  # pictures that need neither a script nor the network

# %% [markdown]
# ## 1. Take it away
#
# The address and the key come from `ASSENT_BASE_URL` and `ASSENT_API_KEY`; on the machine where `make start` runs, the
# admin key of the data folder will do. We take an action that an operator denied: what has to be proven of it is that
# it did *not* run. Where nobody has denied one, the last action will do, and where there is none, we make one.

# %%
key_file = Path("../.assent/admin.key")
client = Client(api_key=os.environ.get("ASSENT_API_KEY") or key_file.read_text().strip())
org_id = client.get_own_key().org_id

answers = client.frame("approvals", window="30d", columns=["action_id", "state", "requested_at"])
denials = answers.filter(pl.col("state") == "denied").sort("requested_at")
chosen = denials["action_id"][-1] if denials.height else next((a.action_id for a in client.get_actions().actions), None)
if chosen is None:
    chosen = client.create_action("notebook_check", "See what a proof holds", agent_id="notebook").action_id
    client.update_outcome(chosen, "completed", output_summary="Seen")
denied = client.get_action(chosen).action
bundle = client.export_proof(denied.action_id).data
keys = client.get_jwks(org_id)
print(f"{denied.declared_goal!r} by {denied.agent_id}, {denied.status}, source: {denied.source}")
print(f"bundle: {len(bundle):,} bytes; key set: {len(keys.keys)} Ed25519 key")

# %% [markdown]
# From here to part 5 the service is not asked again.
#
# ## 2. Verify
#
# `verify` is a pure function of the two files. Every check says what it compared; `not_checked` names what could not be
# decided and why.


# %%
def checks_of(verification):
    return pl.DataFrame(
        [(check.name.value, check.status.value, check.detail) for check in verification.checks],
        schema=["check", "status", "what was compared"],
        orient="row",
    )


found = verify(bundle, keys=keys)
print("holds:", found.ok, "· signer:", found.signer)
checks_of(found)

# %% [markdown]
# What is proven is the certificate: who wanted what, what guard decided and why, what the operator said, what came of
# it.

# %%
proven = found.certificate
print("wanted:   ", proven["envelope"]["declared_goal"], "| risk", proven["decision"]["risk_score"])
print("guard:    ", proven["decision"]["decision"], proven["decision"]["reasons"])
approval = proven["approval"]
if approval:
    print("operator: ", approval["state"], "by", approval["reviewer"], "|", approval["reasoning"])
else:
    print("operator:  nobody was asked")
print("outcome:  ", proven["outcome"], "| did not run:", proven["non_execution"])

# %% [markdown]
# ## 3. By hand
#
# The same for one event, step by step, without any of our code. A bundle's event has a `header`, a `body`, and the
# hashes of its path (`inclusion`).
#
# **The body belongs to the header.** The header holds the SHA-256 of the body, behind a salt.

# %%
given = json.loads(bundle)
event = given["events"][0]
header = json.loads(event["header"])
salt, data = re.fullmatch(r'\{"salt":"([0-9a-f]{32})","data":(\{.*\})\}', event["body"], re.DOTALL).groups()
print(header["type"], "is event", header["n"], "of", header["org"])
print("sha256:" + sha256(bytes.fromhex(salt) + data.encode()).hexdigest())
print(header["body_digest"], "<- says the header")

# %% [markdown]
# **The header is a leaf, and the leaf leads to a root.** A leaf is SHA-256 over a zero byte and the header, a node
# SHA-256 over a one byte and its two halves (RFC 9162). Which half is ours follows from the event's number.

# %%
origin, size, root, signed_at = given["checkpoint"].split("\n\n")[0].split("\n")
at, last, node = header["n"], int(size) - 1, sha256(b"\0" + event["header"].encode()).digest()
for beside in map(bytes.fromhex, event["inclusion"]):
    if at % 2 or at == last:
        node = sha256(b"\1" + beside + node).digest()
        while at and at % 2 == 0:
            at, last = at // 2, last // 2
    else:
        node = sha256(b"\1" + node + beside).digest()
    at, last = at // 2, last // 2
print(f"{len(event['inclusion'])} hashes lead from event {header['n']} to the root over {int(size):,} events")
print(node.hex())
print(b64decode(root).hex(), "<- says the checkpoint")

# %% [markdown]
# **The root is signed.** The checkpoint is text, and its last line is an Ed25519 signature over everything above the
# empty line. Four bytes in front of it say whose key that is.

# %%
text, _, signature_line = given["checkpoint"].rpartition("\n\n")
signed = b64decode(signature_line.split(" ")[-1])
holders = []
for jwk in keys.keys:
    public = urlsafe_b64decode(jwk.x + "=")
    if sha256(f"{origin}\n\x01".encode() + public).digest()[:4] == signed[:4]:
        Ed25519PublicKey.from_public_bytes(public).verify(signed[4:], f"{text}\n".encode())
        holders.append(jwk.kid)
print(given["checkpoint"])
print("signed by", holders)
by_hand = node == b64decode(root) and len(holders) == 1

# %% [markdown]
# All events of this action take the same way. Green is what the reader works out, grey squares are hashes from the
# bundle; a number at a square says how many other events it stands for, none of which the reader gets to see.

# %%
simulated = proven["envelope"]["source"] == "simulated"
leaves = [
    Leaf(item["n"], item["type"], item["leaf_hash"], recorded["inclusion"])
    for item, recorded in zip(proven["evidence"], given["events"], strict=True)
]
tree = proving_tree(leaves, int(size))
assert tree["hash"][-1] == b64decode(root).hex()
charts.inclusion_tree(tree, simulated=simulated, width=720, height=380)

# %% [markdown]
# ## 4. Change the record
#
# Somebody with write access to everything would rather have the operator say yes, or have had somebody else act. One
# word in the record:

# %%
TRUE, FALSE = '"state":"denied"', '"state":"approved"'
if not denials.height:
    TRUE, FALSE = f'"agent_id":{json.dumps(denied.agent_id)}', '"agent_id":"somebody-else"'
changed = json.loads(bundle)
at = next(at for at, each in enumerate(changed["events"]) if TRUE in each["body"])
changed["events"][at]["body"] = changed["events"][at]["body"].replace(TRUE, FALSE)
assert changed != given
checks_of(verify(changed, keys=keys)).filter(pl.col("status") == "fail")

# %% [markdown]
# A cleverer one also changes the signed statement, and works out the digests anew. Then the signature fails, and
# without the private key nothing mends that:

# %%
payload = b64decode(given["attestation"]["payload"])
signature = b64decode(given["attestation"]["signatures"][0]["sig"])
public = urlsafe_b64decode(
    next(jwk.x for jwk in keys.keys if jwk.kid == given["attestation"]["signatures"][0]["keyid"]) + "="
)
kind = given["attestation"]["payloadType"]


def signed_text(content):
    return f"DSSEv1 {len(kind)} {kind} {len(content)} ".encode() + content


Ed25519PublicKey.from_public_bytes(public).verify(signature, signed_text(payload))  # as it is: holds
forged = payload.replace(TRUE.encode(), FALSE.encode())
assert forged != payload
try:
    Ed25519PublicKey.from_public_bytes(public).verify(signature, signed_text(forged))
    print("the forgery passed")
except InvalidSignature:
    print("as signed: holds; with one word changed: invalid signature")

# %% [markdown]
# ## 5. Did the log only grow?
#
# A signature says nothing about a service that signs two histories. Whoever keeps a tree head finds that out: the new
# bundle has to prove that its log begins with the old one.

# %%
kept = client.get_log_head()  # a few lines of text, kept in a drawer
noted = client.create_action("notebook_check", "See how the log grows", agent_id="notebook")
client.update_outcome(noted.action_id, "completed", output_summary="It grew")
newer = client.export_proof(noted.action_id, since=kept.size).data

grown = verify(newer, keys=keys, since=kept.checkpoint)
print("holds:", grown.ok)
checks_of(grown).filter(pl.col("check") == "consistency")

# %% [markdown]
# A head that was made up is none: whoever keeps one keeps its signature with it, and so the service cannot say later
# that it never signed it.

# %%
root_line, nothing = kept.checkpoint.split("\n")[2], "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
other = kept.checkpoint.replace(root_line, nothing)
checks_of(verify(newer, keys=keys, since=other)).filter(pl.col("status") == "fail")

# %% [markdown]
# ## 6. A hundred actions
#
# One proof is an anecdote. A hundred actions drawn by chance (with a seed, so that it can be repeated), each exported
# and verified offline:

# %%
actions = client.frame("actions", window="30d", columns=["action_id", "status", "source"])
drawn = actions.sort("action_id").sample(min(100, actions.height), seed=9)
proofs = [client.export_proof(action_id).data for action_id in drawn["action_id"]]

began = time.perf_counter()
verified = [verify(proof, keys=keys) for proof in proofs]
each_ms = (time.perf_counter() - began) / len(verified) * 1000

results = pl.concat([checks_of(each) for each in verified]).group_by("check", "status").len("actions")
sizes = pl.Series([len(proof) for proof in proofs])
print(f"{sum(each.ok for each in verified)} of {len(verified)} proofs hold; {each_ms:.1f} ms to verify one")
print(f"size of a bundle: median {sizes.median() / 1000:.0f} kB, largest {sizes.max() / 1000:.0f} kB")

# %%
statuses = {"pass": "#2fa57f", "warn": "#e8a33d", "fail": "#d8485f", "not_checked": "#8a93a355"}
order = [check.name.value for check in verified[0].checks]
made_up = drawn.filter(pl.col("source") == "simulated").height
alt.Chart(
    results.with_columns(rank=pl.col("status").replace_strict({name: at for at, name in enumerate(statuses)})),
    title=alt.TitleParams(
        "What the checks said",
        subtitle=f"n = {len(verified)} actions, verified offline"
        + (f" · {made_up} of them simulated" if made_up else ""),
        anchor="start",
    ),
    width=560,
    height=300,
).mark_bar(cornerRadius=2).encode(
    y=alt.Y("check:N", sort=order, title=None, axis=alt.Axis(ticks=False, domain=False)),
    x=alt.X("actions:Q", title="actions", scale=alt.Scale(domain=[0, len(verified)])),
    color=alt.Color(
        "status:N",
        title=None,
        scale=alt.Scale(domain=list(statuses), range=list(statuses.values())),
        legend=alt.Legend(orient="bottom", labelExpr="replace(datum.label, '_', ' ')"),
    ),
    order=alt.Order("rank:Q"),
    tooltip=["check", "status", "actions"],
)

# %% [markdown]
# Grey is not a failure, and the checks say themselves why they could not be made: a simulator's decisions cannot be
# decided again, since guard never made them, and for these proofs nobody gave an older head.

# %%
reasons = (
    pl.concat([checks_of(each) for each in verified])
    .filter(pl.col("status") != "pass")
    .with_columns(pl.col("what was compared").str.replace_all(r"[0-9a-f_]{20,}", "…"))
    .group_by("check", "status", "what was compared")
    .len("actions")
    .sort("actions", descending=True)
)
reasons

# %%
failed = [each.action_id for each in verified if not each.ok]
print(
    f"Yes: {len(verified) - len(failed)} of {len(verified)} hold, one of them by hand as well ({by_hand}), and the log "
    "only grew."
    if by_hand and grown.ok and not failed
    else f"No: {failed or 'see above'}."
)
client.close()
