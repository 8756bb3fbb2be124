"""Connecting an agent: the snippets to copy, in the order in which it is done. Key: `setup`."""

from __future__ import annotations

import shlex
from dataclasses import dataclass

import streamlit as st

from assent import Runtime
from assent.contract.analysis.readiness import RuntimeProfile


def draw_setup(base_url: str) -> None:
    st.subheader("Connect an agent", anchor=False)
    with st.container(border=True, key="setup"):
        for snippet in key_and_environment(base_url):
            st.markdown(f"**{snippet.title}**")
            _draw(snippet)
        st.markdown("**3. The first calls**")
        ways = ways_in(base_url)
        for tab, snippet in zip(st.tabs([way.title for way in ways], key="setup_ways"), ways, strict=True):
            with tab:
                _draw(snippet)
        st.markdown(
            "**4. Look**  \nThe action appears in the ledger, and counts as governed in the shares above: at the "
            "latest a minute later, or at once with *Check again*."
        )


def draw_profile_setup(profile: RuntimeProfile, base_url: str) -> None:
    """What to set up for one runtime profile, where that is known."""
    snippet = of_profile(profile.runtime, base_url)
    if snippet is not None:
        with st.expander(snippet.title, icon=":material/build:", key=f"setup-{profile.runtime}"):
            _draw(snippet)


def _draw(snippet: Snippet) -> None:
    st.markdown(snippet.says)
    st.code(snippet.code, language=snippet.language, wrap_lines=True)


# What to copy to connect an agent: a key, the environment, and the first calls of each way in.
#
# Snippets carry the service's real address and never a key: a key is shown once, by the command that makes it, and
# everything here reads it from the environment. Every command is one of `assent`'s own.


AGENT = "my-agent"


@dataclass(frozen=True)
class Snippet:
    """`says` stands above the code, as Markdown."""

    name: str
    title: str
    says: str
    code: str
    language: str


def key_and_environment(base_url: str) -> list[Snippet]:
    """What every way in needs first."""
    place = shlex.quote(base_url)
    return [
        Snippet(
            "key",
            "1. A key",
            "On the service's machine, or with an admin key in `ASSENT_API_KEY`. It prints the key once. Give each "
            "agent its own, so that it can be revoked alone.",
            f'assent keys create "My agent" --role agent --agent {AGENT} --base-url {place}',
            "bash",
        ),
        Snippet(
            "environment",
            "2. The environment",
            "Where the agent runs. `read -s` keeps the key out of the shell's history: paste it and press Enter.",
            f"export ASSENT_BASE_URL={place}\nexport ASSENT_AGENT_ID={AGENT}\nread -rs ASSENT_API_KEY\n"
            "export ASSENT_API_KEY",
            "bash",
        ),
    ]


def ways_in(base_url: str) -> list[Snippet]:
    """The first calls, by what the agent is made with."""
    place = shlex.quote(base_url)
    return [
        Snippet(
            "sdk",
            "Python",
            "The whole loop. Where a policy asks for a person, `client.wait_for_approval(action.action_id)` waits; "
            "`with client.track(...)` does all of it around your own code.",
            f"""from assent import Client
client = Client({base_url!r})  # the key and the agent's id come from the environment
verdict = client.guard({{"action_type": "refund", "declared_goal": "Refund order 4711"}})
action = client.create_action("refund", "Refund order 4711", decision_id=verdict.decision_id)
client.record_assumption({{"action_id": action.action_id, "assumption": "The order was paid"}})
client.update_outcome(action.action_id, "completed", output_summary="Refunded 20 EUR")""",
            "python",
        ),
        Snippet(
            "dashclaw",
            "DashClaw 2.x client",
            "An agent that has this client keeps it: address and key change, and nothing else.",
            f"""import os
from dashclaw import DashClaw
client = DashClaw(base_url={base_url!r}, api_key=os.environ["ASSENT_API_KEY"], agent_id={AGENT!r})
action = client.create_action("refund", "Refund order 4711")""",
            "python",
        ),
        Snippet(
            "curl",
            "curl",
            "Any language that speaks HTTP. The first answer has the decision and its `decision_id`, the second one "
            "the `action_id`.",
            f"""curl -sS {place}/api/guard -H "x-api-key: $ASSENT_API_KEY" \\
  -d '{{"action_type": "refund", "declared_goal": "Refund order 4711"}}'
curl -sS {place}/api/actions -H "x-api-key: $ASSENT_API_KEY" \\
  -d '{{"action_type": "refund", "declared_goal": "Refund order 4711"}}'""",
            "bash",
        ),
    ]


def of_profile(runtime: Runtime, base_url: str) -> Snippet | None:
    """What to set up for a runtime profile, after its key; None for one that is not known here."""
    place = shlex.quote(base_url)
    found = {
        Runtime.CODING_ASSISTANT: Snippet(
            "coding_assistant",
            "Set up",
            "Hooks ask guard before each tool call, without a change to the assistant. The second line proves that "
            "they block; with the third one what waits is decided in the terminal.",
            f"assent hooks install claude --base-url {place}\nassent hooks test claude --base-url {place}\n"
            f"assent approvals --base-url {place}",
            "bash",
        ),
        Runtime.CODING_AGENT: Snippet(
            "coding_agent",
            "Set up",
            "The runtime wraps each tool call, and says which runtime it is. While an approval waits, the call waits "
            "too, and prints into the session what for.",
            f"""from assent import Client
client = Client({base_url!r})
with client.track("run_tests", "Run the tests", runtime="coding_agent"):
    ...  # the tool's own work""",
            "python",
        ),
        Runtime.SDK_SERVICE: Snippet(
            "sdk_service",
            "Set up",
            "Your own agent calls the SDK; it waits at the service until an operator has decided.",
            f"""from assent import Client
client = Client({base_url!r})
with client.track("refund", "Refund order 4711") as tracked:
    tracked.record_assumption("The order was paid")""",
            "python",
        ),
    }
    return found.get(runtime)
