// One reading of what a call runs by, and of the answer to its outcome: each member once, one request id, a status that the
// question is answered with, the action that was meant. The rules are those of the Python client (`assent.client.answer`).
import { OutcomeLost, UnboundAnswer } from "./errors.js";
import type { Call } from "./transport.js";

/** Where others are possible than 200. */
const STATUSES: Readonly<Record<string, readonly number[]>> = { createAction: [200, 201, 202] };

/** Throws UnboundAnswer for an answer that could be read in two ways, and OutcomeLost for one about another action than the
 * one whose outcome was told. */
export function checkReading(call: Call, response: Response, data: Uint8Array, found: object, url: string): void {
  const { action, action_id = action?.action_id } = found as { action?: { action_id?: unknown; status?: unknown }; action_id?: unknown };
  const uncertain = call.method !== "GET";
  const member = twice(new TextDecoder().decode(data));
  const ids = response.headers.get("x-request-id") ?? "";
  const { status } = response;
  const wrong =
    ids.includes(",") ? "it carries two request ids"
    : member !== undefined ? `the member ${JSON.stringify(member.slice(0, 80))} stands twice in it`
    : call.outcomeOf !== undefined ? undefined
    : !(STATUSES[call.operation] ?? [200]).includes(status) ? `its status is ${status}`
    : status === 202 && action?.status === "running" ? "its status says that it waits"
    : undefined;
  const other = call.outcomeOf !== undefined && action_id !== call.outcomeOf ? `its action_id is ${JSON.stringify(action_id)}` : undefined;
  const reason = wrong ?? other;
  if (reason === undefined) return;
  const unbound = new UnboundAnswer(url, undefined, uncertain, reason);
  throw call.outcomeOf === undefined ? unbound : new OutcomeLost(call.outcomeOf, unbound, { cause: unbound });
}

/** The first name that stands twice in one object of a text that is JSON: some read the first of them, others the last. */
export function twice(json: string): string | undefined {
  const open: Set<string>[] = [];
  for (let at = 0; at < json.length; at++) {
    const sign = json[at];
    if (sign === "{") open.push(new Set());
    else if (sign === "}") open.pop();
    if (sign !== '"') continue;
    const from = at;
    while (json[++at] !== '"') if (json[at] === "\\") at++;
    let next = at + 1;
    while (" \t\n\r".includes(json[next] ?? "x")) next++;
    if (json[next] !== ":") continue;
    const name = JSON.parse(json.slice(from, at + 1)) as string;
    const names = open.at(-1);
    if (names?.has(name)) return name;
    names?.add(name);
  }
  return undefined;
}
