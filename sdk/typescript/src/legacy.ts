/** The first generation's methods, as agents have them that were written for it: members by position, groups that are
 * served by the table of operations (calendar, workflows, routing, ...), and a few that are not served, which answer with
 * what the service says to use instead. */
import { Client } from "./client.js";
import { asked, filled } from "./transport.js";
import type { Answer, CallOptions, Schemas } from "./types.js";

export * from "./index.js";

type Members = Record<string, unknown>;
type Algorithm = Schemas["Algorithm"];

/** Of the published clients, what this service does not serve. */
const ELSEWHERE = {
  createComplianceExport: "POST /api/compliance/exports",
  listComplianceExports: "GET /api/compliance/exports",
  getComplianceExport: "GET /api/compliance/exports/{id}",
  downloadComplianceExport: "GET /api/compliance/exports/{id}/download",
  deleteComplianceExport: "DELETE /api/compliance/exports/{id}",
  createComplianceSchedule: "POST /api/compliance/schedules",
  listComplianceSchedules: "GET /api/compliance/schedules",
  updateComplianceSchedule: "PATCH /api/compliance/schedules/{id}",
  deleteComplianceSchedule: "DELETE /api/compliance/schedules/{id}",
  getComplianceTrends: "GET /api/compliance/trends",
} as const;

type Elsewhere = { readonly [name in keyof typeof ELSEWHERE]: (...args: readonly unknown[]) => Promise<never> };
type Positional = "createPairing" | "registerIdentity" | "createWebhook" | "mapCompliance" | "getProofReport";

/** `Client` with other signatures has none of its own for these. */
const Modern = Client as unknown as new (...args: ConstructorParameters<typeof Client>) => Omit<Client, Positional>;

export interface LegacyClient extends Elsewhere {}

export class LegacyClient extends Modern {
  /** Ask that a public key (an SPKI PEM) be trusted for this agent. */
  createPairing(publicKeyPem: string, algorithm: Algorithm = "RSASSA-PKCS1-v1_5", agentName?: string, options?: CallOptions): Promise<Answer<"create_pairing">> {
    const body: Members = { public_key: publicKeyPem, algorithm };
    if (agentName !== undefined) body["agent_name"] = agentName;
    return this.call("createPairing", body, options) as Promise<Answer<"create_pairing">>;
  }

  /** Say which public key an agent signs with. Needs an admin's key. */
  registerIdentity(agentId: string, publicKeyPem: string, algorithm: Algorithm = "RSASSA-PKCS1-v1_5"): Promise<Answer<"register_identity">> {
    return this.call("registerIdentity", { agent_id: agentId, public_key: publicKeyPem, algorithm }) as Promise<Answer<"register_identity">>;
  }

  /** Have events sent to an address: `{ url, events }`, or the address and the names. Needs an admin's key. */
  createWebhook(webhook: string | Members, events?: readonly string[]): Promise<Answer<"create_webhook">> {
    const body = typeof webhook === "string" ? { url: webhook, ...(events === undefined ? {} : { events }) } : webhook;
    return this.call("createWebhook", body) as Promise<Answer<"create_webhook">>;
  }

  /** How the recorded evidence maps to a framework's controls. */
  mapCompliance(framework: string, query: Members = {}): Promise<Answer<"map_compliance">> {
    return this.call("mapCompliance", { ...query, framework }) as Promise<Answer<"map_compliance">>;
  }

  /** The report on policies, as JSON or Markdown. */
  getProofReport(query: string | Members = {}): Promise<Answer<"get_proof_report">> {
    return this.call("getProofReport", typeof query === "string" ? { format: query } : query) as Promise<Answer<"get_proof_report">>;
  }
}

for (const [name, place] of Object.entries(ELSEWHERE)) {
  const [method = "", path = ""] = place.split(" ");
  Object.defineProperty(LegacyClient.prototype, name, {
    value(this: LegacyClient, ...args: unknown[]) {
      const more = args[path.split("{").length - 1] as Members | undefined;
      const reads = method === "GET" || method === "DELETE";
      return this.request({ operation: name, method, path: filled(path, args) + (reads ? asked(more) : ""), body: reads ? undefined : (more ?? {}) });
    },
    writable: true,
    configurable: true,
  });
}

/** Names of what this service does not serve; each rejects with NotFound, whose `detail` says what to use. */
export const NOT_SERVED: readonly string[] = Object.freeze(Object.keys(ELSEWHERE));
