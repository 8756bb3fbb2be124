"""Read by mypy and basedpyright, never called: what agents, handoffs, threads and key points give."""

from typing import assert_type

from assent import AsyncClient, Client
from assent.contract.exchange.handoffs import CreatedHandoff, Handoff, Handoffs
from assent.contract.exchange.key_points import CapturedKeyPoint, ContextSummary, KeyPoints
from assent.contract.exchange.threads import AddedThreadEntry, ChangedThread, CreatedThread, ThreadDetail, Threads
from assent.contract.people.agents import AgentConnections, Agents, HeartbeatReceived, ReportedConnections


def blocking(client: Client) -> None:
    assert_type(client.heartbeat("busy", {"load": 2}, current_task_id="t-1"), HeartbeatReceived)
    assert_type(client.get_agents(status="online"), Agents)
    assert_type(client.report_connections([{"provider": "acme"}]), ReportedConnections)
    assert_type(client.get_connections(provider="acme"), AgentConnections)
    assert_type(client.create_handoff("done", tags=["a"]), CreatedHandoff)
    assert_type(client.create_handoff({"summary": "done"}), CreatedHandoff)
    assert_type(client.get_handoffs(limit=3), Handoffs)
    assert_type(client.get_latest_handoff().handoff, Handoff | None)
    assert_type(client.create_thread("the move", summary="begun"), CreatedThread)
    assert_type(client.create_thread({"name": "the move"}), CreatedThread)
    assert_type(client.add_thread_entry("ct_1", "packed", "milestone"), AddedThreadEntry)
    assert_type(client.close_thread("ct_1", "moved"), ChangedThread)
    assert_type(client.get_threads(status="active"), Threads)
    assert_type(client.get_thread("ct_1"), ThreadDetail)
    assert_type(client.capture_key_point("the index stays", importance=9), CapturedKeyPoint)
    assert_type(client.get_key_points(category="decision"), KeyPoints)
    assert_type(client.get_context_summary(), ContextSummary)


async def awaiting(client: AsyncClient) -> None:
    assert_type(await client.heartbeat(), HeartbeatReceived)
    assert_type(await client.get_agents(), Agents)
    assert_type(await client.report_connections([]), ReportedConnections)
    assert_type(await client.get_connections(), AgentConnections)
    assert_type(await client.create_handoff("done"), CreatedHandoff)
    assert_type(await client.get_handoffs(), Handoffs)
    assert_type(await client.get_latest_handoff("other"), Handoffs)
    assert_type(await client.create_thread("the move"), CreatedThread)
    assert_type(await client.add_thread_entry("ct_1", "packed"), AddedThreadEntry)
    assert_type(await client.close_thread("ct_1"), ChangedThread)
    assert_type(await client.get_threads(), Threads)
    assert_type(await client.get_thread("ct_1", limit=5), ThreadDetail)
    assert_type(await client.capture_key_point("the index stays"), CapturedKeyPoint)
    assert_type(await client.get_key_points(), KeyPoints)
    assert_type(await client.get_context_summary("other"), ContextSummary)
