// Written by `make golden` from the API's document; change that instead.
import type { Answer, Body, CallOptions, DownloadedFile, Query } from "./types.js";

/** Each operation: HTTP method, path; whether it has a body, a query, takes long or answers a file;
 * and which of its members hold the service's ids. */
export const OPERATIONS = {
  guard: "POST /api/guard body query #session_id",
  getGuardDecisions: "GET /api/guard query",
  createAction: "POST /api/actions body #action_id #decision_id #parent_action_id #replaces #session_id",
  getActions: "GET /api/actions query #decision_id #session_id",
  getAction: "GET /api/actions/{action_id}",
  updateOutcome: "PATCH /api/actions/{action_id} body",
  approveAction: "POST /api/actions/{action_id}/approve body",
  withdrawAction: "POST /api/actions/{action_id}/withdraw body",
  getApprovals: "GET /api/approvals query",
  askQuestion: "POST /api/actions/{action_id}/questions body",
  answerQuestion: "POST /api/questions/{question_id}/answer body",
  getQuestions: "GET /api/questions query #action_id",
  claimAction: "POST /api/actions/{action_id}/claim body",
  previewGrant: "POST /api/grants/preview body",
  suggestGrants: "GET /api/grants/suggestions query",
  createGrant: "POST /api/grants body #from_action_id",
  listGrants: "GET /api/grants query",
  getGrant: "GET /api/grants/{grant_id}",
  revokeGrant: "POST /api/grants/{grant_id}/revoke body",
  draftGrant: "GET /api/actions/{action_id}/grant",
  eraseAction: "POST /api/actions/{action_id}/erase body",
  reportActionOutcome: "POST /api/actions/{action_id}/outcome body",
  getActionOutcome: "GET /api/actions/{action_id}/outcome",
  getActionTrace: "GET /api/actions/{action_id}/trace",
  getActionGraph: "GET /api/actions/{action_id}/graph",
  addComment: "POST /api/actions/{action_id}/comments body",
  getComments: "GET /api/comments query #action_id",
  snoozeAction: "POST /api/actions/{action_id}/snooze body",
  getSnoozes: "GET /api/snoozes query #action_id #snoozed_by_key",
  assignAction: "POST /api/actions/{action_id}/assignment body #key_id",
  getAssignments: "GET /api/assignments query #action_id #assigned_to_key",
  getEscalations: "GET /api/escalations query #action_id",
  setTriage: "POST /api/triage body",
  getTriage: "GET /api/triage",
  stopTriage: "DELETE /api/triage",
  tellFlow: "POST /api/flows body #action_id #session_id",
  getFlows: "GET /api/flows query #session_id",
  removeFlowLabels: "POST /api/flows/{flow_id}/labels/remove body",
  getFlowSteps: "GET /api/flows/{flow_id}/steps query",
  recordAssumption: "POST /api/assumptions body #action_id #assumption_id",
  getAssumptions: "GET /api/assumptions query #action_id",
  getAssumption: "GET /api/assumptions/{assumption_id}",
  validateAssumption: "PATCH /api/assumptions/{assumption_id} body",
  registerOpenLoop: "POST /api/actions/loops body #action_id #loop_id",
  getOpenLoops: "GET /api/actions/loops query #action_id",
  resolveOpenLoop: "PATCH /api/actions/loops/{loop_id} body",
  getOpenLoop: "GET /api/actions/loops/{loop_id}",
  getSignals: "GET /api/actions/signals query",
  heartbeat: "POST /api/agents/heartbeat body",
  getAgents: "GET /api/agents query",
  reportConnections: "POST /api/agents/connections body",
  getConnections: "GET /api/agents/connections query",
  createHandoff: "POST /api/handoffs body",
  getHandoffs: "GET /api/handoffs query",
  createThread: "POST /api/context/threads body",
  getThreads: "GET /api/context/threads query",
  getThread: "GET /api/context/threads/{thread_id} query",
  closeThread: "PATCH /api/context/threads/{thread_id} body",
  addThreadEntry: "POST /api/context/threads/{thread_id}/entries body",
  captureKeyPoint: "POST /api/context/points body",
  getKeyPoints: "GET /api/context/points query",
  sendMessage: "POST /api/messages body #action_id #thread_id",
  getMessages: "GET /api/messages query #thread_id",
  markMessages: "PATCH /api/messages body #message_ids",
  getMessage: "GET /api/messages/{message_id} query",
  createMessageThread: "POST /api/messages/threads body",
  getMessageThreads: "GET /api/messages/threads query",
  resolveMessageThread: "PATCH /api/messages/threads body #thread_id",
  getAttachment: "GET /api/messages/attachments query file",
  getPolicies: "GET /api/policies",
  createPolicy: "POST /api/policies body",
  getPolicy: "GET /api/policies/{policy_id}",
  updatePolicy: "PATCH /api/policies/{policy_id} body query #policy_id",
  deletePolicy: "DELETE /api/policies/{policy_id} query",
  importPolicies: "POST /api/policies/import body",
  testPolicies: "POST /api/policies/test body",
  acceptActionType: "POST /api/policies/known-types body",
  backtest: "POST /api/policies/backtest body analysis",
  getRuleChanges: "GET /api/policies/history query",
  beforeAfter: "GET /api/policies/history/{change_id}/before-after query analysis",
  getObservedDecisions: "GET /api/policies/observed query #policy_id #session_id",
  evaluatePolicy: "POST /api/policies/evaluate body analysis",
  createScorer: "POST /api/evaluations/scorers body",
  getScorers: "GET /api/evaluations/scorers",
  getScorer: "GET /api/evaluations/scorers/{scorer_id}",
  updateScorer: "PATCH /api/evaluations/scorers/{scorer_id} body",
  deleteScorer: "DELETE /api/evaluations/scorers/{scorer_id}",
  createScore: "POST /api/evaluations body #action_id",
  getScores: "GET /api/evaluations query #action_id #run_id #scorer_id",
  createEvalRun: "POST /api/evaluations/runs body #scorer_id",
  getEvalRuns: "GET /api/evaluations/runs query #scorer_id",
  getEvalRun: "GET /api/evaluations/runs/{run_id}",
  getEvalStats: "GET /api/evaluations/stats query analysis #run_id #scorer_id",
  getLearningVelocity: "GET /api/learning/analytics/velocity query analysis",
  computeLearningVelocity: "POST /api/learning/analytics/velocity body analysis",
  getLearningCurves: "GET /api/learning/analytics/curves query analysis",
  computeLearningCurves: "POST /api/learning/analytics/curves body analysis",
  getLearningAnalyticsSummary: "GET /api/learning/analytics/summary query analysis",
  getMaturityLevels: "GET /api/learning/analytics/maturity",
  getLessons: "GET /api/learning/lessons query analysis",
  getRecommendations: "GET /api/learning/recommendations query analysis",
  rebuildRecommendations: "POST /api/learning/recommendations body analysis #action_id",
  getRecommendation: "GET /api/learning/recommendations/{recommendation_id} query analysis",
  setRecommendationActive: "PATCH /api/learning/recommendations/{recommendation_id} body",
  recordRecommendationEvents: "POST /api/learning/recommendations/events body #action_id #recommendation_id",
  getRecommendationMetrics: "GET /api/learning/recommendations/metrics query analysis",
  listDriftAlerts: "GET /api/drift/alerts query",
  detectDrift: "POST /api/drift/alerts body analysis",
  getDriftAlert: "GET /api/drift/alerts/{alert_id}",
  acknowledgeDriftAlert: "PATCH /api/drift/alerts/{alert_id}",
  deleteDriftAlert: "DELETE /api/drift/alerts/{alert_id}",
  getDriftStats: "GET /api/drift/stats query",
  getDriftMetrics: "GET /api/drift/metrics",
  getDriftSnapshots: "GET /api/drift/snapshots query analysis",
  compareDrift: "GET /api/drift/comparison query analysis",
  createScoringProfile: "POST /api/scoring/profiles body",
  listScoringProfiles: "GET /api/scoring/profiles query",
  getScoringProfile: "GET /api/scoring/profiles/{profile_id}",
  updateScoringProfile: "PATCH /api/scoring/profiles/{profile_id} body",
  deleteScoringProfile: "DELETE /api/scoring/profiles/{profile_id}",
  addScoringDimension: "POST /api/scoring/profiles/{profile_id}/dimensions body",
  updateScoringDimension: "PATCH /api/scoring/profiles/{profile_id}/dimensions/{dimension_id} body",
  deleteScoringDimension: "DELETE /api/scoring/profiles/{profile_id}/dimensions/{dimension_id}",
  scoreWithProfile: "POST /api/scoring/score body analysis #profile_id",
  getProfileScores: "GET /api/scoring/score query analysis #action_id #batch_id #profile_id",
  createRiskTemplate: "POST /api/scoring/risk-templates body",
  listRiskTemplates: "GET /api/scoring/risk-templates query",
  getRiskTemplate: "GET /api/scoring/risk-templates/{template_id}",
  updateRiskTemplate: "PATCH /api/scoring/risk-templates/{template_id} body",
  deleteRiskTemplate: "DELETE /api/scoring/risk-templates/{template_id}",
  autoCalibrate: "POST /api/scoring/calibrate body analysis",
  getCalibration: "GET /api/scoring/calibration query analysis",
  halt: "POST /api/halt body",
  resume: "DELETE /api/halt",
  getHalt: "GET /api/halt",
  createKey: "POST /api/keys body",
  getKeys: "GET /api/keys",
  getKey: "GET /api/keys/{key_id}",
  revokeKey: "DELETE /api/keys/{key_id}",
  getOwnKey: "GET /api/keys/own",
  getOperators: "GET /api/operators",
  setRota: "POST /api/rota body",
  getRota: "GET /api/rota",
  createOrg: "POST /api/orgs body",
  getOrg: "GET /api/orgs",
  getOrgById: "GET /api/orgs/{org_id}",
  updateOrg: "PATCH /api/orgs/{org_id} body",
  getOrgKeys: "GET /api/orgs/{org_id}/keys",
  submitFeedback: "POST /api/feedback body #action_id",
  listFeedback: "GET /api/feedback query #action_id",
  getFeedbackStats: "GET /api/feedback/stats query",
  getFeedback: "GET /api/feedback/{feedback_id}",
  resolveFeedback: "PATCH /api/feedback/{feedback_id} body",
  deleteFeedback: "DELETE /api/feedback/{feedback_id}",
  createPromptTemplate: "POST /api/prompts/templates body",
  listPromptTemplates: "GET /api/prompts/templates query",
  getPromptTemplate: "GET /api/prompts/templates/{template_id}",
  updatePromptTemplate: "PATCH /api/prompts/templates/{template_id} body",
  deletePromptTemplate: "DELETE /api/prompts/templates/{template_id}",
  createPromptVersion: "POST /api/prompts/templates/{template_id}/versions body",
  listPromptVersions: "GET /api/prompts/templates/{template_id}/versions query",
  getPromptVersion: "GET /api/prompts/templates/{template_id}/versions/{version_id}",
  activatePromptVersion: "POST /api/prompts/templates/{template_id}/versions/{version_id}",
  renderPrompt: "POST /api/prompts/render body #action_id #template_id #version_id",
  listPromptRuns: "GET /api/prompts/runs query #action_id #template_id #version_id",
  getPromptStats: "GET /api/prompts/stats query #template_id",
  getDataDictionary: "GET /api/data",
  getTable: "GET /api/data/{table} query file",
  getTableDays: "GET /api/data/{table}/days query",
  getPcaaHealth: "GET /api/pcaa/health query analysis",
  getPcaaGaps: "GET /api/pcaa/gaps query analysis",
  getPcaaAction: "GET /api/pcaa/actions/{action_id}",
  getApprovalInsight: "GET /api/insight/approvals query analysis",
  getDecisionMix: "GET /api/insight/decisions query analysis",
  getSignalHistory: "GET /api/insight/signals query analysis",
  getAskingWorth: "GET /api/insight/asking query analysis",
  getDigest: "GET /api/insight/digest query analysis",
  syncState: "POST /api/sync body",
  getActivityLogs: "GET /api/activity query",
  listFrameworks: "GET /api/compliance/frameworks",
  mapCompliance: "GET /api/compliance/map query",
  analyzeGaps: "GET /api/compliance/gaps query",
  getComplianceReport: "GET /api/compliance/report query",
  getComplianceEvidence: "GET /api/compliance/evidence query",
  getProofReport: "GET /api/policies/proof query",
  createComplianceExport: "POST /api/compliance/exports body",
  listComplianceExports: "GET /api/compliance/exports query #schedule_id",
  getComplianceExport: "GET /api/compliance/exports/{export_id}",
  deleteComplianceExport: "DELETE /api/compliance/exports/{export_id}",
  downloadComplianceExport: "GET /api/compliance/exports/{export_id}/download",
  createComplianceSchedule: "POST /api/compliance/schedules body",
  listComplianceSchedules: "GET /api/compliance/schedules",
  getComplianceSchedule: "GET /api/compliance/schedules/{schedule_id}",
  updateComplianceSchedule: "PATCH /api/compliance/schedules/{schedule_id} body",
  deleteComplianceSchedule: "DELETE /api/compliance/schedules/{schedule_id}",
  getComplianceTrends: "GET /api/compliance/trends query",
  createPairing: "POST /api/pairings body",
  getPairings: "GET /api/pairings query",
  getPairing: "GET /api/pairings/{pairing_id}",
  approvePairing: "POST /api/pairings/{pairing_id}/approve",
  registerIdentity: "POST /api/identities body",
  getIdentities: "GET /api/identities",
  getIdentity: "GET /api/identities/{agent_id}",
  revokeIdentity: "DELETE /api/identities/{agent_id}",
  getReadiness: "GET /api/readiness",
  testConnection: "POST /api/readiness/test body",
  scanPromptInjection: "POST /api/security/prompt-injection body",
  getInjectionScans: "GET /api/security/prompt-injection query #action_id",
  allowText: "POST /api/security/allowed-texts body",
  getAllowedTexts: "GET /api/security/allowed-texts",
  removeAllowedText: "DELETE /api/security/allowed-texts/{text_digest}",
  scanContent: "POST /api/security/scan body",
  createWebhook: "POST /api/webhooks body",
  getWebhooks: "GET /api/webhooks",
  getWebhook: "GET /api/webhooks/{webhook_id}",
  updateWebhook: "PATCH /api/webhooks/{webhook_id} body",
  deleteWebhook: "DELETE /api/webhooks/{webhook_id} query",
  rotateWebhookSecret: "POST /api/webhooks/{webhook_id}/secret",
  testWebhook: "POST /api/webhooks/{webhook_id}/test",
  getWebhookDeliveries: "GET /api/webhooks/{webhook_id}/deliveries query",
  openNotice: "POST /api/notices/open body",
  getGovernanceProof: "GET /api/governance/proof query #action_id",
  verifyGovernanceProof: "POST /api/governance/proof/verify body #action_id",
  exportProof: "GET /api/governance/proof/export query file #action_id",
  getLogHead: "GET /api/log/head query",
  getInclusionProof: "GET /api/log/inclusion query",
  getConsistencyProof: "GET /api/log/consistency query",
  getSigningKeys: "GET /api/signing-keys",
  rotateSigningKey: "POST /api/signing-keys/rotate body",
  revokeSigningKey: "POST /api/signing-keys/{kid}/revoke body",
  getJwks: "GET /.well-known/jwks.json query #org_id",
  createGoal: "POST /api/goals body",
  getGoals: "GET /api/goals query",
  getGoal: "GET /api/goals/{goal_id}",
  updateGoal: "PATCH /api/goals/{goal_id} body",
  createCalendarEvent: "POST /api/calendar body",
  getCalendarEvents: "GET /api/calendar query",
  recordContent: "POST /api/content body",
  getContent: "GET /api/content query",
  recordInteraction: "POST /api/relationships body",
  getInteractions: "GET /api/relationships query",
  recordIdea: "POST /api/inspiration body",
  getIdeas: "GET /api/inspiration query",
  reportMemoryHealth: "POST /api/memory body",
  getMemoryHealth: "GET /api/memory query",
  recordDecision: "POST /api/learning body",
  getAgentDecisions: "GET /api/learning query",
  saveSharedDoc: "POST /api/messages/docs body",
  getSharedDocs: "GET /api/messages/docs query",
  getSharedDoc: "GET /api/messages/docs/{doc_id}",
  saveSnippet: "POST /api/snippets body",
  getSnippets: "GET /api/snippets query",
  getSnippet: "GET /api/snippets/{snippet_id}",
  deleteSnippet: "DELETE /api/snippets/{snippet_id} query",
  useSnippet: "POST /api/snippets/{snippet_id}/use body",
  recordPreference: "POST /api/preferences body",
  getPreferences: "GET /api/preferences query",
  reportTokenUsage: "POST /api/tokens body #action_id #session_id",
  getTokenUsage: "GET /api/tokens query #session_id",
  createSession: "POST /api/sessions body",
  listSessions: "GET /api/sessions query",
  getSession: "GET /api/sessions/{session_id}",
  updateSession: "PATCH /api/sessions/{session_id} body",
  getSessionEvents: "GET /api/sessions/{session_id}/events",
  createWorkflowTemplate: "POST /api/workflows/templates body #model_strategy_id",
  listWorkflowTemplates: "GET /api/workflows/templates query",
  getWorkflowTemplate: "GET /api/workflows/templates/{template_id}",
  updateWorkflowTemplate: "PATCH /api/workflows/templates/{template_id} body #model_strategy_id",
  duplicateWorkflowTemplate: "POST /api/workflows/templates/{template_id}/duplicate body",
  launchWorkflowTemplate: "POST /api/workflows/templates/{template_id}/launch body #session_id",
  createModelStrategy: "POST /api/model-strategies body",
  listModelStrategies: "GET /api/model-strategies query",
  getModelStrategy: "GET /api/model-strategies/{strategy_id}",
  updateModelStrategy: "PATCH /api/model-strategies/{strategy_id} body",
  deleteModelStrategy: "DELETE /api/model-strategies/{strategy_id} query",
  createKnowledgeCollection: "POST /api/knowledge/collections body",
  listKnowledgeCollections: "GET /api/knowledge/collections query",
  getKnowledgeCollection: "GET /api/knowledge/collections/{collection_id}",
  updateKnowledgeCollection: "PATCH /api/knowledge/collections/{collection_id} body",
  addKnowledgeCollectionItem: "POST /api/knowledge/collections/{collection_id}/items body",
  listKnowledgeCollectionItems: "GET /api/knowledge/collections/{collection_id}/items query",
  syncKnowledgeCollection: "POST /api/knowledge/collections/{collection_id}/sync body",
  searchKnowledgeCollection: "POST /api/knowledge/collections/{collection_id}/search body",
  createCapability: "POST /api/capabilities body",
  listCapabilities: "GET /api/capabilities query",
  getCapability: "GET /api/capabilities/{capability_id}",
  updateCapability: "PATCH /api/capabilities/{capability_id} body",
  registerAgent: "POST /api/agents/registry body",
  listRegisteredAgents: "GET /api/agents/registry query",
  getRegisteredAgent: "GET /api/agents/registry/{registered_agent_id}",
  updateRegisteredAgent: "PATCH /api/agents/registry/{registered_agent_id} body",
  addAgentCapability: "POST /api/agents/registry/{registered_agent_id}/capabilities body #capability_id",
  listAgentCapabilities: "GET /api/agents/registry/{registered_agent_id}/capabilities query",
  createProvider: "POST /api/x402/providers body",
  listProviders: "GET /api/x402/providers query",
  getProvider: "GET /api/x402/providers/{provider_id}",
  updateProvider: "PATCH /api/x402/providers/{provider_id} body",
  createProviderEndpoint: "POST /api/x402/providers/{provider_id}/endpoints body",
  listProviderEndpoints: "GET /api/x402/providers/{provider_id}/endpoints query",
  recordPurchase: "POST /api/x402/purchases body #session_id",
  listPurchases: "GET /api/x402/purchases query #action_id #provider_id",
  createArtifact: "POST /api/artifacts body #source_action_id",
  getArtifacts: "GET /api/artifacts query #source_action_id",
  getDailyDigest: "GET /api/digest query",
  registerRoutingAgent: "POST /api/routing/agents body",
  listRoutingAgents: "GET /api/routing/agents query",
  getRoutingAgent: "GET /api/routing/agents/{agent_id}",
  updateRoutingAgentStatus: "PATCH /api/routing/agents/{agent_id} body",
  deleteRoutingAgent: "DELETE /api/routing/agents/{agent_id}",
  submitRoutingTask: "POST /api/routing/tasks body",
  listRoutingTasks: "GET /api/routing/tasks query",
  completeRoutingTask: "POST /api/routing/tasks/{task_id}/complete body",
  getRoutingStats: "GET /api/routing/stats",
  getRoutingHealth: "GET /api/routing/health",
  health: "GET /health",
  ready: "GET /ready",
} as const;

