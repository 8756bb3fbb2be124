// `Client`: every operation of the API as a method, and what agents do beyond one call.
//
// The operations are a generated table. Those that say more than the table knows (a block raises, a key makes a creation
// repeatable, members by position) are written out below.
import type { Admitted } from "./answers.js";
import {
  ApprovalTimeoutError,
  ArgumentsChanged,
  AssentError,
  GuardBlockedError,
  PairingExpiredError,
  PairingTimeoutError,
} from "./errors.js";
import { checkGoverned, checkPatience, Ended, type GovernedOptions, governing } from "./governing.js";
import { misplaced } from "./ids.js";
import { type Calls, OPERATIONS } from "./operations.js";
import { digest } from "./proof/canonical.js";
import { withoutKey } from "./redaction.js";
import { type ClientOptions, settingsOf, type Settings } from "./settings.js";
import type { EventsOptions, Waits } from "./stream.js";
import { wellFormed } from "./texts.js";
import { isA, isStopped, LEAVING, words } from "./stopping.js";
import { asked, bare, type Call, encoded, exchange, filled, freshId, snake, unreadable } from "./transport.js";
import type { Answer, Body, CallOptions, Event, Open, Query, Schemas } from "./types.js";
import type { WaitOptions } from "./waiting.js";

type Action = Schemas["Action"];
type Members = Record<string, unknown>;

/** Operations whose body, or query where there is none, is of this client's agent unless it names another. */
const OWN: readonly (keyof Calls)[] = [
  ...(["guard", "createAction", "heartbeat", "reportConnections", "createHandoff", "createThread"] as const),
  ...(["addThreadEntry", "captureKeyPoint", "getMessages", "getMessage", "markMessages", "createMessageThread"] as const),
  ...(["getMessageThreads", "renderPrompt", "submitFeedback", "syncState", "createPairing", "getDailyDigest"] as const),
  ...(["scanPromptInjection", "scanContent", "createCalendarEvent", "createGoal", "recordContent"] as const),
  ...(["recordInteraction", "recordIdea", "recordDecision", "reportMemoryHealth", "saveSharedDoc"] as const),
  ...(["reportTokenUsage", "createProvider", "createProviderEndpoint", "createArtifact", "recordPurchase"] as const),
  ...(["saveSnippet", "recordPreference", "createSession", "createWorkflowTemplate", "launchWorkflowTemplate"] as const),
  ...(["createModelStrategy", "createKnowledgeCollection", "addKnowledgeCollectionItem", "createCapability"] as const),
  ...(["registerAgent", "addAgentCapability"] as const),
];
const NAMED: readonly (keyof Calls)[] = ["createAction", "heartbeat", "createPairing"];
/** What may be sent twice without a key. */
const IDEMPOTENT: readonly (keyof Calls)[] = [
  ...(["withdrawAction", "verifyGovernanceProof", "heartbeat", "reportConnections", "createThread"] as const),
  ...(["closeThread", "syncState"] as const),
];
/** What carries a key, by which the service knows it again. */
const KEYED: readonly (keyof Calls)[] = [
  ...(["guard", "createAction", "approveAction", "claimAction", "updateOutcome", "reportActionOutcome"] as const),
];
/** Holds the signature of a body. */
const SIGNATURE = "_signature";
const OUTCOMES: readonly (keyof Calls)[] = ["updateOutcome", "reportActionOutcome"];

export interface GuardOptions extends CallOptions {
  /** Whether a block is an error; true. */
  raiseOnBlock?: boolean;
  /** The signals that are on for the agent are among the warnings. */
  includeSignals?: boolean;
}

export interface WaitForApprovalOptions extends WaitOptions {
  /** Whether a wait that is stopped by its signal takes the question back, since nobody waits any more; true. */
  withdrawOnAbort?: boolean;
}

export interface TrackOptions extends CallOptions {
  /** How long to wait for a person, in milliseconds; 300000. */
  approvalTimeout?: number;
}

/** What is done for one action: its calls carry the action's id. */
export interface ActionContext {
  readonly actionId: string;
  /** The answer to its creation, where `track` made it. */
  readonly created: Answer<"create_action"> | undefined;
  recordAssumption(assumption: string | Members, options?: CallOptions): Promise<Answer<"record_assumption">>;
  sendMessage(message: Open<Partial<Body<"send_message">>>, options?: CallOptions): Promise<Answer<"send_message">>;
  updateOutcome(outcome: Body<"update_outcome">, options?: CallOptions): Promise<Answer<"update_outcome">>;
}

