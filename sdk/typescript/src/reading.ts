// One reading of what a call runs by, and of the answer to its outcome: each member once, one request id, a status that the
// question is answered with, the action that was meant. The rules are those of the Python client (`assent.client.answer`).
import { ConnectionFailed, UnboundAnswer } from "./errors.js";
import type { Call } from "./transport.js";

/** Where others are possible than 200. */
const STATUSES: Readonly<Record<string, readonly number[]>> = { createAction: [200, 201, 202] };

/** Throws UnboundAnswer for an answer by which a call would run and which could be read in two ways, ConnectionFailed for one
 * to an outcome that does not tell of its action alone. */
export function checkReading(call: Call, response: Response, data: Uint8Array, found: object, url: string): void {
  const { operation, outcomeOf } = call;
  const { action, action_id: id = action?.action_id } = found as { action?: { action_id?: unknown; status?: unknown }; action_id?: unknown };
  const member = twice(new TextDecoder().decode(data));
  const { status } = response;
  const wrong =
    response.headers.get("x-request-id")?.includes(",") ? "it carries two request ids"
    : member !== undefined ? `the member ${JSON.stringify(member.slice(0, 80))} stands twice in it`
    : outcomeOf !== undefined ? (id === outcomeOf ? undefined : `its action_id is ${JSON.stringify(id)}`)
    : !(STATUSES[operation] ?? [200]).includes(status) ? `its status is ${status}`
    : status === 202 && action?.status === "running" ? "its status says that it waits"
    : undefined;
  if (wrong === undefined) return;
  if (outcomeOf !== undefined) throw new ConnectionFailed({ url, reason: `what came answers something else: ${wrong}`, uncertain: true });
  throw new UnboundAnswer(url, undefined, call.method !== "GET", wrong);
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
