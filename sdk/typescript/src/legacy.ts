/** The first generation's methods, as agents have them that were written for it: members by position, groups that are
 * served by the table of operations (calendar, workflows, routing, compliance, ...). */
import { Client } from "./client.js";
import type { ClientOptions } from "./settings.js";
import type { Answer, CallOptions, Schemas } from "./types.js";

export * from "./index.js";

type Members = Record<string, unknown>;
type Algorithm = Schemas["Algorithm"];

type Positional = "createPairing" | "registerIdentity" | "createWebhook" | "mapCompliance" | "getProofReport" | "withOptions";

/** `Client` with other signatures has none of its own for these. */
const Modern = Client as unknown as new (...args: ConstructorParameters<typeof Client>) => Omit<Client, Positional>;

export class LegacyClient extends Modern {
  /** A client of this kind with other options; what is undefined stays as it is here. */
  withOptions(options: ClientOptions): this {
    return Client.prototype.withOptions.call(this as unknown as Client, options) as unknown as this;
  }

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

/** Names of the first generation that this service does not serve: none. */
export const NOT_SERVED: readonly string[] = Object.freeze([]);