/** What the service's ids begin with, and what each is of. */
export const ID_NAMES = {
  acap_: "an agent's capability",
  act_: "an action",
  agt_: "an agent's sign of life",
  alw_: "an allowed text",
  apq_: "a question about an approval",
  apr_: "an approval",
  art_: "an artifact",
  asg_: "an assignment of a request",
  asm_: "an assumption",
  auf_: "a sum of refused keys",
  cal_: "a calendar event",
  cap_: "a capability",
  ce_: "an entry of a context thread",
  cex_: "an export of compliance",
  cmt_: "a comment on an approval",
  cnt_: "a piece of content",
  conn_: "a connection",
  cp_: "a key point",
  csch_: "a schedule of compliance exports",
  ct_: "a context thread",
  da_: "a drift alert",
  dec_: "a decision of guard",
  doc_: "a shared document",
  er_: "an evaluation run",
  es_: "a scorer",
  ev_: "a score",
  fb_: "feedback",
  fl_: "a session's flow",
  ft_: "what a flow was told",
  goal_: "a goal",
  grant_: "a standing grant",
  hlt_: "a halt",
  ho_: "a handoff",
  idea_: "an idea",
  idn_: "an identity",
  inj_: "a finding of the injection scan",
  int_: "an interaction",
  jump_: "a jump of the clock",
  kc_: "a knowledge collection",
  key_: "a key",
  ki_: "a knowledge item",
  ld_: "a recorded decision",
  loop_: "an open loop",
  mem_: "a report of memory health",
  mrk_: "a mark on messages",
  msg_: "a message",
  mst_: "a model strategy",
  mt_: "a message thread",
  org_: "an organization",
  nl_: "a notice's link",
  pair_: "a pairing",
  pb_: "a batch of scores",
  pep_: "a provider's endpoint",
  pol_: "a policy",
  pr_: "a prompt run",
  prv_: "a provider",
  ps_: "a score by a profile",
  pt_: "a prompt template",
  pur_: "a purchase",
  pv_: "a prompt version",
  ra_: "an agent of the routing",
  rag_: "a registered agent",
  rec_: "a recommendation",
  re_: "a recommendation's event",
  rt_: "a risk template",
  sd_: "a dimension of a scoring profile",
  sec_: "a finding of the secret scan",
  ses_: "a session",
  sig_: "a signal",
  snip_: "a snippet",
  snz_: "what an operator has put off",
  sp_: "a scoring profile",
  task_: "a routing task",
  tok_: "a report of tokens",
  tri_: "a plan of triage",
  wd_: "a delivery of a webhook",
  wf_: "a workflow template",
  wh_: "a webhook",
} as const;