/** The operations that are methods as the table has them. */
export interface Client extends Omit<Calls, WrittenOut> {}

type WrittenOut =
  | "guard"
  | "createAction"
  | "claimAction"
  | "approveAction"
  | "updateOutcome"
  | "recordAssumption"
  | "registerOpenLoop"
  | "resolveOpenLoop"
  | "verifyGovernanceProof"
  | "heartbeat"
  | "reportConnections"
  | "createScorer"
  | "renderPrompt"
  | "sendMessage"
  | "scanPromptInjection"
  | "createThread"
  | "createHandoff"
  | "addThreadEntry"
  | "closeThread"
  | "scoreWithProfile"
  | "withdrawAction";

export class Client {
  readonly #given: ClientOptions;
  readonly #settings: Settings;
  #waits: Waits | undefined;

  constructor(options: ClientOptions = {}) {
    this.#given = { ...options };
    this.#settings = settingsOf(options);
  }

  get baseUrl(): string {
    return bare(this.#settings.baseUrl);
  }

  get agentId(): string | undefined {
    return this.#settings.agentId;
  }

  /** A client with other options; what is undefined stays as it is here. */
  withOptions(options: ClientOptions): this {
    const { baseUrl, apiKey, agentId } = this.#settings;
    const other = Object.entries(options).filter(([, value]) => value !== undefined);
    const all = { ...this.#given, baseUrl, apiKey, agentId, ...Object.fromEntries(other) } as ClientOptions;
    return new (this.constructor as new (options: ClientOptions) => this)(all);
  }

  /** Calls an operation by its name in the table, with what is in its path, its body and its query in this order. */
  call(name: keyof typeof OPERATIONS, ...args: readonly unknown[]): Promise<unknown> {
    const [method = "", template = "", ...words] = OPERATIONS[name].split(" ");
    const rest = args.slice(template.split("{").length - 1);
    let body = words.includes("body") ? { ...(rest.shift() as Members | undefined) } : undefined;
    let query = words.includes("query") ? { ...(rest.shift() as Members | undefined) } : undefined;
    const options = (rest.shift() ?? {}) as CallOptions & { within?: number };
    checkIds(template, words, args, { ...query, ...body });
    if (OWN.includes(name)) [body, query] = body === undefined ? [body, this.#owned(name, query)] : [this.#owned(name, body), query];
    // What a half of a surrogate pair came into would be refused, and nobody would know how the action ended.
    if (OUTCOMES.includes(name) && body !== undefined)
      for (const [member, value] of Object.entries(body)) if (typeof value === "string") body[member] = wellFormed(value);
    const key = KEYED.includes(name) && body?.["idempotency_key"] === undefined && body?.["idempotencyKey"] === undefined;
    return this.request({
      operation: name,
      method,
      path: filled(template, args) + asked(query),
      body,
      key: key ? (options.idempotencyKey ?? freshId()) : undefined,
      idempotent: KEYED.includes(name) || IDEMPOTENT.includes(name),
      analysis: words.includes("analysis"),
      file: words.includes("file"),
      outcomeOf: OUTCOMES.includes(name) ? String(args[0]) : undefined,
      timeout: options.timeout,
      within: options.within,
      signal: options.signal,
    });
  }

  /** Sends one call, bound to its answer and tried again where that is without harm. */
  request(call: Call): Promise<unknown> {
    return exchange(this.#settings, call);
  }

  #owned(name: keyof Calls, members: Members | undefined): Members {
    const { agentId, agentName } = this.#settings;
    const own: Members = {};
    if (agentId !== undefined && (members?.["agentId"] ?? undefined) === undefined) own["agent_id"] = agentId;
    if (NAMED.includes(name) && agentName !== undefined && members?.["agentName"] === undefined) own["agent_name"] = agentName;
    for (const [member, value] of Object.entries(members ?? {})) if (value !== undefined && value !== null) own[member] = value;
    return own;
  }

  // Asking and deciding

  /** Ask whether an action may go ahead. Every further member of the context is kept, and policies can look at it. Throws
   * GuardBlockedError on block, unless `raiseOnBlock` is false. */
  async guard(context: Open<Body<"guard">>, options: GuardOptions = {}): Promise<Answer<"guard">> {
    const query = { include_signals: options.includeSignals };
    const result = (await this.call("guard", context, query, options)) as Answer<"guard">;
    const { decision, reasons, matched_policies: policies } = result;
    if (typeof decision !== "string" || !Array.isArray(reasons) || !Array.isArray(policies))
      throw unreadable(200, `${this.baseUrl} answered guard with something that cannot be read: it has no decision with its reasons`);
    // A decision that nobody here knows lets nothing through.
    if (!["allow", "warn", "require_approval"].includes(decision) && options.raiseOnBlock !== false)
      throw withoutKey(new GuardBlockedError(result), this.#settings.apiKey);
    return result;
  }

  /** Say what the agent is doing, before it does it; guard is applied. Where it asks for an approval, the action's status
   * is pending_approval: call `waitForApproval` before acting. Throws GuardBlockedError. */
  async createAction(action: Open<Body<"create_action">>, options?: CallOptions): Promise<Answer<"create_action">> {
    return (await this.call("createAction", await this.#signed(action, options), options)) as Answer<"create_action">;
  }

  /** With a private key the body carries its signature. The key that makes it repeatable is in it, so that the same thing
   * done twice is not taken for a replay. */
  async #signed(action: Open<Body<"create_action">>, options: CallOptions = {}): Promise<Members> {
    const { signer } = this.#settings;
    const given: Members = { ...action };
    if (signer === undefined || given[SIGNATURE] !== undefined) return given;
    const body = this.#owned("createAction", given);
    if (body["idempotencyKey"] === undefined) body["idempotency_key"] ??= options.idempotencyKey ?? freshId();
    // What is signed is what is sent: dates as texts, and nothing that JSON leaves out.
    const plain = JSON.parse(encoded(body)) as Members;
    return { ...plain, [SIGNATURE]: await signer.sign(plain) };
  }

  /** Use an approval, once, right before acting: say what is about to be done, and be refused unless it is exactly what
   * was approved. `parameters` stay here; their digest is sent. */
  async claimAction(
    actionId: string,
    act: Body<"claim_action"> & { parameters?: unknown },
    options?: CallOptions,
  ): Promise<Answer<"claim_action">> {
    const { parameters, ...body } = act as Members;
    if (parameters !== undefined) body["parameters_digest"] = await digest(parameters);
    return (await this.call("claimAction", actionId, body, options)) as Answer<"claim_action">;
  }

  /** Record what came of an action. Throws OutcomeLost where the service could not be told. */
  updateOutcome(actionId: string, outcome: Body<"update_outcome">, options?: CallOptions): Promise<Answer<"update_outcome">> {
    return this.call("updateOutcome", actionId, outcome, options) as Promise<Answer<"update_outcome">>;
  }

  /** The action is completed; said once and for all. */
  reportActionSuccess(actionId: string, summary?: string): Promise<Answer<"report_action_outcome">> {
    return this.reportActionOutcome(actionId, { status: "completed", summary: summary ?? null });
  }

  /** The action failed; said once and for all. */
  reportActionFailure(actionId: string, errorMessage: string, summary?: string): Promise<Answer<"report_action_outcome">> {
    return this.reportActionOutcome(actionId, { status: "failed", error_message: errorMessage, summary: summary ?? null });
  }

  /** Some of the action is done, as `progress` says, which is not empty. The action stays running; since the first report
   * stands, its end is said by `updateOutcome`. */
  reportActionPartial(actionId: string, progress: Members, summary?: string): Promise<Answer<"report_action_outcome">> {
    return this.reportActionOutcome(actionId, { status: "partial", progress, summary: summary ?? null });
  }

  /** Decide on an action that waits: `allow` or `deny`. Needs an operator's key. */
  approveAction(
    actionId: string,
    decision: "allow" | "deny",
    reasoning?: string,
    options?: CallOptions & { conditions?: readonly string[]; validMinutes?: number },
  ): Promise<Answer<"approve_action">> {
    const body = { decision, reasoning, conditions: options?.conditions, valid_minutes: options?.validMinutes };
    return this.call("approveAction", actionId, body, options) as Promise<Answer<"approve_action">>;
  }

  /** Take back the question of an action that waits. */
  withdrawAction(actionId: string, reason?: string, options?: CallOptions): Promise<Answer<"withdraw_action">> {
    return this.call("withdrawAction", actionId, { reason }, options) as Promise<Answer<"withdraw_action">>;
  }

  /** Actions that wait for an operator, newest first. */
  getPendingApprovals(query: { limit?: number; offset?: number } = {}, options?: CallOptions): Promise<Answer<"get_actions">> {
    return this.getActions({ ...query, status: "pending_approval" }, options);
  }

  /** Wait until an operator decides; the action once it may run. Its id and its replay link are said once, on standard
   * output unless the client says otherwise. The decision arrives over the event stream at once. Throws
   * ApprovalDeniedError, ApprovalExpiredError, ApprovalWithdrawnError, ApprovalTimeoutError (the action then still
   * waits), and NotAwaitingApprovalError for an action that is over and was never approved. */
  async waitForApproval(actionId: string, options: WaitForApprovalOptions = {}): Promise<Action> {
    return (await this.#decided(actionId, options)).action;
  }

  async #decided(actionId: string, options: WaitForApprovalOptions, created = false): Promise<Answer<"get_action">> {
    let said = false;
    const { checkWhole, settled } = await import("./answers.js");
    const look = async (within: number) => {
      const request = { within, signal: options.signal };
      const detail = (await this.call("getAction", actionId, request)) as Answer<"get_action">;
      checkWhole(this.baseUrl, "getAction", detail, "action", ...(detail.approval ? ["approval" as const] : []));
      const found = settled(detail.action, detail.approval) ? detail : undefined;
      if (!said) {
        said = true;
        const what = found === undefined ? `Waiting for approval of ${actionId}` : `${actionId} may run`;
        this.#settings.say(`${what}: ${this.baseUrl}/replay/${encodeURIComponent(actionId)}`);
      }
      return found;
    };
    try {
      return await this.#waited(actionId, options, look, (timeout) => new ApprovalTimeoutError(actionId, timeout), created);
    } catch (error) {
      if (!isStopped(options.signal, error)) throw withoutKey(error, this.#settings.apiKey);
      if (options.withdrawOnAbort !== false) {
        const leaving = { within: LEAVING } as CallOptions;
        await this.withdrawAction(actionId, await words(error), leaving).catch(() => undefined);
      }
      throw error;
    }
  }

  // Governing code

  /** Govern a piece of work: the action is created, waits for its approval if it needs one, and is reported completed
   * with its duration, or failed with what the work threw, or cancelled where `signal` stopped it. What is refused throws
   * what `createAction` and `waitForApproval` throw, and the work does not run. Gives what the work gives; where that would
   * be read after the action is over (a generator, a stream), it is a TypeError. */
  async track<T>(
    action: Open<Body<"create_action">>,
    work: (action: ActionContext) => T | PromiseLike<T>,
    options: TrackOptions = {},
  ): Promise<T> {
    checkGoverned(work);
    const { created } = await this.#admitted(action, options);
    return this.#worked(created, work, options);
  }

  /** The action, created and let run; with the approval by which it may. Throws what refuses it. */
  async #admitted(action: Open<Body<"create_action">>, options: TrackOptions): Promise<Admitted> {
    checkPatience(options.approvalTimeout);
    const { admit } = await import("./answers.js");
    return this.#told(() => admit(this, this.#owned("createAction", action), options, (id, waiting) => this.#decided(id, waiting, true)), options.signal);
  }

  /** What `body` gives. The client's key is in nothing that it throws. */
  async #told<T>(body: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    try {
      return await body();
    } catch (error) {
      throw isStopped(signal, error) ? error : withoutKey(error, this.#settings.apiKey);
    }
  }

  async #worked<T>(
    created: Answer<"create_action">,
    work: (action: ActionContext) => T | PromiseLike<T>,
    options: TrackOptions,
  ): Promise<T> {
    const { context, isReported } = this.#context(created.action_id, created);
    return (await import("./answers.js")).worked(this, created.action_id, () => work(context), isReported, options.signal);
  }

  /** The function, governed: each call is an action of the function's name, waits where a person is wanted, and does not
   * run where it is refused. An approval is good for exactly these arguments, once. Arguments are JSON, kinds of the
   * platform, or instances whose members say all: what a class keeps elsewhere, such as in a WeakMap of a module, is in no
   * digest. */
  governed<A extends unknown[], R>(work: (...args: A) => R | PromiseLike<R>, options: GovernedOptions = {}): (...args: A) => Promise<R> {
    return governing(work, options, async (call, body) => {
      const { approvalTimeout, signal } = options;
      const waiting: TrackOptions = { ...(approvalTimeout === undefined ? {} : { approvalTimeout }), ...(signal ? { signal } : {}) };
      const admitted = await this.#admitted(call.action, waiting);
      const { created, approval } = admitted;
      let results: [R] | undefined;
      if (approval) await this.#told(async () => (await import("./answers.js")).claim(this, admitted, call, signal), signal);
      // Nothing else happens between the last look at the arguments and the call.
      const run = async () => {
        if (call.isChanged()) throw new ArgumentsChanged(created.action_id);
        return (results = [await body()])[0];
      };
      try {
        return await this.#worked(created, run, waiting);
      } catch (error) {
        if (isA(error, Ended)) return error.result as R;
        // A call that ran gives its result.
        if (results === undefined || !isA(error, AssentError)) throw error;
        console.warn(`The call ran, but its outcome could not be reported: ${error.message}`);
        return results[0];
      }
    });
  }

  /** What is said about one action: the calls carry its id. */
  actionContext(actionId: string): ActionContext {
    return this.#context(actionId, undefined).context;
  }

  #context(actionId: string, created: Answer<"create_action"> | undefined): { context: ActionContext; isReported: () => boolean } {
    let reported = false;
    const context: ActionContext = {
      actionId,
      created,
      recordAssumption: (assumption, options) =>
        this.recordAssumption({ ...(typeof assumption === "string" ? { assumption } : assumption), action_id: actionId }, options),
      sendMessage: (message, options) => this.sendMessage({ ...message, action_id: actionId }, options),
      updateOutcome: async (outcome, options) => {
        const updated = await this.updateOutcome(actionId, outcome, options);
        reported ||= (outcome as Members)["status"] !== undefined;
        return updated;
      },
    };
    return { context, isReported: () => reported };
  }

  /** Follow what is recorded, as it is recorded; reconnects by itself, without gap or repeat. */
  async *events(options: EventsOptions = {}): AsyncGenerator<Event, void, undefined> {
    const { events } = await import("./stream.js");
    yield* events(this.#settings, options);
  }

  // Members by position, as the specification has them

  /** Record what the agent believes while it acts. */
  recordAssumption(assumption: Open<Partial<Body<"record_assumption">>>, options?: CallOptions): Promise<Answer<"record_assumption">> {
    return this.call("recordAssumption", assumption, options) as Promise<Answer<"record_assumption">>;
  }

  /** The same, as older clients spell it. */
  registerAssumption(actionId: string, assumption: string, options?: CallOptions): Promise<Answer<"record_assumption">> {
    return this.recordAssumption({ action_id: actionId, assumption }, options);
  }

  /** Register what an action leaves open. */
  registerOpenLoop(
    actionId: string,
    loopType: Schemas["LoopType"] | (string & {}),
    description: string,
    more: Members = {},
    options?: CallOptions,
  ): Promise<Answer<"register_open_loop">> {
    const body = { ...more, action_id: actionId, loop_type: loopType, description };
    return this.call("registerOpenLoop", body, options) as Promise<Answer<"register_open_loop">>;
  }

  /** Close a loop: resolved, with how, or cancelled. */
  resolveOpenLoop(loopId: string, status: "resolved" | "cancelled", resolution?: string, options?: CallOptions): Promise<Answer<"resolve_open_loop">> {
    return this.call("resolveOpenLoop", loopId, { status, resolution }, options) as Promise<Answer<"resolve_open_loop">>;
  }

  /** The bundle (`svc.proof.v1`) of an action, or of the organization. `since` is the size of a tree head that you hold. */
  async getGovernanceProofBundle(query: { actionId?: string; since?: number } = {}, options?: CallOptions): Promise<Schemas["ProofBundle"]> {
    return (await this.getGovernanceProof({ ...query, format: "bundle" }, options)) as Schemas["ProofBundle"];
  }

  /** Have the service check an action's proof, or a bundle. `ok` is false for one that does not hold. */
  verifyGovernanceProof(given: string | Body<"verify_governance_proof">, options?: CallOptions): Promise<Answer<"verify_governance_proof">> {
    const body = typeof given === "string" ? { action_id: given } : given;
    return this.call("verifyGovernanceProof", body, options) as Promise<Answer<"verify_governance_proof">>;
  }

  /** Say that the agent is there and how it is. */
  heartbeat(status = "online", metadata?: Members, options?: CallOptions): Promise<Answer<"heartbeat">> {
    return this.call("heartbeat", { status, metadata }, options) as Promise<Answer<"heartbeat">>;
  }

  /** Say which providers the agent is connected to. */
  reportConnections(connections: readonly Members[], options?: CallOptions): Promise<Answer<"report_connections">> {
    return this.call("reportConnections", { connections }, options) as Promise<Answer<"report_connections">>;
  }

  /** A prompt's text with its placeholders filled in: of a template by its id, or as the context says. */
  renderPrompt(context: string | Body<"render_prompt">, options?: CallOptions): Promise<Answer<"render_prompt">> {
    const body = typeof context === "string" ? { template_id: context } : context;
    return this.call("renderPrompt", body, options) as Promise<Answer<"render_prompt">>;
  }

  /** Define an automated evaluation. */
  createScorer(name: string, type: string, config?: Members, options?: CallOptions): Promise<Answer<"create_scorer">> {
    return this.call("createScorer", { name, scorer_type: type, config }, options) as Promise<Answer<"create_scorer">>;
  }

  /** The score of one action: values, or the id of a recorded one. */
  scoreWithProfile(profileId: string, action: string | Members, options?: CallOptions): Promise<Schemas["ProfileScored"]> {
    const body = typeof action === "string" ? { profile_id: profileId, action_id: action } : { profile_id: profileId, action };
    return this.call("scoreWithProfile", body, options) as Promise<Schemas["ProfileScored"]>;
  }

  /** The scores of many actions, and their sum. */
  batchScoreWithProfile(profileId: string, actions: readonly Members[], options?: CallOptions): Promise<Schemas["BatchScored"]> {
    return this.call("scoreWithProfile", { profile_id: profileId, actions }, options) as Promise<Schemas["BatchScored"]>;
  }

  /** Aggregate stats of a profile's scores. */
  async getProfileScoreStats(profileId: string, options?: CallOptions): Promise<Schemas["ProfileScoreStats"]> {
    return (await this.getProfileScores({ profile_id: profileId, view: "stats" }, options)) as Schemas["ProfileScoreStats"];
  }

  /** Send a message: `{ to, type, subject, body, threadId, urgent }`; without `to` it is for all. */
  sendMessage(message: Open<Partial<Body<"send_message">>>, options?: CallOptions): Promise<Answer<"send_message">> {
    const given = message as Members;
    const sender = given["from_agent_id"] ?? given["fromAgentId"] ?? given["from"] ?? this.agentId;
    const body = sender === undefined ? given : { from_agent_id: sender, ...given };
    return this.call("sendMessage", body, options) as Promise<Answer<"send_message">>;
  }

  /** Send a message to every agent of the organization. */
  broadcast(message: Open<Partial<Body<"send_message">>>, options?: CallOptions): Promise<Answer<"send_message">> {
    return this.sendMessage({ ...message, to_agent_id: null }, options);
  }

  /** What was sent to this agent or to all, newest first. */
  getInbox(query: Members = {}, options?: CallOptions): Promise<Answer<"get_messages">> {
    const { type, ...rest } = query;
    const wanted = type === undefined ? rest : { message_type: type, ...rest };
    return this.getMessages({ ...wanted, direction: "inbox" } as Query<"get_messages">, options);
  }

  /** What this agent has sent, newest first. */
  getSentMessages(query: Query<"get_messages"> = {}, options?: CallOptions): Promise<Answer<"get_messages">> {
    return this.getMessages({ ...query, direction: "sent" } as Query<"get_messages">, options);
  }

  /** Say that this agent has read these messages. */
  markRead(messageIds: string | readonly string[]): Promise<Answer<"mark_messages">> {
    return this.markMessages({ message_ids: [messageIds].flat(), action: "read" });
  }

  /** Take these messages out of this agent's inbox. */
  archiveMessages(messageIds: string | readonly string[]): Promise<Answer<"mark_messages">> {
    return this.markMessages({ message_ids: [messageIds].flat(), action: "archive" });
  }

  /** Leave a handoff: its summary, or with what else there is to say. */
  createHandoff(handoff: string | Body<"create_handoff">, options?: CallOptions): Promise<Answer<"create_handoff">> {
    const body = typeof handoff === "string" ? { summary: handoff } : handoff;
    return this.call("createHandoff", body, options) as Promise<Answer<"create_handoff">>;
  }

  /** The newest handoff of this client's agent: `handoff` of the answer. */
  getLatestHandoff(options?: CallOptions): Promise<Answer<"get_handoffs">> {
    const agent = this.agentId === undefined ? {} : { agent_id: this.agentId };
    return this.getHandoffs({ ...agent, latest: true } as Query<"get_handoffs">, options);
  }

  /** Whether a text holds instructions that an attacker put there. `source` says where it came from. */
  scanPromptInjection(text: string, more: { source?: string; store?: boolean } & Members = {}, options?: CallOptions): Promise<Answer<"scan_prompt_injection">> {
    return this.call("scanPromptInjection", { ...more, text }, options) as Promise<Answer<"scan_prompt_injection">>;
  }

  /** Begin a thread, by its name. */
  createThread(thread: string | Body<"create_thread">, options?: CallOptions): Promise<Answer<"create_thread">> {
    return this.call("createThread", typeof thread === "string" ? { name: thread } : thread, options) as Promise<Answer<"create_thread">>;
  }

  /** Write into a thread; `entryType` is note, milestone, or a word of one's own. */
  addThreadEntry(threadId: string, content: string, entryType = "note", options?: CallOptions): Promise<Answer<"add_thread_entry">> {
    return this.call("addThreadEntry", threadId, { content, entry_type: entryType }, options) as Promise<Answer<"add_thread_entry">>;
  }

  /** Close a thread; it takes no more entries. */
  closeThread(threadId: string, summary?: string, options?: CallOptions): Promise<Answer<"close_thread">> {
    return this.call("closeThread", threadId, { status: "closed", summary }, options) as Promise<Answer<"close_thread">>;
  }

  /** Wait until an admin approves a pairing; the pairing once it is approved. Throws PairingExpiredError and
   * PairingTimeoutError. */
  waitForPairing(pairingId: string, options: WaitOptions = {}): Promise<Schemas["PairingStatus"]> {
    const look = async (within: number) => {
      const { pairing } = (await this.call("getPairing", pairingId, { within, signal: options.signal })) as Answer<"get_pairing">;
      if (pairing.status === "expired") throw new PairingExpiredError(pairing);
      return pairing.status === "approved" ? pairing : undefined;
    };
    const interval = options.interval ?? 2_000;
    return this.#waited(pairingId, { ...options, interval }, look, (timeout) => new PairingTimeoutError(pairingId, timeout));
  }

  /** The code for waiting is loaded by who waits. */
  async #waited<T>(
    about: string,
    options: WaitOptions,
    look: (within: number) => Promise<T | undefined>,
    timedOut: (timeout: number) => Error,
    answered = false,
  ): Promise<T> {
    const [{ Waits }, { waitFor }] = await Promise.all([import("./stream.js"), import("./waiting.js")]);
    return waitFor((this.#waits ??= new Waits(this.#settings)), about, options, look, timedOut, answered);
  }
}

for (const name of Object.keys(OPERATIONS) as (keyof typeof OPERATIONS)[])
  if (!Object.hasOwn(Client.prototype, name))
    Object.defineProperty(Client.prototype, name, {
      value(this: Client, ...args: unknown[]) {
        return this.call(name, ...args);
      },
      writable: true,
      configurable: true,
    });

/** Throws TypeError for an id of the service that is of another kind than its place. */
function checkIds(template: string, words: readonly string[], args: readonly unknown[], members: Readonly<Members>): void {
  const check = (member: string, value: unknown) => {
    for (const id of Array.isArray(value) ? (value as unknown[]) : [value]) {
      const wrong = misplaced(member, id);
      if (wrong !== undefined) throw new TypeError(wrong);
    }
  };
  for (const [at, [, member = ""]] of [...template.matchAll(/\{(\w+)\}/g)].entries()) check(member, args[at]);
  for (const [name, value] of Object.entries(members)) if (words.includes(`#${snake(name)}`)) check(snake(name), value);
}
