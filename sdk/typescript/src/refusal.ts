// What an answer that is no success is thrown as.
import { type AssentError, family, type FieldError, Forbidden, GuardBlockedError } from "./errors.js";
import type { Settings } from "./settings.js";
import { bare } from "./transport.js";
import type { Schemas } from "./types.js";

/** The error for an answer that is no success. */
export function refusal(settings: Settings, response: Response, data: Uint8Array, url: string): AssentError {
  const text = new TextDecoder().decode(data);
  let problem: Record<string, unknown> = {};
  try {
    const found: unknown = JSON.parse(text);
    if (typeof found === "object" && found !== null && !Array.isArray(found)) problem = found as Record<string, unknown>;
  } catch {
    // no problem document
  }
  const said = (name: string) => (typeof problem[name] === "string" ? problem[name] : "");
  const code = said("code") || "unknown";
  let Shape = family(response.status);
  if (code === "action_blocked") {
    const decision = problem["decision"] as Schemas["GuardResult"] | undefined;
    const action = problem["action"] as { action_id?: string } | undefined;
    if (Array.isArray(decision?.reasons) && Array.isArray(decision?.matched_policies))
      return new GuardBlockedError(decision, action?.action_id);
    Shape = Forbidden;
  }
  const place = response.headers.get("location");
  const points = place ? ` and points to ${bare(place)}` : "";
  const stranger = `${bare(url)} answered without a problem document${points}; it begins ${JSON.stringify(text.slice(0, 300))}`;
  const keyless = response.status === 401 && settings.apiKey === undefined ? " No key was sent: set ASSENT_API_KEY, or give apiKey." : "";
  return new Shape({
    status: response.status,
    code,
    detail: (said("detail") || said("error") || said("title") || stranger) + keyless,
    details: Array.isArray(problem["errors"]) ? problem["errors"].filter(isFieldError) : [],
    problem,
    retryAfter: waiting(response.headers.get("retry-after")),
  });
}

/** Milliseconds that a Retry-After asks for; it holds a number of seconds or a date (RFC 9110, 10.2.3). */
function waiting(retryAfter: string | null): number | undefined {
  const text = (retryAfter ?? "").trim();
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const moment = text ? Date.parse(text) : NaN;
  return Number.isNaN(moment) ? undefined : Math.max(0, moment - Date.now());
}

function isFieldError(given: unknown): given is FieldError {
  const { place, message } = (given ?? {}) as Partial<FieldError>;
  return typeof place === "string" && typeof message === "string";
}
