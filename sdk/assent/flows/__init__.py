"""Policies over flows: what was read before decides whether a value may be sent now.

    pack, digester, session = shipped_pack(), Digester(key), Session()
    session.fold(user_text("Please pay the bill in bill.txt", digester))

    tool = pack.tool("read_file", ["path"])
    session.fold(Called(1))
    answer = "Pay to DE89370400440532013000"
    session.fold(fold_result(answer, call=1, name="read_file", tool=tool, digester=digester, pack=pack))

    call = digest_call("send_money", {"to": "DE89370400440532013000"}, digester=digester, pack=pack)
    for reason in decide(session, call, pack).reasons:
        question(reason, session)   # This account number (to) appears only in the text of what read_file answered, ...

Everything here is a pure function or a fold over events of digests and labels: no clock, no disk, no network. So a
guard, a backtest, a notebook and a replay decide alike. `past` has the rules over sequences of calls.
"""

from assent.flows.calls import ArgumentDigest, CallDigest, CallReader, digest_call, texts_of
from assent.flows.decide import (
    Reason,
    Verdict,
    came_from,
    decide,
    decide_trace,
    put_on,
    question,
    said,
    taken_off,
)
from assent.flows.digests import Digester, ValueDigest
from assent.flows.gaps import Gap, uncertain
from assent.flows.house import read_pack
from assent.flows.pack import FlowPackError, Pack, Rules, Tool, ToolEntry, joined, shipped_pack
from assent.flows.past import CallFacts, History, Monitor, MonitorState, monitor
from assent.flows.provenance import Provenance, provenance
from assent.flows.results import fold_result, user_text
from assent.flows.session import (
    BOUNDS,
    Approved,
    Bounds,
    Called,
    Event,
    FlowError,
    Folded,
    LabelPut,
    LabelRemoved,
    Session,
    UserText,
    check_label,
)
from assent.flows.trace import Trace, TracedValue, stands_below, trace

__all__ = [
    "BOUNDS",
    "Approved",
    "ArgumentDigest",
    "Bounds",
    "CallDigest",
    "CallFacts",
    "CallReader",
    "Called",
    "Digester",
    "Event",
    "FlowError",
    "FlowPackError",
    "Folded",
    "Gap",
    "History",
    "LabelPut",
    "LabelRemoved",
    "Monitor",
    "MonitorState",
    "Pack",
    "Provenance",
    "Reason",
    "Rules",
    "Session",
    "Tool",
    "ToolEntry",
    "Trace",
    "TracedValue",
    "UserText",
    "ValueDigest",
    "Verdict",
    "came_from",
    "check_label",
    "decide",
    "decide_trace",
    "digest_call",
    "fold_result",
    "joined",
    "monitor",
    "provenance",
    "put_on",
    "question",
    "read_pack",
    "said",
    "shipped_pack",
    "stands_below",
    "taken_off",
    "texts_of",
    "trace",
    "uncertain",
    "user_text",
]