/** By the member that holds it, what an id begins with there. */
export const BELONGS = {
  action_id: "act_",
  alert_id: "da_",
  assigned_to_key: "key_",
  assumption_id: "asm_",
  batch_id: "pb_",
  capability_id: "cap_",
  collection_id: "kc_",
  decision_id: "dec_",
  dimension_id: "sd_",
  doc_id: "doc_",
  export_id: "cex_",
  feedback_id: "fb_",
  flow_id: "fl_",
  from_action_id: "act_",
  goal_id: "goal_",
  grant_id: "grant_",
  key_id: "key_",
  loop_id: "loop_",
  message_id: "msg_",
  message_ids: "msg_",
  model_strategy_id: "mst_",
  org_id: "org_",
  pairing_id: "pair_",
  parent_action_id: "act_",
  policy_id: "pol_",
  profile_id: "sp_",
  provider_id: "prv_",
  question_id: "apq_",
  recommendation_id: "rec_",
  registered_agent_id: "rag_",
  replaces: "act_",
  run_id: "er_",
  schedule_id: "csch_",
  scorer_id: "es_",
  session_id: "ses_",
  snippet_id: "snip_",
  snoozed_by_key: "key_",
  source_action_id: "act_",
  strategy_id: "mst_",
  task_id: "task_",
  template_id: "pt_ rt_ wf_",
  thread_id: "ct_ mt_",
  version_id: "pv_",
  webhook_id: "wh_",
} as const;

