// What stands for the service in unit tests: a fetch that answers as it is told, and keeps what it was asked.

/** Answers are functions of the request, one after the other; the last one goes on. */
export function service(...answers) {
  const asked = [];
  const fetch = async (url, init) => {
    const headers = new Headers(init.headers);
    const request = { url, method: init.method ?? "GET", headers, body: init.body == null ? undefined : JSON.parse(init.body), redirect: init.redirect, signal: init.signal };
    asked.push(request);
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    init.signal?.throwIfAborted();
    return answer(request);
  };
  return { fetch, asked };
}

/** A JSON answer that is bound to its request. */
export function json(body, { status = 200, id, headers = {} } = {}) {
  return (request) => {
    const problem = status >= 400 ? "application/problem+json" : "application/json";
    const bound = id === null ? {} : { "x-request-id": id ?? request.headers.get("x-request-id") };
    return new Response(JSON.stringify(body), { status, headers: { "content-type": problem, ...bound, ...headers } });
  };
}

export function refused(code = "ECONNREFUSED") {
  return () => {
    throw new TypeError("fetch failed", { cause: Object.assign(new Error(`connect ${code}`), { code }) });
  };
}

/** A stream of these texts, which then ends, or stays open. */
export function stream(texts, { stays = false } = {}) {
  return (request) => {
    const encoder = new TextEncoder();
    const body = new ReadableStream({
      start(controller) {
        for (const text of texts) controller.enqueue(encoder.encode(text));
        if (!stays) controller.close();
        request.signal?.addEventListener("abort", () => {
          try {
            controller.error(request.signal.reason);
          } catch {
            // it has ended
          }
        });
      },
    });
    return new Response(body, { headers: { "content-type": "text/event-stream", "x-request-id": request.headers.get("x-request-id") } });
  };
}

export function frame(id, event, data) {
  return `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

export const NOW = "2026-11-20T10:00:00.123456Z";
const LATER = "2026-11-21T10:00:00.123456Z";
export const ALLOWED = {
  ...{ decision: "allow", reasons: [], warnings: [], matched_policies: [], risk_score: 20, action_type: "look" },
  ...{ decision_id: "dec_1", action_id: "dec_1", agent_id: null },
};
export const BLOCKED = { ...ALLOWED, decision: "block", reasons: ["Nobody wipes"], matched_policies: ["pol_1"] };

export function action(status = "running", more = {}) {
  return { org_id: "org_1", action_id: "act_1", action_type: "pay", status, decision: "allow", decision_id: "dec_1", approval_id: null, error_message: null, ...more };
}

/** The answer to a creation: the action that was asked for, as the service answers with it. */
export function created(more = {}, options = { status: 201 }) {
  return (request) => {
    const { action_type, agent_id = null, parameters_digest = null, session_id = null, idempotency_key = request.headers.get("idempotency-key") } = request.body;
    const { status = "running", ...rest } = more.action ?? {};
    const of = { action_type, agent_id };
    const decision = { ...(more.decision ?? ALLOWED), action_type: rest.action_type ?? action_type, agent_id };
    const under = { decision: decision.decision, decision_id: "dec_1", approval_id: more.approval ? "apr_1" : null };
    const made = action(status, { ...of, parameters_digest, session_id, idempotency_key, ...under, ...rest });
    const approval = more.approval ? approvalOf(made, more.approval) : null;
    return json({ action_id: "act_1", idempotent_replay: false, ...more, decision, approval, action: made }, options)(request);
  };
}

/** The approval of an action, as the service tells it. */
export function approvalOf({ org_id, action_id, action_type, agent_id = null, parameters_digest = null }, more) {
  const decided_at = ["approved", "denied"].includes(more.state) ? NOW : null;
  return { org_id, approval_id: "apr_1", action_id, action_type, agent_id, parameters_digest, decided_at, expires_at: LATER, ...more };
}