/** The operations as methods: what is in the path, the body, the query. */
export interface Calls {
  /** Ask whether an action may go ahead; the decision is recorded before it is answered. */
  guard(body: Body<"guard">, query?: Query<"guard">, options?: CallOptions): Promise<Answer<"guard">>;
  /** Past decisions, newest first. */
  getGuardDecisions(query?: Query<"get_guard_decisions">, options?: CallOptions): Promise<Answer<"get_guard_decisions">>;
  /** Say what the agent is doing; guard is applied, and a blocked attempt is kept as evidence. */
  createAction(body: Body<"create_action">, options?: CallOptions): Promise<Answer<"create_action">>;
  /** Actions, newest first, with counts over everything that fits the filters. */
  getActions(query?: Query<"get_actions">, options?: CallOptions): Promise<Answer<"get_actions">>;
  /** One action with its approval, assumptions and open loops. */
  getAction(actionId: string, options?: CallOptions): Promise<Answer<"get_action">>;
  /** Record what came of an action. */
  updateOutcome(actionId: string, body: Body<"update_outcome">, options?: CallOptions): Promise<Answer<"update_outcome">>;
  /** Allow or deny an action that waits; exactly one operator decides. */
  approveAction(actionId: string, body: Body<"approve_action">, options?: CallOptions): Promise<Answer<"approve_action">>;
  /** Take back the question of an action that waits: it is cancelled, and nobody can decide on it any more. */
  withdrawAction(actionId: string, body: Body<"withdraw_action">, options?: CallOptions): Promise<Answer<"withdraw_action">>;
  /** Approvals with their actions, newest first: those that wait, and those that were decided. */
  getApprovals(query?: Query<"get_approvals">, options?: CallOptions): Promise<Answer<"get_approvals">>;
  /** Ask the agent about an action that waits, or offer changed conditions; it decides nothing. */
  askQuestion(actionId: string, body: Body<"ask_question">, options?: CallOptions): Promise<Answer<"ask_question">>;
  /** Answer an operator's question in words; the action goes on to wait. */
  answerQuestion(questionId: string, body: Body<"answer_question">, options?: CallOptions): Promise<Answer<"answer_question">>;
  /** Questions that operators asked about actions, newest first, with the answers. */
  getQuestions(query?: Query<"get_questions">, options?: CallOptions): Promise<Answer<"get_questions">>;
  /** Use an approval, once, for exactly what was approved. */
  claimAction(actionId: string, body: Body<"claim_action">, options?: CallOptions): Promise<Answer<"claim_action">>;
  /** What a pattern would have covered of what people were asked, and what it leaves out by one bound. */
  previewGrant(body: Body<"preview_grant">, options?: CallOptions): Promise<Answer<"preview_grant">>;
  /** Standing grants that the history of approvals speaks for, with a bound of how often they could fail. */
  suggestGrants(query?: Query<"suggest_grants">, options?: CallOptions): Promise<Answer<"suggest_grants">>;
  /** Approve in advance what fits a pattern, so often and until then; the next creation follows it. */
  createGrant(body: Body<"create_grant">, options?: CallOptions): Promise<Answer<"create_grant">>;
  /** Standing grants, newest first. */
  listGrants(query?: Query<"list_grants">, options?: CallOptions): Promise<Answer<"list_grants">>;
  /** A standing grant and each of its uses. */
  getGrant(grantId: string, options?: CallOptions): Promise<Answer<"get_grant">>;
  /** End a standing grant at once; what it let through can be claimed no more. */
  revokeGrant(grantId: string, body: Body<"revoke_grant">, options?: CallOptions): Promise<Answer<"revoke_grant">>;
  /** The pattern of an action's request: a standing grant of it covers this very request and no other. */
  draftGrant(actionId: string, options?: CallOptions): Promise<Answer<"draft_grant">>;
  /** Erase for good what was said about an action that has ended; that it happened stays proven. */
  eraseAction(actionId: string, body: Body<"erase_action">, options?: CallOptions): Promise<Answer<"erase_action">>;
  /** Say once and for all how an action ended; the first report stands. */
  reportActionOutcome(actionId: string, body: Body<"report_action_outcome">, options?: CallOptions): Promise<Answer<"report_action_outcome">>;
  /** Whether an action has ended, and how: ask before doing it again. */
  getActionOutcome(actionId: string, options?: CallOptions): Promise<Answer<"get_action_outcome">>;
  /** Assumptions, loops, parents, related actions, corrections, and indicators of what went wrong. */
  getActionTrace(actionId: string, options?: CallOptions): Promise<Answer<"get_action_trace">>;
  /** What led to an action, what it stands on and what came of it, as nodes and edges. */
  getActionGraph(actionId: string, options?: CallOptions): Promise<Answer<"get_action_graph">>;
  /** Tell the other operators something about a request, while it waits or later; it decides nothing. */
  addComment(actionId: string, body: Body<"add_comment">, options?: CallOptions): Promise<Answer<"add_comment">>;
  /** What operators told each other about requests, newest first. */
  getComments(query?: Query<"get_comments">, options?: CallOptions): Promise<Answer<"get_comments">>;
  /** Put off what waits, for this key alone and until a time; nothing of the request changes. */
  snoozeAction(actionId: string, body: Body<"snooze_action">, options?: CallOptions): Promise<Answer<"snooze_action">>;
  /** What operators have put off, newest first. */
  getSnoozes(query?: Query<"get_snoozes">, options?: CallOptions): Promise<Answer<"get_snoozes">>;
  /** Say which operator takes care of what waits; it decides nothing, and everybody may decide as before. */
  assignAction(actionId: string, body: Body<"assign_action">, options?: CallOptions): Promise<Answer<"assign_action">>;
  /** Who takes care of which request, newest first. */
  getAssignments(query?: Query<"get_assignments">, options?: CallOptions): Promise<Answer<"get_assignments">>;
  /** Which requests were escalated to which group, newest first. */
  getEscalations(query?: Query<"get_escalations">, options?: CallOptions): Promise<Answer<"get_escalations">>;
  /** Let guard pass what audits bound, by a new plan; what was certified under another one is not any more. */
  setTriage(body: Body<"set_triage">, options?: CallOptions): Promise<Answer<"set_triage">>;
  /** The plan of triage and how each of its strata stands: thresholds, audits, bounds, alarms. */
  getTriage(options?: CallOptions): Promise<Answer<"get_triage">>;
  /** Ask people about everything again, at once. */
  stopTriage(options?: CallOptions): Promise<Answer<"stop_triage">>;
  /** Tell a session what the user said or what a tool answered; digests and labels are kept of it. */
  tellFlow(body: Body<"tell_flow">, options?: CallOptions): Promise<Answer<"tell_flow">>;
  /** Sessions of which something was told, newest first: how much, and which labels hold. */
  getFlows(query?: Query<"get_flows">, options?: CallOptions): Promise<Answer<"get_flows">>;
  /** Take labels off a session, with a reason; what is told later puts them on again. */
  removeFlowLabels(flowId: string, body: Body<"remove_flow_labels">, options?: CallOptions): Promise<Answer<"remove_flow_labels">>;
  /** What a session was told and what guard was asked in it, step by step, with where each value came from. */
  getFlowSteps(flowId: string, query?: Query<"get_flow_steps">, options?: CallOptions): Promise<Answer<"get_flow_steps">>;
  /** Record what the agent believes while it acts. */
  recordAssumption(body: Body<"record_assumption">, options?: CallOptions): Promise<Answer<"record_assumption">>;
  /** Assumptions, newest first, with how many held. */
  getAssumptions(query?: Query<"get_assumptions">, options?: CallOptions): Promise<Answer<"get_assumptions">>;
  /** One assumption. */
  getAssumption(assumptionId: string, options?: CallOptions): Promise<Answer<"get_assumption">>;
  /** Say whether an assumption held. */
  validateAssumption(assumptionId: string, body: Body<"validate_assumption">, options?: CallOptions): Promise<Answer<"validate_assumption">>;
  /** Register what an action leaves open. */
  registerOpenLoop(body: Body<"register_open_loop">, options?: CallOptions): Promise<Answer<"register_open_loop">>;
  /** Loops, newest first, open and closed, with counts over everything that fits the filters. */
  getOpenLoops(query?: Query<"get_open_loops">, options?: CallOptions): Promise<Answer<"get_open_loops">>;
  /** Close an open loop: resolved, with how, or cancelled. */
  resolveOpenLoop(loopId: string, body: Body<"resolve_open_loop">, options?: CallOptions): Promise<Answer<"resolve_open_loop">>;
  /** One loop, open or closed. */
  getOpenLoop(loopId: string, options?: CallOptions): Promise<Answer<"get_open_loop">>;
  /** What an operator should look at now, worst first. */
  getSignals(query?: Query<"get_signals">, options?: CallOptions): Promise<Answer<"get_signals">>;
  /** Say that the agent is there and how it is. */
  heartbeat(body: Body<"heartbeat">, options?: CallOptions): Promise<Answer<"heartbeat">>;
  /** Agents that have called, those heard of last first: who is there, and since when the others are silent. */
  getAgents(query?: Query<"get_agents">, options?: CallOptions): Promise<Answer<"get_agents">>;
  /** Say which providers the agent is connected to; good ones are kept even where others are wrong. */
  reportConnections(body: Body<"report_connections">, options?: CallOptions): Promise<Answer<"report_connections">>;
  /** Which agent is connected to which provider. */
  getConnections(query?: Query<"get_connections">, options?: CallOptions): Promise<Answer<"get_connections">>;
  /** Leave a handoff for the agent's next session. */
  createHandoff(body: Body<"create_handoff">, options?: CallOptions): Promise<Answer<"create_handoff">>;
  /** Handoffs, newest first; with latest=true the newest alone. */
  getHandoffs(query?: Query<"get_handoffs">, options?: CallOptions): Promise<Answer<"get_handoffs">>;
  /** Begin a thread, or open the agent's thread of this name again (then 200). */
  createThread(body: Body<"create_thread">, options?: CallOptions): Promise<Answer<"create_thread">>;
  /** Threads, newest first. */
  getThreads(query?: Query<"get_threads">, options?: CallOptions): Promise<Answer<"get_threads">>;
  /** One thread with its entries. */
  getThread(threadId: string, query?: Query<"get_thread">, options?: CallOptions): Promise<Answer<"get_thread">>;
  /** Close a thread, with a summary or without; or change either. */
  closeThread(threadId: string, body: Body<"close_thread">, options?: CallOptions): Promise<Answer<"close_thread">>;
  /** Write into a thread that is open. */
  addThreadEntry(threadId: string, body: Body<"add_thread_entry">, options?: CallOptions): Promise<Answer<"add_thread_entry">>;
  /** Keep something that the agent will want to have at hand. */
  captureKeyPoint(body: Body<"capture_key_point">, options?: CallOptions): Promise<Answer<"capture_key_point">>;
  /** Key points, newest first. */
  getKeyPoints(query?: Query<"get_key_points">, options?: CallOptions): Promise<Answer<"get_key_points">>;
  /** Send a message to one agent or to all, with up to three attachments. */
  sendMessage(body: Body<"send_message">, options?: CallOptions): Promise<Answer<"send_message">>;
  /** An agent's messages, newest first: its inbox, what it sent, or both. */
  getMessages(query?: Query<"get_messages">, options?: CallOptions): Promise<Answer<"get_messages">>;
  /** Say that an agent has read messages, or put them away. */
  markMessages(body: Body<"mark_messages">, options?: CallOptions): Promise<Answer<"mark_messages">>;
  /** One message. */
  getMessage(messageId: string, query?: Query<"get_message">, options?: CallOptions): Promise<Answer<"get_message">>;
  /** Open a thread that messages can be sent into. */
  createMessageThread(body: Body<"create_message_thread">, options?: CallOptions): Promise<Answer<"create_message_thread">>;
  /** Message threads, newest first, with how many messages they hold. */
  getMessageThreads(query?: Query<"get_message_threads">, options?: CallOptions): Promise<Answer<"get_message_threads">>;
  /** Close a message thread, and say what came of it. */
  resolveMessageThread(body: Body<"resolve_message_thread">, options?: CallOptions): Promise<Answer<"resolve_message_thread">>;
  /** A message's attachment: its bytes, with its type and name in the headers. */
  getAttachment(query?: Query<"get_attachment">, options?: CallOptions): Promise<DownloadedFile>;
  /** The organization's policies. */
  getPolicies(options?: CallOptions): Promise<Answer<"get_policies">>;
  /** Add a policy; the next guard call follows it. */
  createPolicy(body: Body<"create_policy">, options?: CallOptions): Promise<Answer<"create_policy">>;
  /** One policy with its rules and version. */
  getPolicy(policyId: string, options?: CallOptions): Promise<Answer<"get_policy">>;
  /** Change a policy; the next guard call follows it. */
  updatePolicy(policyId: string, body: Body<"update_policy">, query?: Query<"update_policy">, options?: CallOptions): Promise<Answer<"update_policy">>;
  /** Remove a policy; the next guard call does without it. */
  deletePolicy(policyId: string, query?: Query<"delete_policy">, options?: CallOptions): Promise<Answer<"delete_policy">>;
  /** Add or change the policies of a YAML pack, all or none. */
  importPolicies(body: Body<"import_policies">, options?: CallOptions): Promise<Answer<"import_policies">>;
  /** What the policies would say about a context, without recording anything. */
  testPolicies(body: Body<"test_policies">, options?: CallOptions): Promise<Answer<"test_policies">>;
  /** Add an action type to the known ones; the next guard call follows it. */
  acceptActionType(body: Body<"accept_action_type">, options?: CallOptions): Promise<Answer<"accept_action_type">>;
  /** What policies would have decided on the decisions of a window, with outcomes; nothing is recorded. */
  backtest(body: Body<"backtest">, options?: CallOptions): Promise<Answer<"backtest">>;
  /** Who changed which policy, risk template or scoring profile when, and what differs. */
  getRuleChanges(query?: Query<"get_rule_changes">, options?: CallOptions): Promise<Answer<"get_rule_changes">>;
  /** What moved with a change of rules: asking, blocking, waiting, denials, failures, with intervals. */
  beforeAfter(changeId: string, query?: Query<"before_after">, options?: CallOptions): Promise<Answer<"before_after">>;
  /** Which decisions observing policies would have made stricter, and why, newest first. */
  getObservedDecisions(query?: Query<"get_observed_decisions">, options?: CallOptions): Promise<Answer<"get_observed_decisions">>;
  /** What policies would have caused on the decisions of a window, as far as that can be known. */
  evaluatePolicy(body: Body<"evaluate_policy">, options?: CallOptions): Promise<Answer<"evaluate_policy">>;
  /** Define a scorer; its configuration is checked whole. */
  createScorer(body: Body<"create_scorer">, options?: CallOptions): Promise<Answer<"create_scorer">>;
  /** The organization's scorers. */
  getScorers(options?: CallOptions): Promise<Answer<"get_scorers">>;
  /** One scorer with its configuration. */
  getScorer(scorerId: string, options?: CallOptions): Promise<Answer<"get_scorer">>;
  /** Change a scorer; scores that it gave stay. */
  updateScorer(scorerId: string, body: Body<"update_scorer">, options?: CallOptions): Promise<Answer<"update_scorer">>;
  /** Remove a scorer; scores that it gave stay. */
  deleteScorer(scorerId: string, options?: CallOptions): Promise<Answer<"delete_scorer">>;
  /** Score an action that was judged elsewhere. */
  createScore(body: Body<"create_score">, options?: CallOptions): Promise<Answer<"create_score">>;
  /** Scores, newest first. */
  getScores(query?: Query<"get_scores">, options?: CallOptions): Promise<Answer<"get_scores">>;
  /** Let a scorer judge actions that have happened; the run goes on in the background. */
  createEvalRun(body: Body<"create_eval_run">, options?: CallOptions): Promise<Answer<"create_eval_run">>;
  /** Evaluation runs, newest first. */
  getEvalRuns(query?: Query<"get_eval_runs">, options?: CallOptions): Promise<Answer<"get_eval_runs">>;
  /** One evaluation run, with how far it is. */
  getEvalRun(runId: string, options?: CallOptions): Promise<Answer<"get_eval_run">>;
  /** What scores add up to, in all, by scorer and by day, with what the numbers leave open. */
  getEvalStats(query?: Query<"get_eval_stats">, options?: CallOptions): Promise<Answer<"get_eval_stats">>;
  /** Whether agents get better and how fast: the trend of their episode scores, with its interval. */
  getLearningVelocity(query?: Query<"get_learning_velocity">, options?: CallOptions): Promise<Answer<"get_learning_velocity">>;
  /** The same for published clients: nothing has to be computed before it can be read. */
  computeLearningVelocity(body: Body<"compute_learning_velocity">, options?: CallOptions): Promise<Answer<"compute_learning_velocity">>;
  /** How episodes of an action type change as an agent does more of them. */
  getLearningCurves(query?: Query<"get_learning_curves">, options?: CallOptions): Promise<Answer<"get_learning_curves">>;
  /** The same for published clients: nothing has to be computed before it can be read. */
  computeLearningCurves(body: Body<"compute_learning_curves">, options?: CallOptions): Promise<Answer<"compute_learning_curves">>;
  /** What all agents' episodes come to, and who gets better. */
  getLearningAnalyticsSummary(query?: Query<"get_learning_analytics_summary">, options?: CallOptions): Promise<Answer<"get_learning_analytics_summary">>;
  /** The levels of maturity and what they ask for. */
  getMaturityLevels(options?: CallOptions): Promise<Answer<"get_maturity_levels">>;
  /** What an agent's own episodes suggest for the next one, and what has drifted. */
  getLessons(query?: Query<"get_lessons">, options?: CallOptions): Promise<Answer<"get_lessons">>;
  /** Lessons as recommendations that can be switched off and followed up. */
  getRecommendations(query?: Query<"get_recommendations">, options?: CallOptions): Promise<Answer<"get_recommendations">>;
  /** The same for published clients: nothing has to be built before it can be read. */
  rebuildRecommendations(body: Body<"rebuild_recommendations">, options?: CallOptions): Promise<Answer<"rebuild_recommendations">>;
  /** One recommendation, switched off or not. */
  getRecommendation(recommendationId: string, query?: Query<"get_recommendation">, options?: CallOptions): Promise<Answer<"get_recommendation">>;
  /** Switch a recommendation on or off. */
  setRecommendationActive(recommendationId: string, body: Body<"set_recommendation_active">, options?: CallOptions): Promise<Answer<"set_recommendation_active">>;
  /** Say that recommendations were looked at, applied or overridden. */
  recordRecommendationEvents(body: Body<"record_recommendation_events">, options?: CallOptions): Promise<Answer<"record_recommendation_events">>;
  /** How often recommendations are followed, and how it went with them and without. */
  getRecommendationMetrics(query?: Query<"get_recommendation_metrics">, options?: CallOptions): Promise<Answer<"get_recommendation_metrics">>;
  /** Drift alerts, newest first: streams of values that changed. */
  listDriftAlerts(query?: Query<"list_drift_alerts">, options?: CallOptions): Promise<Answer<"list_drift_alerts">>;
  /** Compare the last days with those before, or say what they were like; nothing is stored. */
  detectDrift(body: Body<"detect_drift">, options?: CallOptions): Promise<Answer<"detect_drift">>;
  /** One drift alert. */
  getDriftAlert(alertId: string, options?: CallOptions): Promise<Answer<"get_drift_alert">>;
  /** Take note of a drift alert; guard and lessons no longer warn of it. */
  acknowledgeDriftAlert(alertId: string, options?: CallOptions): Promise<Answer<"acknowledge_drift_alert">>;
  /** Remove a drift alert from the list; the evidence keeps it. */
  deleteDriftAlert(alertId: string, options?: CallOptions): Promise<Answer<"delete_drift_alert">>;
  /** How many drift alerts there are, by severity, metric and agent. */
  getDriftStats(query?: Query<"get_drift_stats">, options?: CallOptions): Promise<Answer<"get_drift_stats">>;
  /** The metrics that are watched and compared. */
  getDriftMetrics(options?: CallOptions): Promise<Answer<"get_drift_metrics">>;
  /** What each metric of each agent was like day by day. */
  getDriftSnapshots(query?: Query<"get_drift_snapshots">, options?: CallOptions): Promise<Answer<"get_drift_snapshots">>;
  /** A recent window against a baseline, for every agent, action type and metric. */
  compareDrift(query?: Query<"compare_drift">, options?: CallOptions): Promise<Answer<"compare_drift">>;
  /** Define a scoring profile, with its dimensions or without. */
  createScoringProfile(body: Body<"create_scoring_profile">, options?: CallOptions): Promise<Answer<"create_scoring_profile">>;
  /** Scoring profiles with their dimensions, newest first. */
  listScoringProfiles(query?: Query<"list_scoring_profiles">, options?: CallOptions): Promise<Answer<"list_scoring_profiles">>;
  /** One scoring profile with its dimensions. */
  getScoringProfile(profileId: string, options?: CallOptions): Promise<Answer<"get_scoring_profile">>;
  /** Change a scoring profile; what is left out stays, scores that it gave too. */
  updateScoringProfile(profileId: string, body: Body<"update_scoring_profile">, options?: CallOptions): Promise<Answer<"update_scoring_profile">>;
  /** Remove a scoring profile; scores that it gave stay. */
  deleteScoringProfile(profileId: string, options?: CallOptions): Promise<Answer<"delete_scoring_profile">>;
  /** Add a dimension to a scoring profile. */
  addScoringDimension(profileId: string, body: Body<"add_scoring_dimension">, options?: CallOptions): Promise<Answer<"add_scoring_dimension">>;
  /** Change a dimension; what is left out stays. */
  updateScoringDimension(profileId: string, dimensionId: string, body: Body<"update_scoring_dimension">, options?: CallOptions): Promise<Answer<"update_scoring_dimension">>;
  /** Remove a dimension; scores that were given with it stay. */
  deleteScoringDimension(profileId: string, dimensionId: string, options?: CallOptions): Promise<Answer<"delete_scoring_dimension">>;
  /** Score one action by a profile, or many at once; every score is stored. */
  scoreWithProfile(body: Body<"score_with_profile">, options?: CallOptions): Promise<Answer<"score_with_profile">>;
  /** Stored profile scores, newest first, or what those of a profile add up to. */
  getProfileScores(query?: Query<"get_profile_scores">, options?: CallOptions): Promise<Answer<"get_profile_scores">>;
  /** Rate a kind of action; guard uses the template from the next decision on. */
  createRiskTemplate(body: Body<"create_risk_template">, options?: CallOptions): Promise<Answer<"create_risk_template">>;
  /** The organization's risk templates, in the order of creation. */
  listRiskTemplates(query?: Query<"list_risk_templates">, options?: CallOptions): Promise<Answer<"list_risk_templates">>;
  /** One risk template with its rules and version. */
  getRiskTemplate(templateId: string, options?: CallOptions): Promise<Answer<"get_risk_template">>;
  /** Change a risk template; its version goes up, and decisions made before can no longer be used. */
  updateRiskTemplate(templateId: string, body: Body<"update_risk_template">, options?: CallOptions): Promise<Answer<"update_risk_template">>;
  /** Remove a risk template; decisions that it took part in stay as they are. */
  deleteRiskTemplate(templateId: string, options?: CallOptions): Promise<Answer<"delete_risk_template">>;
  /** Scales for scoring profiles out of history, with what the percentiles leave open. Changes nothing. */
  autoCalibrate(body: Body<"auto_calibrate">, options?: CallOptions): Promise<Answer<"auto_calibrate">>;
  /** Whether stated confidence and risk came true: reliability diagram, Brier score, calibration error. */
  getCalibration(query?: Query<"get_calibration">, options?: CallOptions): Promise<Answer<"get_calibration">>;
  /** Block everything, at once, with a reason. */
  halt(body: Body<"halt">, options?: CallOptions): Promise<Answer<"halt">>;
  /** Let guard decide by policy again. */
  resume(options?: CallOptions): Promise<Answer<"resume">>;
  /** Whether everything is blocked, since when, by whom and why. */
  getHalt(options?: CallOptions): Promise<Answer<"get_halt">>;
  /** Make a key; its secret is in this answer and nowhere else. */
  createKey(body: Body<"create_key">, options?: CallOptions): Promise<Answer<"create_key">>;
  /** The organization's keys, revoked ones included. */
  getKeys(options?: CallOptions): Promise<Answer<"get_keys">>;
  /** One key without its secret, revoked or not. */
  getKey(keyId: string, options?: CallOptions): Promise<Answer<"get_key">>;
  /** Revoke a key; the next request with it is refused. */
  revokeKey(keyId: string, options?: CallOptions): Promise<Answer<"revoke_key">>;
  /** The key that asks: its name, its role, its agent. */
  getOwnKey(options?: CallOptions): Promise<Answer<"get_own_key">>;
  /** Who may decide: the valid keys of operators and admins, by name. */
  getOperators(options?: CallOptions): Promise<Answer<"get_operators">>;
  /** Say which operators are on shift when, all groups at once. */
  setRota(body: Body<"set_rota">, options?: CallOptions): Promise<Answer<"set_rota">>;
  /** Who is on shift now, and the rota that it follows from. */
  getRota(options?: CallOptions): Promise<Answer<"get_rota">>;
  /** Make an organization (an admin of the service's first organization only). */
  createOrg(body: Body<"create_org">, options?: CallOptions): Promise<Answer<"create_org">>;
  /** The caller's organization; for an admin of the first one, all of them. */
  getOrg(options?: CallOptions): Promise<Answer<"get_org">>;
  /** One organization: the caller's own, and for an admin of the first one any. */
  getOrgById(orgId: string, options?: CallOptions): Promise<Answer<"get_org_by_id">>;
  /** Rename the caller's organization, or say below which risk its policies may explore. */
  updateOrg(orgId: string, body: Body<"update_org">, options?: CallOptions): Promise<Answer<"update_org">>;
  /** The keys of the caller's organization, revoked ones included; never their secrets. */
  getOrgKeys(orgId: string, options?: CallOptions): Promise<Answer<"get_org_keys">>;
  /** Say what was good or bad, about an action or an agent. */
  submitFeedback(body: Body<"submit_feedback">, options?: CallOptions): Promise<Answer<"submit_feedback">>;
  /** Feedback, newest first. */
  listFeedback(query?: Query<"list_feedback">, options?: CallOptions): Promise<Answer<"list_feedback">>;
  /** How much feedback there is, how good it is, and about what. */
  getFeedbackStats(query?: Query<"get_feedback_stats">, options?: CallOptions): Promise<Answer<"get_feedback_stats">>;
  /** One piece of feedback. */
  getFeedback(feedbackId: string, options?: CallOptions): Promise<Answer<"get_feedback">>;
  /** Say that somebody has seen to it. */
  resolveFeedback(feedbackId: string, body: Body<"resolve_feedback">, options?: CallOptions): Promise<Answer<"resolve_feedback">>;
  /** Take feedback out of every list and count. */
  deleteFeedback(feedbackId: string, options?: CallOptions): Promise<Answer<"delete_feedback">>;
  /** Begin a prompt; its text comes with its versions. */
  createPromptTemplate(body: Body<"create_prompt_template">, options?: CallOptions): Promise<Answer<"create_prompt_template">>;
  /** The organization's prompts, newest first. */
  listPromptTemplates(query?: Query<"list_prompt_templates">, options?: CallOptions): Promise<Answer<"list_prompt_templates">>;
  /** One prompt, and which of its versions is active. */
  getPromptTemplate(templateId: string, options?: CallOptions): Promise<Answer<"get_prompt_template">>;
  /** Change a prompt's name, description or category. */
  updatePromptTemplate(templateId: string, body: Body<"update_prompt_template">, options?: CallOptions): Promise<Answer<"update_prompt_template">>;
  /** Remove a prompt with its versions; what was rendered from it stays in the list of runs. */
  deletePromptTemplate(templateId: string, options?: CallOptions): Promise<Answer<"delete_prompt_template">>;
  /** Add a version; it is rendered by default only once it is activated. */
  createPromptVersion(templateId: string, body: Body<"create_prompt_version">, options?: CallOptions): Promise<Answer<"create_prompt_version">>;
  /** The versions of a prompt, newest first. */
  listPromptVersions(templateId: string, query?: Query<"list_prompt_versions">, options?: CallOptions): Promise<Answer<"list_prompt_versions">>;
  /** One version of a prompt. */
  getPromptVersion(templateId: string, versionId: string, options?: CallOptions): Promise<Answer<"get_prompt_version">>;
  /** Make this the version that is rendered; the one before no longer is. */
  activatePromptVersion(templateId: string, versionId: string, options?: CallOptions): Promise<Answer<"activate_prompt_version">>;
  /** A prompt's text with its placeholders filled in, as text and once. */
  renderPrompt(body: Body<"render_prompt">, options?: CallOptions): Promise<Answer<"render_prompt">>;
  /** What was rendered and recorded, newest first. */
  listPromptRuns(query?: Query<"list_prompt_runs">, options?: CallOptions): Promise<Answer<"list_prompt_runs">>;
  /** How often prompts and their versions were rendered and recorded. */
  getPromptStats(query?: Query<"get_prompt_stats">, options?: CallOptions): Promise<Answer<"get_prompt_stats">>;
  /** The data dictionary: tables, columns, types, units, meanings. */
  getDataDictionary(options?: CallOptions): Promise<Answer<"get_data_dictionary">>;
  /** A window of a table, streamed as Arrow IPC (zstd), Parquet, NDJSON or CSV, with an ETag. */
  getTable(table: string, query?: Query<"get_table">, options?: CallOptions): Promise<DownloadedFile>;
  /** The days of a table, each with a version that changes with its rows, for copies kept elsewhere. */
  getTableDays(table: string, query?: Query<"get_table_days">, options?: CallOptions): Promise<Answer<"get_table_days">>;
  /** Checkpoint coverage, approval rate and evidence completion of a window, each with its n. */
  getPcaaHealth(query?: Query<"get_pcaa_health">, options?: CallOptions): Promise<Answer<"get_pcaa_health">>;
  /** Which agents and action types leave which checkpoints unanswered, with their numbers and intervals. */
  getPcaaGaps(query?: Query<"get_pcaa_gaps">, options?: CallOptions): Promise<Answer<"get_pcaa_gaps">>;
  /** Replay, proof and export of one action, with how it stands at each checkpoint and its receipts. */
  getPcaaAction(actionId: string, options?: CallOptions): Promise<Answer<"get_pcaa_action">>;
  /** Approval rate, time to decide (p50, p95), expired ones, by operator. */
  getApprovalInsight(query?: Query<"get_approval_insight">, options?: CallOptions): Promise<Answer<"get_approval_insight">>;
  /** How guard decided in a window, in all and by day. */
  getDecisionMix(query?: Query<"get_decision_mix">, options?: CallOptions): Promise<Answer<"get_decision_mix">>;
  /** How often signals came on in a window: by day, type and agent, and for a hundred actions. */
  getSignalHistory(query?: Query<"get_signal_history">, options?: CallOptions): Promise<Answer<"get_signal_history">>;
  /** What asking people takes and changes: minutes, denials, agreement of operators, tiring; where to stop. */
  getAskingWorth(query?: Query<"get_asking_worth">, options?: CallOptions): Promise<Answer<"get_asking_worth">>;
  /** A week beside the week before: actions, decisions, approvals, cost, risk, what is new, drift, signals. */
  getDigest(query?: Query<"get_digest">, options?: CallOptions): Promise<Answer<"get_digest">>;
  /** Push a full snapshot of an agent's state; each section is reported, and repeating it changes nothing. */
  syncState(body: Body<"sync_state">, options?: CallOptions): Promise<Answer<"sync_state">>;
  /** Everything that was recorded, newest first: which event, by whom, about what. */
  getActivityLogs(query?: Query<"get_activity_logs">, options?: CallOptions): Promise<Answer<"get_activity_logs">>;
  /** The frameworks that evidence can be mapped to. */
  listFrameworks(options?: CallOptions): Promise<Answer<"list_frameworks">>;
  /** For each control of a framework: what would show it, whether it is there, and the records that are it. */
  mapCompliance(query: Query<"map_compliance">, options?: CallOptions): Promise<Answer<"map_compliance">>;
  /** The controls whose evidence is partial or absent, and what would make it present. */
  analyzeGaps(query: Query<"analyze_gaps">, options?: CallOptions): Promise<Answer<"analyze_gaps">>;
  /** The map of a framework as one text to hand on. */
  getComplianceReport(query: Query<"get_compliance_report">, options?: CallOptions): Promise<Answer<"get_compliance_report">>;
  /** Live counts of decisions, approvals, actions and assumptions in a window. */
  getComplianceEvidence(query?: Query<"get_compliance_evidence">, options?: CallOptions): Promise<Answer<"get_compliance_evidence">>;
  /** Which policies are in force, how often each matched in a window and in which decision last, as one text. */
  getProofReport(query?: Query<"get_proof_report">, options?: CallOptions): Promise<Answer<"get_proof_report">>;
  /** Keep what the map of one or more frameworks is now, as one text. */
  createComplianceExport(body: Body<"create_compliance_export">, options?: CallOptions): Promise<Answer<"create_compliance_export">>;
  /** Exports of compliance, newest first, without their texts. */
  listComplianceExports(query?: Query<"list_compliance_exports">, options?: CallOptions): Promise<Answer<"list_compliance_exports">>;
  /** One export of compliance with its text. */
  getComplianceExport(exportId: string, options?: CallOptions): Promise<Answer<"get_compliance_export">>;
  /** Take an export of compliance out of lists and trends; that it was made stays recorded. */
  deleteComplianceExport(exportId: string, options?: CallOptions): Promise<Answer<"delete_compliance_export">>;
  /** One export of compliance as a bundle that is signed by the organization. */
  downloadComplianceExport(exportId: string, options?: CallOptions): Promise<Answer<"download_compliance_export">>;
  /** Have exports of compliance made by the clock, once an hour at most. */
  createComplianceSchedule(body: Body<"create_compliance_schedule">, options?: CallOptions): Promise<Answer<"create_compliance_schedule">>;
  /** The schedules that make exports of compliance. */
  listComplianceSchedules(options?: CallOptions): Promise<Answer<"list_compliance_schedules">>;
  /** One schedule of compliance exports. */
  getComplianceSchedule(scheduleId: string, options?: CallOptions): Promise<Answer<"get_compliance_schedule">>;
  /** Change a schedule of compliance exports, switch it off or on. */
  updateComplianceSchedule(scheduleId: string, body: Body<"update_compliance_schedule">, options?: CallOptions): Promise<Answer<"update_compliance_schedule">>;
  /** End a schedule of compliance exports; what it made stays. */
  deleteComplianceSchedule(scheduleId: string, options?: CallOptions): Promise<Answer<"delete_compliance_schedule">>;
  /** What exports of compliance counted over time, and what each count rests on. */
  getComplianceTrends(query?: Query<"get_compliance_trends">, options?: CallOptions): Promise<Answer<"get_compliance_trends">>;
  /** Ask that an agent's public key be trusted; an admin approves. */
  createPairing(body: Body<"create_pairing">, options?: CallOptions): Promise<Answer<"create_pairing">>;
  /** Pairings, newest first; those that wait unless another status is asked for. */
  getPairings(query?: Query<"get_pairings">, options?: CallOptions): Promise<Answer<"get_pairings">>;
  /** How a pairing stands; open, since its id is known to those alone who were told. */
  getPairing(pairingId: string, options?: CallOptions): Promise<Answer<"get_pairing">>;
  /** Trust the key of a pairing: it becomes the agent's identity. */
  approvePairing(pairingId: string, options?: CallOptions): Promise<Answer<"approve_pairing">>;
  /** Say which public key an agent signs with; replaces the one it had. */
  registerIdentity(body: Body<"register_identity">, options?: CallOptions): Promise<Answer<"register_identity">>;
  /** The agents whose signatures are known, revoked ones included. */
  getIdentities(options?: CallOptions): Promise<Answer<"get_identities">>;
  /** The key that an agent signs with, revoked or not. */
  getIdentity(agentId: string, options?: CallOptions): Promise<Answer<"get_identity">>;
  /** Stop trusting an agent's signatures, at once. */
  revokeIdentity(agentId: string, options?: CallOptions): Promise<Answer<"revoke_identity">>;
  /** The readiness summary of the workspace: state, checks, shares, runtime profiles. */
  getReadiness(options?: CallOptions): Promise<Answer<"get_readiness">>;
  /** Create one action and follow it through the log. */
  testConnection(body: Body<"test_connection">, options?: CallOptions): Promise<Answer<"test_connection">>;
  /** Whether a text holds instructions that an attacker put there. */
  scanPromptInjection(body: Body<"scan_prompt_injection">, options?: CallOptions): Promise<Answer<"scan_prompt_injection">>;
  /** Texts in which prompt injections were found, newest first. */
  getInjectionScans(query?: Query<"get_injection_scans">, options?: CallOptions): Promise<Answer<"get_injection_scans">>;
  /** Allow one text, letter by letter, that the scan for prompt injections takes for one. */
  allowText(body: Body<"allow_text">, options?: CallOptions): Promise<Answer<"allow_text">>;
  /** Texts that are allowed by digest, newest first. */
  getAllowedTexts(options?: CallOptions): Promise<Answer<"get_allowed_texts">>;
  /** Have a text scanned like any other again. */
  removeAllowedText(textDigest: string, options?: CallOptions): Promise<Answer<"remove_allowed_text">>;
  /** Which secrets a text holds, and the text without them. */
  scanContent(body: Body<"scan_content">, options?: CallOptions): Promise<Answer<"scan_content">>;
  /** Have an address told what is recorded from now on; the secret is shown this once. */
  createWebhook(body: Body<"create_webhook">, options?: CallOptions): Promise<Answer<"create_webhook">>;
  /** The organization's webhooks and how they fare, without their secrets. */
  getWebhooks(options?: CallOptions): Promise<Answer<"get_webhooks">>;
  /** One webhook and how it fares, without its secret. */
  getWebhook(webhookId: string, options?: CallOptions): Promise<Answer<"get_webhook">>;
  /** Change where a webhook leads or what it is told, switch it off, or on again. */
  updateWebhook(webhookId: string, body: Body<"update_webhook">, options?: CallOptions): Promise<Answer<"update_webhook">>;
  /** Remove a webhook; nothing more is sent to it. */
  deleteWebhook(webhookId: string, query?: Query<"delete_webhook">, options?: CallOptions): Promise<Answer<"delete_webhook">>;
  /** Give a webhook a new secret, shown this once; for a day, deliveries are signed with the old one too. */
  rotateWebhookSecret(webhookId: string, options?: CallOptions): Promise<Answer<"rotate_webhook_secret">>;
  /** Send one signed test delivery now, and answer with what came of it. */
  testWebhook(webhookId: string, options?: CallOptions): Promise<Answer<"test_webhook">>;
  /** What was sent to a webhook and what came of it, newest first. */
  getWebhookDeliveries(webhookId: string, query?: Query<"get_webhook_deliveries">, options?: CallOptions): Promise<Answer<"get_webhook_deliveries">>;
  /** Follow the link of a notice to its request; it leads there once, and within a day. */
  openNotice(body: Body<"open_notice">, options?: CallOptions): Promise<Answer<"open_notice">>;
  /** The proof of an action or of the organization, as a snapshot to read or a bundle to hand on. */
  getGovernanceProof(query?: Query<"get_governance_proof">, options?: CallOptions): Promise<Answer<"get_governance_proof">>;
  /** Check an action's proof, or a bundle that somebody holds, against the log, the policies and the tables. */
  verifyGovernanceProof(body: Body<"verify_governance_proof">, options?: CallOptions): Promise<Answer<"verify_governance_proof">>;
  /** A bundle as one file, to be verified offline. */
  exportProof(query?: Query<"export_proof">, options?: CallOptions): Promise<DownloadedFile>;
  /** The signed tree head of the organization's log. */
  getLogHead(query?: Query<"get_log_head">, options?: CallOptions): Promise<Answer<"get_log_head">>;
  /** That an event is in the log. */
  getInclusionProof(query: Query<"get_inclusion_proof">, options?: CallOptions): Promise<Answer<"get_inclusion_proof">>;
  /** That the log was only ever appended to between two heads. */
  getConsistencyProof(query: Query<"get_consistency_proof">, options?: CallOptions): Promise<Answer<"get_consistency_proof">>;
  /** The organization's signing keys: public parts, validity, retired and revoked ones included. */
  getSigningKeys(options?: CallOptions): Promise<Answer<"get_signing_keys">>;
  /** Sign with a new key from now on; what the one before signed stays valid. */
  rotateSigningKey(body: Body<"rotate_signing_key">, options?: CallOptions): Promise<Answer<"rotate_signing_key">>;
  /** Say that nothing counts any more that this key signed; the next use makes a new one. */
  revokeSigningKey(kid: string, body: Body<"revoke_signing_key">, options?: CallOptions): Promise<Answer<"revoke_signing_key">>;
  /** An organization's public signing keys as a JWK Set; empty until something was signed. */
  getJwks(query?: Query<"get_jwks">, options?: CallOptions): Promise<Answer<"get_jwks">>;
  /** Keep a goal. */
  createGoal(body: Body<"create_goal">, options?: CallOptions): Promise<Answer<"create_goal">>;
  /** Records of the kind goal, newest first. */
  getGoals(query?: Query<"get_goals">, options?: CallOptions): Promise<Answer<"get_goals">>;
  /** One goal. */
  getGoal(goalId: string, options?: CallOptions): Promise<Answer<"get_goal">>;
  /** Change a goal. */
  updateGoal(goalId: string, body: Body<"update_goal">, options?: CallOptions): Promise<Answer<"update_goal">>;
  /** Keep a calendar event. */
  createCalendarEvent(body: Body<"create_calendar_event">, options?: CallOptions): Promise<Answer<"create_calendar_event">>;
  /** Records of the kind calendar event, newest first. */
  getCalendarEvents(query?: Query<"get_calendar_events">, options?: CallOptions): Promise<Answer<"get_calendar_events">>;
  /** Keep a content. */
  recordContent(body: Body<"record_content">, options?: CallOptions): Promise<Answer<"record_content">>;
  /** Records of the kind content, newest first. */
  getContent(query?: Query<"get_content">, options?: CallOptions): Promise<Answer<"get_content">>;
  /** Keep an interaction. */
  recordInteraction(body: Body<"record_interaction">, options?: CallOptions): Promise<Answer<"record_interaction">>;
  /** Records of the kind interaction, newest first. */
  getInteractions(query?: Query<"get_interactions">, options?: CallOptions): Promise<Answer<"get_interactions">>;
  /** Keep an idea. */
  recordIdea(body: Body<"record_idea">, options?: CallOptions): Promise<Answer<"record_idea">>;
  /** Records of the kind idea, newest first. */
  getIdeas(query?: Query<"get_ideas">, options?: CallOptions): Promise<Answer<"get_ideas">>;
  /** Keep a memory health. */
  reportMemoryHealth(body: Body<"report_memory_health">, options?: CallOptions): Promise<Answer<"report_memory_health">>;
  /** Records of the kind memory health, newest first. */
  getMemoryHealth(query?: Query<"get_memory_health">, options?: CallOptions): Promise<Answer<"get_memory_health">>;
  /** Keep an agent decision. */
  recordDecision(body: Body<"record_decision">, options?: CallOptions): Promise<Answer<"record_decision">>;
  /** Records of the kind agent decision, newest first. */
  getAgentDecisions(query?: Query<"get_agent_decisions">, options?: CallOptions): Promise<Answer<"get_agent_decisions">>;
  /** Keep a shared doc. */
  saveSharedDoc(body: Body<"save_shared_doc">, options?: CallOptions): Promise<Answer<"save_shared_doc">>;
  /** Records of the kind shared doc, newest first. */
  getSharedDocs(query?: Query<"get_shared_docs">, options?: CallOptions): Promise<Answer<"get_shared_docs">>;
  /** One shared doc. */
  getSharedDoc(docId: string, options?: CallOptions): Promise<Answer<"get_shared_doc">>;
  /** Keep a snippet. */
  saveSnippet(body: Body<"save_snippet">, options?: CallOptions): Promise<Answer<"save_snippet">>;
  /** Records of the kind snippet, newest first. */
  getSnippets(query?: Query<"get_snippets">, options?: CallOptions): Promise<Answer<"get_snippets">>;
  /** One snippet. */
  getSnippet(snippetId: string, options?: CallOptions): Promise<Answer<"get_snippet">>;
  /** Take a snippet out of every list. */
  deleteSnippet(snippetId: string, query?: Query<"delete_snippet">, options?: CallOptions): Promise<Answer<"delete_snippet">>;
  /** Count a use of a snippet. */
  useSnippet(snippetId: string, body: Body<"use_snippet">, options?: CallOptions): Promise<Answer<"use_snippet">>;
  /** Keep an observation, a preference, a mood or an approach. */
  recordPreference(body: Body<"record_preference">, options?: CallOptions): Promise<Answer<"record_preference">>;
  /** What is known about the people that agents work for: in short, or one type of it. */
  getPreferences(query?: Query<"get_preferences">, options?: CallOptions): Promise<Answer<"get_preferences">>;
  /** Keep a token usage. */
  reportTokenUsage(body: Body<"report_token_usage">, options?: CallOptions): Promise<Answer<"report_token_usage">>;
  /** Records of the kind token usage, newest first. */
  getTokenUsage(query?: Query<"get_token_usage">, options?: CallOptions): Promise<Answer<"get_token_usage">>;
  /** Keep a session. */
  createSession(body: Body<"create_session">, options?: CallOptions): Promise<Answer<"create_session">>;
  /** Records of the kind session, newest first. */
  listSessions(query?: Query<"list_sessions">, options?: CallOptions): Promise<Answer<"list_sessions">>;
  /** One session. */
  getSession(sessionId: string, options?: CallOptions): Promise<Answer<"get_session">>;
  /** Change a session. */
  updateSession(sessionId: string, body: Body<"update_session">, options?: CallOptions): Promise<Answer<"update_session">>;
  /** What was recorded of a session and of the actions that name it, in order. */
  getSessionEvents(sessionId: string, options?: CallOptions): Promise<Answer<"get_session_events">>;
  /** Keep a workflow template. */
  createWorkflowTemplate(body: Body<"create_workflow_template">, options?: CallOptions): Promise<Answer<"create_workflow_template">>;
  /** Records of the kind workflow template, newest first. */
  listWorkflowTemplates(query?: Query<"list_workflow_templates">, options?: CallOptions): Promise<Answer<"list_workflow_templates">>;
  /** One workflow template. */
  getWorkflowTemplate(templateId: string, options?: CallOptions): Promise<Answer<"get_workflow_template">>;
  /** Change a workflow template. */
  updateWorkflowTemplate(templateId: string, body: Body<"update_workflow_template">, options?: CallOptions): Promise<Answer<"update_workflow_template">>;
  /** Copy a template as a new draft. */
  duplicateWorkflowTemplate(templateId: string, body: Body<"duplicate_workflow_template">, options?: CallOptions): Promise<Answer<"duplicate_workflow_template">>;
  /** Create the action of a workflow; guard decides on it, and nothing runs here. */
  launchWorkflowTemplate(templateId: string, body: Body<"launch_workflow_template">, options?: CallOptions): Promise<Answer<"launch_workflow_template">>;
  /** Keep a model strategy. */
  createModelStrategy(body: Body<"create_model_strategy">, options?: CallOptions): Promise<Answer<"create_model_strategy">>;
  /** Records of the kind model strategy, newest first. */
  listModelStrategies(query?: Query<"list_model_strategies">, options?: CallOptions): Promise<Answer<"list_model_strategies">>;
  /** One model strategy. */
  getModelStrategy(strategyId: string, options?: CallOptions): Promise<Answer<"get_model_strategy">>;
  /** Change a model strategy. */
  updateModelStrategy(strategyId: string, body: Body<"update_model_strategy">, options?: CallOptions): Promise<Answer<"update_model_strategy">>;
  /** Take a model strategy out of every list. */
  deleteModelStrategy(strategyId: string, query?: Query<"delete_model_strategy">, options?: CallOptions): Promise<Answer<"delete_model_strategy">>;
  /** Keep a knowledge collection. */
  createKnowledgeCollection(body: Body<"create_knowledge_collection">, options?: CallOptions): Promise<Answer<"create_knowledge_collection">>;
  /** Records of the kind knowledge collection, newest first. */
  listKnowledgeCollections(query?: Query<"list_knowledge_collections">, options?: CallOptions): Promise<Answer<"list_knowledge_collections">>;
  /** One knowledge collection. */
  getKnowledgeCollection(collectionId: string, options?: CallOptions): Promise<Answer<"get_knowledge_collection">>;
  /** Change a knowledge collection. */
  updateKnowledgeCollection(collectionId: string, body: Body<"update_knowledge_collection">, options?: CallOptions): Promise<Answer<"update_knowledge_collection">>;
  /** Keep a knowledge item. */
  addKnowledgeCollectionItem(collectionId: string, body: Body<"add_knowledge_collection_item">, options?: CallOptions): Promise<Answer<"add_knowledge_collection_item">>;
  /** Records of the kind knowledge item, newest first. */
  listKnowledgeCollectionItems(collectionId: string, query?: Query<"list_knowledge_collection_items">, options?: CallOptions): Promise<Answer<"list_knowledge_collection_items">>;
  /** Mark the pending items of a collection as taken in; nothing is fetched. */
  syncKnowledgeCollection(collectionId: string, body: Body<"sync_knowledge_collection">, options?: CallOptions): Promise<Answer<"sync_knowledge_collection">>;
  /** Items of a collection that have the words of a query, the most of them first. */
  searchKnowledgeCollection(collectionId: string, body: Body<"search_knowledge_collection">, options?: CallOptions): Promise<Answer<"search_knowledge_collection">>;
  /** Keep a capability. */
  createCapability(body: Body<"create_capability">, options?: CallOptions): Promise<Answer<"create_capability">>;
  /** Records of the kind capability, newest first. */
  listCapabilities(query?: Query<"list_capabilities">, options?: CallOptions): Promise<Answer<"list_capabilities">>;
  /** One capability. */
  getCapability(capabilityId: string, options?: CallOptions): Promise<Answer<"get_capability">>;
  /** Change a capability. */
  updateCapability(capabilityId: string, body: Body<"update_capability">, options?: CallOptions): Promise<Answer<"update_capability">>;
  /** Keep a registered agent. */
  registerAgent(body: Body<"register_agent">, options?: CallOptions): Promise<Answer<"register_agent">>;
  /** Records of the kind registered agent, newest first. */
  listRegisteredAgents(query?: Query<"list_registered_agents">, options?: CallOptions): Promise<Answer<"list_registered_agents">>;
  /** One registered agent. */
  getRegisteredAgent(registeredAgentId: string, options?: CallOptions): Promise<Answer<"get_registered_agent">>;
  /** Change a registered agent. */
  updateRegisteredAgent(registeredAgentId: string, body: Body<"update_registered_agent">, options?: CallOptions): Promise<Answer<"update_registered_agent">>;
  /** Keep an agent capability. */
  addAgentCapability(registeredAgentId: string, body: Body<"add_agent_capability">, options?: CallOptions): Promise<Answer<"add_agent_capability">>;
  /** Records of the kind agent capability, newest first. */
  listAgentCapabilities(registeredAgentId: string, query?: Query<"list_agent_capabilities">, options?: CallOptions): Promise<Answer<"list_agent_capabilities">>;
  /** Keep a provider. */
  createProvider(body: Body<"create_provider">, options?: CallOptions): Promise<Answer<"create_provider">>;
  /** Records of the kind provider, newest first. */
  listProviders(query?: Query<"list_providers">, options?: CallOptions): Promise<Answer<"list_providers">>;
  /** One provider. */
  getProvider(providerId: string, options?: CallOptions): Promise<Answer<"get_provider">>;
  /** Change a provider. */
  updateProvider(providerId: string, body: Body<"update_provider">, options?: CallOptions): Promise<Answer<"update_provider">>;
  /** Keep a provider endpoint. */
  createProviderEndpoint(providerId: string, body: Body<"create_provider_endpoint">, options?: CallOptions): Promise<Answer<"create_provider_endpoint">>;
  /** Records of the kind provider endpoint, newest first. */
  listProviderEndpoints(providerId: string, query?: Query<"list_provider_endpoints">, options?: CallOptions): Promise<Answer<"list_provider_endpoints">>;
  /** Ask whether something may be paid for, and keep what it is for. */
  recordPurchase(body: Body<"record_purchase">, options?: CallOptions): Promise<Answer<"record_purchase">>;
  /** Records of the kind purchase, newest first. */
  listPurchases(query?: Query<"list_purchases">, options?: CallOptions): Promise<Answer<"list_purchases">>;
  /** Keep an artifact. */
  createArtifact(body: Body<"create_artifact">, options?: CallOptions): Promise<Answer<"create_artifact">>;
  /** Records of the kind artifact, newest first. */
  getArtifacts(query?: Query<"get_artifacts">, options?: CallOptions): Promise<Answer<"get_artifacts">>;
  /** What was recorded on a day, counted. */
  getDailyDigest(query?: Query<"get_daily_digest">, options?: CallOptions): Promise<Answer<"get_daily_digest">>;
  /** Register an agent that takes tasks. */
  registerRoutingAgent(body: Body<"register_routing_agent">, options?: CallOptions): Promise<Answer<"register_routing_agent">>;
  /** Agents that take tasks, with what they have to do. */
  listRoutingAgents(query?: Query<"list_routing_agents">, options?: CallOptions): Promise<Answer<"list_routing_agents">>;
  /** One agent that takes tasks. */
  getRoutingAgent(agentId: string, options?: CallOptions): Promise<Answer<"get_routing_agent">>;
  /** Say whether an agent takes tasks. */
  updateRoutingAgentStatus(agentId: string, body: Body<"update_routing_agent_status">, options?: CallOptions): Promise<Answer<"update_routing_agent_status">>;
  /** Take an agent out of routing; its tasks go to others. */
  deleteRoutingAgent(agentId: string, options?: CallOptions): Promise<Answer<"delete_routing_agent">>;
  /** Hand a task to an available agent with the skills; it waits while there is none. */
  submitRoutingTask(body: Body<"submit_routing_task">, options?: CallOptions): Promise<Answer<"submit_routing_task">>;
  /** Tasks, newest first. */
  listRoutingTasks(query?: Query<"list_routing_tasks">, options?: CallOptions): Promise<Answer<"list_routing_tasks">>;
  /** Report what came of a task; a failure with retries left goes to another agent. */
  completeRoutingTask(taskId: string, body: Body<"complete_routing_task">, options?: CallOptions): Promise<Answer<"complete_routing_task">>;
  /** Agents and tasks, counted. */
  getRoutingStats(options?: CallOptions): Promise<Answer<"get_routing_stats">>;
  /** Whether tasks find an agent. */
  getRoutingHealth(options?: CallOptions): Promise<Answer<"get_routing_health">>;
  /** The process answers. */
  health(options?: CallOptions): Promise<Answer<"health">>;
  /** The log can be written and the tables follow it. */
  ready(options?: CallOptions): Promise<Answer<"ready">>;
}
