// Written by `make golden` from the API's document; change that instead.
// By openapi-typescript; SHA-256 of what it read: 1df8e5c0a9939dd91955745f1ef5a31393d388b0d1f76663dd8e359f8e48c6a3

export type webhooks = Record<string, never>;
export interface components {
	schemas: {
		/**
		 * AcceptActionType
		 * @description An action type that is known from now on.
		 */
		AcceptActionType: {
			action_type: string;
		};
		/**
		 * AcceptedActionType
		 * @description `action_type` as it is kept. `policies` are the active ones of kind known_types, which all have it now; `changed`
		 *     how many of them had not.
		 */
		AcceptedActionType: {
			action_type: string;
			changed: number;
			policies: components["schemas"]["Policy"][];
		};
		/**
		 * AccountProvenance
		 * @description Whose account it is done with: the agent's own, one that was lent to it, one that several use, or one of
		 *     somebody outside.
		 * @enum {string}
		 */
		AccountProvenance: "own" | "delegated" | "shared" | "third_party";
		/**
		 * Action
		 * @description One action. Times are UTC; `duration_ms` milliseconds; `cost_estimate` US dollars; scores 0 to 100.
		 *
		 *     `decision` is guard's verdict on it, `decision_id` names the recorded decision. `timestamp_start` is when it
		 *     happened; `created_at` when it was recorded. `revision` counts changes since creation. `verified` is true where
		 *     the agent's own key signed the creation; `verification` says what else it was. `parameters_digest` is the digest of
		 *     its parameters, None where none were given; `externality` what the agent said of its reach. `action_type` is the
		 *     type as it is compared; `action_type_as_sent` how the agent spelled it, None where that is the type.
		 *     `outcome_marks` tell its newest reports sent again under the same idempotency key; absent without such reports.
		 *     `replaces` is the waiting action whose place it took; absent where it took none's.
		 */
		Action: {
			/** @description the organization that the row belongs to */
			org_id: string;
			/** @description id of the action */
			action_id: string;
			/** @description who acts */
			agent_id: string | null;
			/** @description what people call the agent */
			agent_name: string | null;
			/** @description the swarm it belongs to */
			swarm_id: string | null;
			/** @description the action that caused it */
			parent_action_id: string | null;
			/** @description the session it belongs to */
			session_id: string | null;
			/** @description what kind of action */
			action_type: string;
			/** @description what the agent wanted */
			declared_goal: string | null;
			/** @description why the agent wanted it */
			reasoning: string | null;
			/** @description what allows the agent to do it */
			authorization_scope: string | null;
			/** @description what made the agent act */
			trigger: string | null;
			/** @description names of the systems it touches */
			systems_touched: string[];
			/** @description what went in */
			input_summary: string | null;
			/** @description running, pending, pending_approval, completed, failed, cancelled or blocked */
			status: components["schemas"]["ActionStatus"];
			/** @description whether it can be taken back */
			reversible: boolean;
			/** @description the service's risk, never below the agent's */
			risk_score: number;
			/** @description the agent's own estimate */
			agent_risk_score: number | null;
			/** @description the agent's confidence */
			confidence: number;
			/** @description what guard decided */
			decision: components["schemas"]["Decision"];
			/** @description id of guard's decision */
			decision_id: string;
			/** @description the decision with every observed policy enforced; empty when none matched */
			would_decide: components["schemas"]["Decision"] | null;
			/** @description the approval it waited for */
			approval_id: string | null;
			/** @description what came out */
			output_summary: string | null;
			/** @description what else it changed */
			side_effects: string[];
			/** @description what it made */
			artifacts_created: string[];
			/** @description why it failed, or why it was denied */
			error_message: string | null;
			/**
			 * Format: date-time
			 * @description when it happened
			 */
			timestamp_start: string;
			/** @description when it ended */
			timestamp_end: string | null;
			/** @description how long it took */
			duration_ms: number | null;
			/** @description what it cost */
			cost_estimate: number | null;
			/** @description tokens read by the model */
			tokens_in: number | null;
			/** @description tokens written by the model */
			tokens_out: number | null;
			/** @description the model behind the agent */
			model: string | null;
			/** @description whether the agent's own key signed the creation */
			verified: boolean;
			/** @description the operator who allowed it */
			approved_by: string | null;
			/** @description when it was allowed */
			approved_at: string | null;
			/** @description whatever the agent added */
			metadata: {
				[key: string]: unknown;
			};
			/** @description where the agent runs */
			runtime: components["schemas"]["Runtime"];
			/** @description live, import, or simulated: a simulator made it up */
			source: components["schemas"]["Source"];
			/** @description the key that makes its creation repeatable */
			idempotency_key: string | null;
			/** @description id of the key that recorded it */
			created_by: string;
			/**
			 * Format: date-time
			 * @description when it was recorded
			 */
			created_at: string;
			/**
			 * Format: date-time
			 * @description when it last changed
			 */
			updated_at: string;
			/** @description how often it changed */
			revision: number;
			/** @description unsigned, verified, unknown_key, replayed or revoked */
			verification: components["schemas"]["Verification"];
			/** @description SHA-256 of its parameters in their canonical form; empty without parameters */
			parameters_digest: string | null;
			/** @description how far it reaches: destination, account, data, and within how long it can be undone */
			externality: components["schemas"]["Externality"] | null;
			/** @description digests that tell its newest reports sent again under the same idempotency key */
			outcome_marks?: string[];
			/** @description its type as the agent spelled it; empty when that is the type */
			action_type_as_sent: string | null;
			/** @description the waiting action whose place it took; empty where it took none's */
			replaces?: string;
		};
		/**
		 * ActionApproval
		 * @description An approval and its action, both as they are now. `context_digest` is the digest of what guard looked at, without
		 *     who asked and when: requests with the same one are alike in parameters, metadata and whatever else was sent. None
		 *     once erased.
		 */
		ActionApproval: {
			action: components["schemas"]["Action"];
			approval: components["schemas"]["Approval"];
			context_digest: string | null;
		};
		/**
		 * ActionDetail
		 * @description `open_loops` are those that nobody has closed; the trace has them all.
		 */
		ActionDetail: {
			action: components["schemas"]["Action"];
			approval: components["schemas"]["Approval"] | null;
			assumptions: components["schemas"]["Assumption"][];
			open_loops: components["schemas"]["OpenLoop"][];
		};
		/**
		 * ActionFilters
		 * @description Which actions a run looks at: those that fit all of it and were recorded before the run, the newest first, up
		 *     to `limit`. `from` and `to` (or `date_from` and `date_to`) bound when they happened, inclusive; a day as `to` means
		 *     the whole of it.
		 */
		ActionFilters: {
			/** @description who acted */
			agent_id?: string | null;
			/** @description what kind of action */
			action_type?: string | null;
			status?: components["schemas"]["ActionStatus"] | null;
			/** @description the action's: live, import, or simulated: a simulator made it up */
			source?: components["schemas"]["Source"] | null;
			from?: string | null;
			to?: string | null;
			date_from?: string | null;
			date_to?: string | null;
			/** @default 50000 */
			limit: number;
		};
		/**
		 * ActionGraph
		 * @description Each node once; every edge is between nodes that are there.
		 */
		ActionGraph: {
			action_id: string;
			nodes: components["schemas"]["GraphNode"][];
			edges: components["schemas"]["GraphEdge"][];
		};
		/**
		 * ActionStats
		 * @description Over every action that fits the filters; `high_risk` counts risk 70 and more; `avg_risk` is 0 without rows.
		 */
		ActionStats: {
			total: number;
			completed: number;
			failed: number;
			running: number;
			high_risk: number;
			avg_risk: number;
			total_cost: number;
		};
		/**
		 * ActionStatus
		 * @description `blocked` is set by the service alone: evidence of an attempt that did not run.
		 * @enum {string}
		 */
		ActionStatus: "running" | "pending" | "pending_approval" | "completed" | "failed" | "cancelled" | "blocked";
		/**
		 * ActionTrace
		 * @description `decision` is guard's, and `context` what guard looked at, as it was sent; both are absent once erased. `flow` is
		 *     where its values came from, absent without a flow policy.
		 */
		ActionTrace: {
			action: components["schemas"]["Action"];
			approval: components["schemas"]["Approval"] | null;
			decision?: components["schemas"]["GuardResult"];
			context?: {
				[key: string]: unknown;
			};
			flow?: components["schemas"]["FlowTrace"];
			trace: components["schemas"]["Trace"];
		};
		/**
		 * Actions
		 * @description A page, newest first. `next_cursor` is None on the last page; `lastUpdated` is the service's time.
		 */
		Actions: {
			actions: components["schemas"]["Action"][];
			total: number;
			stats: components["schemas"]["ActionStats"];
			/** Format: date-time */
			lastUpdated: string;
			next_cursor: string | null;
		};
		/**
		 * Activity
		 * @description `id` is the event's number within the organization; `actor_name` the name of the key that caused it.
		 */
		Activity: {
			id: number;
			org_id: string;
			action: string;
			actor_id: string;
			actor_name: string | null;
			resource_type: string;
			resource_id: string;
			action_id: string | null;
			leaf_hash: string;
			/** Format: date-time */
			created_at: string;
		};
		/**
		 * ActivityLogs
		 * @description Newest first.
		 */
		ActivityLogs: {
			logs: components["schemas"]["Activity"][];
			stats: components["schemas"]["ActivityStats"];
			pagination: components["schemas"]["Pagination"];
		};
		/**
		 * ActivityStats
		 * @description Over everything that fits the filters; `today` since midnight UTC.
		 */
		ActivityStats: {
			total: number;
			today: number;
			unique_actors: number;
		};
		/** AddAgentCapability */
		AddAgentCapability: {
			capability_id: string;
			agent_id?: string | null;
		} & {
			[key: string]: unknown;
		};
		/**
		 * AddComment
		 * @description `text` is for whoever decides: at most 4,000 bytes.
		 */
		AddComment: {
			/** @description what the operator says */
			text: string;
		};
		/**
		 * AddKnowledgeItem
		 * @description `source_uri` says where it comes from and is never fetched; `content` is what `search` looks into.
		 */
		AddKnowledgeItem: {
			source_uri: string;
			title?: string | null;
			content?: string | null;
			mime_type?: string | null;
			tags?: string[] | null;
			agent_id?: string | null;
			metadata?: {
				[key: string]: unknown;
			} | null;
		} & {
			[key: string]: unknown;
		};
		/**
		 * AddScoringDimension
		 * @description `weight` is 1 when left out. Dimensions stand in the order of `sort_order`, then as they were added.
		 */
		AddScoringDimension: {
			/** @description what people call it */
			name: string;
			data_source: string;
			/** @description how much it counts among the dimensions of its profile */
			weight?: number | null;
			/** @description what it is for */
			description?: string | null;
			/** @description the field or the condition that the source needs */
			data_config?: {
				[key: string]: unknown;
			} | null;
			scale?: {
				[key: string]: unknown;
			}[] | null;
			/** @description its place among them */
			sort_order?: number | null;
		};
		/**
		 * AddThreadEntry
		 * @description `entry_type` is a word of the agent's own: note, milestone, ...; `agent_id` who writes, where it is not the
		 *     key's own agent.
		 */
		AddThreadEntry: {
			/** @description what it says */
			content: string;
			/** @description note, milestone, or another word of the agent's own */
			entry_type?: string | null;
			/** @description who wrote it */
			agent_id?: string | null;
		};
		/** AddedThreadEntry */
		AddedThreadEntry: {
			entry: components["schemas"]["ThreadEntry"];
			/** @description id of the entry */
			entry_id: string;
		};
		/**
		 * Agent
		 * @description `status` is what the service makes of it, `said` what the agent last said itself. `last_seen` counts every call,
		 *     `last_heartbeat` only those that said so and is None when there never was one. `actions` is how many it has
		 *     recorded, None unless asked for.
		 */
		Agent: {
			/** @description the organization that the row belongs to */
			org_id: string;
			/** @description the agent */
			agent_id: string;
			/** @description what it last called itself */
			agent_name: string | null;
			status: components["schemas"]["AgentPresence"];
			/** @description how it last said that it was, none when it never did */
			said: string | null;
			/** @description what it last said that it was working on */
			current_task_id: string | null;
			/** @description what else it last said of itself */
			metadata: {
				[key: string]: unknown;
			} | null;
			/**
			 * Format: date-time
			 * @description when it was first heard of
			 */
			first_seen: string;
			/**
			 * Format: date-time
			 * @description when it was last heard of, to within the setting presence_minutes
			 */
			last_seen: string;
			/** @description when it last sent a heartbeat, none when it never did */
			last_heartbeat: string | null;
			silent_seconds: number;
			/** @description id of the key that it last called with */
			key_id: string | null;
			actions: number | null;
		};
		/** AgentCapabilities */
		AgentCapabilities: {
			total: number;
			next_cursor: string | null;
			capabilities: components["schemas"]["AgentCapability"][];
		};
		/**
		 * AgentCapability
		 * @description That a registered agent has a capability.
		 */
		AgentCapability: {
			capability_id: string;
			agent_id: string | null;
			org_id: string;
			link_id: string;
			registered_agent_id: string;
			created_by: string;
			/** Format: date-time */
			created_at: string;
			/** Format: date-time */
			updated_at: string;
		};
		/** AgentCapabilityAnswer */
		AgentCapabilityAnswer: {
			link: components["schemas"]["AgentCapability"];
			link_id: string;
		};
		/**
		 * AgentConnection
		 * @description There is one for each agent and provider; `updated_at` is when it was last reported. `id` is `connection_id`
		 *     once more, as published clients know it.
		 */
		AgentConnection: {
			/** @description the organization that the row belongs to */
			org_id: string;
			id: string;
			/** @description id of the connection */
			connection_id: string;
			/** @description the agent */
			agent_id: string | null;
			/** @description the provider */
			provider: string;
			/** @description how the provider lets it in: api_key, subscription, oauth, pre_configured, environment */
			auth_type: components["schemas"]["AuthType"];
			/** @description the plan it is on */
			plan_name: string | null;
			/** @description active, inactive or error */
			status: components["schemas"]["ConnectionStatus"];
			/** @description what else the agent said about it */
			metadata: {
				[key: string]: unknown;
			} | null;
			/**
			 * Format: date-time
			 * @description when it was recorded
			 */
			created_at: string;
			/**
			 * Format: date-time
			 * @description when it was last reported
			 */
			updated_at: string;
		};
		/** AgentConnections */
		AgentConnections: {
			connections: components["schemas"]["AgentConnection"][];
			total: number;
			/** Format: date-time */
			lastUpdated: string;
			next_cursor: string | null;
		};
		/** AgentCounts */
		AgentCounts: {
			total: number;
			available: number;
			busy: number;
			offline: number;
		};
		/** AgentDecision */
		AgentDecision: {
			decision: string;
			context: string | {
				[key: string]: unknown;
			} | null;
			reasoning: string | null;
			outcome: string | null;
			confidence: number | null;
			tags: string[] | null;
			agent_id: string | null;
			metadata: {
				[key: string]: unknown;
			} | null;
			org_id: string;
			decision_id: string;
			created_by: string;
			/** Format: date-time */
			created_at: string;
			/** Format: date-time */
			updated_at: string;
		};
		/** AgentDecisionAnswer */
		AgentDecisionAnswer: {
			decision: components["schemas"]["AgentDecision"];
			decision_id: string;
		};
		/** AgentDecisions */
		AgentDecisions: {
			total: number;
			next_cursor: string | null;
			decisions: components["schemas"]["AgentDecision"][];
		};
		/**
		 * AgentPresence
		 * @description `online`: heard of within the time that the setting `agent_offline_minutes` gives, and not signed off since.
		 * @enum {string}
		 */
		AgentPresence: "online" | "offline";
		/**
		 * Agents
		 * @description `total` counts those that fit, `online` and `offline` all that the caller may see.
		 */
		Agents: {
			agents: components["schemas"]["Agent"][];
			total: number;
			online: number;
			offline: number;
			/** Format: date-time */
			lastUpdated: string;
		};
		/**
		 * Algorithm
		 * @description How an agent signs. RSA keys have 2048 to 8192 bits and sign with SHA-256 (RFC 8017, section 8.2).
		 * @enum {string}
		 */
		Algorithm: "RSASSA-PKCS1-v1_5" | "Ed25519";
		/**
		 * AllowText
		 * @description Either the text or its digest, as a scan answers with or a finding is recorded with. The text is not kept.
		 */
		AllowText: {
			/** @description why it is allowed */
			reason: string;
			text?: string | null;
			/** @description SHA-256 of the text, sha256: and hex */
			text_digest?: string | null;
		};
		/**
		 * AllowedText
		 * @description `allowed_by` and `removed_by` are names of keys; it counts until `removed_at`.
		 */
		AllowedText: {
			/** @description the organization that the row belongs to */
			org_id: string;
			/** @description id of this entry */
			allowed_id: string;
			/** @description SHA-256 of the text, sha256: and hex */
			text_digest: string;
			/** @description why it is allowed */
			reason: string;
			/** @description name of the key that allowed it */
			allowed_by: string;
			/**
			 * Format: date-time
			 * @description when it was recorded
			 */
			created_at: string;
			/** @description name of the key that removed it, none while it counts */
			removed_by: string | null;
			/** @description when it was removed */
			removed_at: string | null;
		};
		/**
		 * AllowedTextAnswer
		 * @description `allowed_text` as it stands now; None when there was nothing to remove.
		 */
		AllowedTextAnswer: {
			allowed_text: components["schemas"]["AllowedText"] | null;
			/** @description SHA-256 of the text, sha256: and hex */
			text_digest: string;
			/** @description whether an operator allows this text */
			allowed: boolean;
		};
		/**
		 * AllowedTexts
		 * @description Those that count, newest first.
		 */
		AllowedTexts: {
			allowed_texts: components["schemas"]["AllowedText"][];
			total: number;
		};
		/**
		 * AlwaysAsk
		 * @description Whether a policy that asks for approval asks although a standing grant (`control.grants`) covers the request.
		 * @enum {string}
		 */
		AlwaysAsk: "never" | "destructive" | "always";
		/**
		 * AnswerQuestion
		 * @description `answer` are the agent's words, at most 4,000 bytes. A changed request is no answer in words: it is a new action
		 *     that names this one (`replaces`).
		 */
		AnswerQuestion: {
			/** @description what the agent says; empty while it says nothing */
			answer: string;
		};
		/**
		 * Approach
		 * @description `success` is how it went the last time that somebody said.
		 */
		Approach: {
			approach: string;
			context: string | null;
			success: boolean | null;
			agent_id: string | null;
			metadata: {
				[key: string]: unknown;
			} | null;
			org_id: string;
			approach_id: string;
			success_count: number;
			fail_count: number;
			created_by: string;
			/** Format: date-time */
			created_at: string;
			/** Format: date-time */
			updated_at: string;
		};
		/**
		 * Approval
		 * @description One approval, from asking to the decision, and to its use. `decided_by` is the operator's key by name; of a
		 *     withdrawn one it is the key that withdrew it, `decided_at` when, and `reasoning` why.
		 *
		 *     `self_decided` is true where the key that decided is the key that had opened the action, None where nobody decided
		 *     and for decisions that are older than the member.
		 *
		 *     What is approved is fixed when it is asked for: `act_digest` is the digest of the action's type, goal, systems and
		 *     parameters (`assent.proof.act`), None for approvals that are older than it. `valid_until` is when it can be claimed
		 *     no more, None without limit. `claimed_by` is the key that used it, by id; `refused_claims` counts the claims for
		 *     something else than what was approved. `grant_id` is the standing grant (`contract.control.grants`) that approved it
		 *     in advance: nobody was asked, `decided_by` gave the grant, `reasoning` is the grant's.
		 */
		Approval: {
			/** @description the organization that the row belongs to */
			org_id: string;
			/** @description id of the approval */
			approval_id: string;
			/** @description the action that waits */
			action_id: string;
			/** @description who wants to act */
			agent_id: string | null;
			/** @description what kind of action */
			action_type: string;
			/** @description what the agent wants */
			declared_goal: string | null;
			/** @description the service's risk */
			risk_score: number;
			/** @description why it was stopped */
			reasons: string[];
			/** @description ids of the policies that stopped it */
			matched_policies: string[];
			/** @description awaiting, approved, denied, expired or withdrawn */
			state: components["schemas"]["ApprovalState"];
			/**
			 * Format: date-time
			 * @description when it was asked
			 */
			requested_at: string;
			/**
			 * Format: date-time
			 * @description when it expires unless somebody decides
			 */
			expires_at: string;
			/** @description when it was decided, expired or was withdrawn */
			decided_at: string | null;
			/** @description the operator by name; of a withdrawn one who withdrew it */
			decided_by: string | null;
			/** @description id of that key */
			decided_by_key: string | null;
			/** @description why it was decided so, or withdrawn */
			reasoning: string | null;
			/** @description the key that makes the decision repeatable */
			idempotency_key: string | null;
			/**
			 * Format: date-time
			 * @description when it was recorded
			 */
			created_at: string;
			/** @description the systems that were approved, in the order in which the action named them */
			systems_touched: string[];
			/** @description SHA-256 of the parameters that were approved, in their canonical form */
			parameters_digest: string | null;
			/** @description SHA-256 of exactly what was approved: type, goal, systems and parameters */
			act_digest: string | null;
			/** @description what the operator asks the agent to keep to */
			conditions: string[];
			/** @description when the approval can be claimed no more; empty without limit */
			valid_until: string | null;
			/** @description when the agent used the approval; empty while it did not */
			claimed_at: string | null;
			/** @description id of the key that used it */
			claimed_by: string | null;
			/** @description the key that makes the claim repeatable */
			claim_idempotency_key: string | null;
			/** @description how often something else than what was approved was claimed */
			refused_claims: number;
			/** @description whether the key that decided had opened the action; empty where it is not known */
			self_decided: boolean | null;
			/** @description the standing grant that approved it in advance; empty where a person was asked */
			grant_id: string | null;
		};
		/**
		 * ApprovalComment
		 * @description One comment of an operator on a request; it never changes.
		 */
		ApprovalComment: {
			/** @description the organization that the row belongs to */
			org_id: string;
			/** @description id of the comment */
			comment_id: string;
			/** @description the action that a person is asked about */
			action_id: string;
			/** @description its approval */
			approval_id: string;
			/** @description who wants to act */
			agent_id: string | null;
			/** @description what kind of action */
			action_type: string;
			/** @description what the operator says */
			text: string;
			/** @description the operator by name */
			written_by: string;
			/** @description id of that key */
			written_by_key: string;
			/**
			 * Format: date-time
			 * @description when it was recorded
			 */
			created_at: string;
		};
		/**
		 * ApprovalInsight
		 * @description Approvals asked from `since` to `until`. `decided` = `approved` + `denied`; `asked` also counts those that
		 *     expired, were withdrawn or still wait. `approval_rate` is approved / decided, 0 to 100; it and the times are None
		 *     when nobody has decided. Times are in seconds from asking to deciding, over the decided ones.
		 */
		ApprovalInsight: {
			window: string;
			/** Format: date-time */
			since: string;
			/** Format: date-time */
			until: string;
			asked: number;
			awaiting: number;
			approved: number;
			denied: number;
			expired: number;
			decided: number;
			approval_rate: number | null;
			p50_seconds: number | null;
			p95_seconds: number | null;
			by_operator: components["schemas"]["OperatorInsight"][];
			simulated: number;
			withdrawn: number;
		};
		/**
		 * ApprovalLoad
		 * @description Decisions that ask a person. `per_day` is the mean over `days` days of 24 hours before the window's end, with
		 *     Student's interval of 95% over those days; null with fewer than two days.
		 */
		ApprovalLoad: {
			total: number;
			days: number;
			per_day: number;
			low: number | null;
			high: number | null;
			status: components["schemas"]["BacktestStatus"];
		};
		/**
		 * ApprovalQuestion
		 * @description One question to the agent about an action that waits, and what came of it.
		 *
		 *     An answered one has the agent's words in `answer`, or in `replaced_by` the changed action that took the place of
		 *     this one. `answered_by` names the key behind either.
		 */
		ApprovalQuestion: {
			/** @description the organization that the row belongs to */
			org_id: string;
			/** @description id of the question */
			question_id: string;
			/** @description the action that waits */
			action_id: string;
			/** @description the approval that it waits for */
			approval_id: string;
			/** @description who is asked */
			agent_id: string | null;
			/** @description what kind of action */
			action_type: string;
			/** @description what the operator asks */
			text: string;
			/** @description changed conditions that the operator offers */
			conditions: string[];
			/** @description open, answered or ended */
			state: components["schemas"]["QuestionState"];
			/** @description the operator by name */
			asked_by: string;
			/** @description id of that key */
			asked_by_key: string;
			/** @description what the agent says; empty while it says nothing */
			answer: string | null;
			/** @description the changed action that the agent asks for instead */
			replaced_by: string | null;
			/** @description name of the key that answered */
			answered_by: string | null;
			/** @description id of that key */
			answered_by_key: string | null;
			/** @description when it was answered or ended; empty while it is open */
			closed_at: string | null;
			/**
			 * Format: date-time
			 * @description when it was recorded
			 */
			created_at: string;
		};
		/**
		 * ApprovalState
		 * @description `withdrawn`: whoever asked waits no more, and nobody can decide.
		 * @enum {string}
		 */
		ApprovalState: "awaiting" | "approved" | "denied" | "expired" | "withdrawn";
		/**
		 * Approvals
		 * @description A page, newest first by when it was asked for. `total` counts all that fit; `next_cursor` is None on the last
		 *     page; `lastUpdated` is the service's time.
		 */
		Approvals: {
			approvals: components["schemas"]["ActionApproval"][];
			total: number;
			/** Format: date-time */
			lastUpdated: string;
			next_cursor: string | null;
		};
		/**
		 * ApproveAction
		 * @description `reasoning` is recorded, and shown to the agent when the verdict is deny.
		 *
		 *     `conditions` go with an approval in words, for the agent to keep to; `valid_minutes` is how long the approval may be
		 *     claimed, without limit when absent. Neither goes with a denial.
		 */
		ApproveAction: {
			decision: components["schemas"]["Verdict"];
			/** @description why it was decided so, or withdrawn */
			reasoning?: string | null;
			/** @description what the operator asks the agent to keep to */
			conditions?: string[] | null;
			valid_minutes?: number | null;
		};
		/** ApprovedAction */
		ApprovedAction: {
			success: boolean;
			action: components["schemas"]["Action"];
			approval: components["schemas"]["Approval"];
		};
		/** ApprovedPairing */
		ApprovedPairing: {
			identity: components["schemas"]["Identity"];
			pairing: components["schemas"]["Pairing"];
		};
		/** Artifact */
		Artifact: {
			name: string;
			artifact_type: string | null;
			description: string | null;
			content_json: {
				[key: string]: unknown;
			} | unknown[] | null;
			content_url: string | null;
			source_action_id: string | null;
			agent_id: string | null;
			metadata: {
				[key: string]: unknown;
			} | null;
			org_id: string;
			artifact_id: string;
			created_by: string;
			/** Format: date-time */
			created_at: string;
			/** Format: date-time */
			updated_at: string;
		};
		/** ArtifactAnswer */
		ArtifactAnswer: {
			artifact: components["schemas"]["Artifact"];
			artifact_id: string;
		};
		/** Artifacts */
		Artifacts: {
			total: number;
			next_cursor: string | null;
			artifacts: components["schemas"]["Artifact"][];
		};
		/**
		 * AskQuestion
		 * @description `text` is put to the agent as it stands; `conditions` are changed conditions under which the operator would
		 *     allow the action, such as "only 50 EUR". Together they hold at most 4,000 bytes.
		 */
		AskQuestion: {
			/** @description what the operator asks */
			text: string;
			/** @description changed conditions that the operator offers */
			conditions?: string[] | null;
		};
		/**
		 * AskedGroup
		 * @description Requests of one group that a person was asked about. Minutes: `waited_minutes` of agents for the `decided` ones,
		 *     `attention_minutes` of operators, which are seen for `attention_seen` of them and counted as the median for the
		 *     others; `attention_low` and `attention_high` are its ends, None where fewer than ten are seen. `denied_share` is of
		 *     the decided, `failed_share` of the `ended` ones among those allowed; their ends hold for all groups together with
		 *     95%, over `clusters`, and are None where these are too few. Of the `stopped` (denied or expired) between none and
		 *     all would have failed.
		 */
		AskedGroup: {
			name: string | null;
			asked: number;
			decided: number;
			denied: number;
			expired: number;
			withdrawn: number;
			awaiting: number;
			simulated: number;
			waited_minutes: number;
			attention_minutes: number | null;
			attention_seen: number;
			denied_share: number | null;
			denied_low: number | null;
			denied_high: number | null;
			ended: number;
			failed: number;
			failed_share: number | null;
			failed_low: number | null;
			failed_high: number | null;
			stopped: number;
			clusters: number;
			advice: components["schemas"]["AskingAdvice"];
			attention_low: number | null;
			attention_high: number | null;
		};
		/**
		 * AskingAdvice
		 * @description `stop`: hardly any are denied or fail. `ask`: more are denied, or fail, than is tolerated. `begin`: nobody is
		 *     asked, and more fails. `unclear`: the intervals leave it open. `too_few`: too little was decided to say.
		 * @enum {string}
		 */
		AskingAdvice: "stop" | "ask" | "begin" | "unclear" | "too_few";
		/**
		 * AskingStatus
		 * @description `no_variation`: all decisions are alike. `insufficient_data`: too few to say.
		 * @enum {string}
		 */
		AskingStatus: "ok" | "no_variation" | "insufficient_data";
		/**
		 * AskingWorth
		 * @description From `since` to `until`: the groups by type and by policy (its id; a request that several asked for counts in
		 *     each), those with most of operators' time first, at most 100 of each, as `unasked`; `not_shown` says how many more
		 *     there are. What was denied has no outcome, and what a minute or a failure costs is not known here.
		 */
		AskingWorth: {
			window: string;
			/** Format: date-time */
			since: string;
			/** Format: date-time */
			until: string;
			tolerated: number;
			asked: number;
			simulated: number;
			by_type: components["schemas"]["AskedGroup"][];
			by_policy: components["schemas"]["AskedGroup"][];
			unasked: components["schemas"]["UnaskedType"][];
			agreement: components["schemas"]["OperatorAgreement"];
			tiring: components["schemas"]["OperatorTiring"];
			not_shown: {
				[key: string]: number;
			};
			attention: components["schemas"]["OperatorTime"] | null;
		};
		/**
		 * AssignAction
		 * @description `key_id` is the key of whoever takes care of it, one's own or another operator's; None: nobody in particular.
		 */
		AssignAction: {
			key_id?: string | null;
		};
		/**
		 * Assignment
		 * @description Who takes care of a request: a row for each action, as it is now.
		 */
		Assignment: {
			/** @description the organization that the row belongs to */
			org_id: string;
			/** @description id of the row */
			assignment_id: string;
			/** @description the action that waits */
			action_id: string;
			/** @description the approval that it waits for */
			approval_id: string;
			/** @description who wants to act */
			agent_id: string | null;
			/** @description what kind of action */
			action_type: string;
			/** @description who takes care of it, by name; empty for nobody in particular */
			assigned_to: string | null;
			/** @description id of that key */
			assigned_to_key: string | null;
			/** @description the operator who said so last, by name */
			assigned_by: string;
			/** @description id of that key */
			assigned_by_key: string;
			/**
			 * Format: date-time
			 * @description when that was said
			 */
			updated_at: string;
			/**
			 * Format: date-time
			 * @description when it was recorded
			 */
			created_at: string;
		};
		/** AssignmentDetail */
		AssignmentDetail: {
			assignment: components["schemas"]["Assignment"];
		};
		/**
		 * Assignments
		 * @description A page, newest first. `next_cursor` is None on the last page; `lastUpdated` is the service's time.
		 */
		Assignments: {
			assignments: components["schemas"]["Assignment"][];
			total: number;
			/** Format: date-time */
			lastUpdated: string;
			next_cursor: string | null;
		};
		/**
		 * Assumption
		 * @description `validated` and `invalidated` are both false until somebody has looked.
		 */
		Assumption: {
			/** @description the organization that the row belongs to */
			org_id: string;
			/** @description id of the assumption */
			assumption_id: string;
			/** @description the action that rests on it */
			action_id: string;
			/** @description who believed it */
			agent_id: string | null;
			/** @description what kind of action */
			action_type: string;
			/** @description the belief */
			assumption: string;
			/** @description what the belief rested on */
			basis: string | null;
			/** @description whether somebody looked and it held */
			validated: boolean;
			/** @description whether somebody looked and it was wrong */
			invalidated: boolean;
			/** @description why it was wrong */
			invalidated_reason: string | null;
			/** @description when it was last judged; empty until somebody has looked */
			validated_at: string | null;
			/** @description live, import, or simulated: a simulator made it up */
			source: components["schemas"]["Source"];
			/**
			 * Format: date-time
			 * @description when it was believed; earlier than created_at for imported history
			 */
			occurred_at: string;
			/**
			 * Format: date-time
			 * @description when it was recorded
			 */
			created_at: string;
			/**
			 * Format: date-time
			 * @description when it last changed
			 */
			updated_at: string;
		};
		/** AssumptionDetail */
		AssumptionDetail: {
			assumption: components["schemas"]["Assumption"];
		};
		/** AssumptionTrace */
		AssumptionTrace: {
			total: number;
			validated: number;
			invalidated: number;
			unvalidated: number;
			items: components["schemas"]["Assumption"][];
		};
		/** Assumptions */
		Assumptions: {
			assumptions: components["schemas"]["Assumption"][];
			total: number;
			drift_summary: components["schemas"]["DriftSummary"];
			/** Format: date-time */
			lastUpdated: string;
			next_cursor: string | null;
		};
		/**
		 * Attachment
		 * @description What is known of a file without its bytes. `id` and `attachment_id` are the same.
		 */
		Attachment: {
			id: string;
			attachment_id: string;
			filename: string;
			mime_type: string;
			size_bytes: number;
			sha256: string;
		};
		/**
		 * AuthType
		 * @description How an agent is let in by a provider.
		 * @enum {string}
		 */
		AuthType: "api_key" | "subscription" | "oauth" | "pre_configured" | "environment";
		/**
		 * AutoCalibrate
		 * @description Actions of the last `lookback_days`, of one type and one agent where they are named. Without `metrics`, all.
		 */
		AutoCalibrate: {
			action_type?: string | null;
			agent_id?: string | null;
			/** @description Default: `30`. */
			lookback_days?: number | null;
			metrics?: components["schemas"]["CalibrationMetric"][] | null;
		};
		/**
		 * AutoCalibration
		 * @description `count` actions between `since` and `until`. `left_out` names metrics that fewer than 5 actions have, with how
		 *     many do; `message` says what is missing when there are too few actions, and is null otherwise.
		 */
		AutoCalibration: {
			status: components["schemas"]["CalibrationStatus"];
			message: string | null;
			count: number;
			simulated: number;
			action_type: string | null;
			agent_id: string | null;
			lookback_days: number;
			/** Format: date-time */
			since: string;
			/** Format: date-time */
			until: string;
			suggestions: components["schemas"]["ScaleSuggestion"][];
			left_out: {
				[key: string]: number;
			};
		};
		/**
		 * Backtest
		 * @description `n` decisions from `since` to `until` were decided again. Of these `simulated` and `imported` ones never waited
		 *     for an answer, and `halted` ones stay blocked, as by the kill switch. `causes` is there when the policies in force
		 *     were asked. `verdicts` come newest first, up to the limit; `verdicts_total` is how many there would be. With them
		 *     come the agents and types whose decisions changed, `changed_in`, the most changed first, 200 at most;
		 *     `changed_groups` says how many there are. `flows` is what each flow policy comes to on its own.
		 */
		Backtest: {
			status: components["schemas"]["BacktestStatus"];
			n: number;
			simulated: number;
			imported: number;
			halted: number;
			window: string;
			/** Format: date-time */
			since: string;
			/** Format: date-time */
			until: string;
			before: components["schemas"]["DecisionCounts"];
			after: components["schemas"]["DecisionCounts"];
			changed: number;
			transitions: components["schemas"]["Transitions"];
			outcomes: components["schemas"]["ReplayedOutcomes"];
			approvals_before: components["schemas"]["ApprovalLoad"];
			approvals_after: components["schemas"]["ApprovalLoad"];
			policies: components["schemas"]["ReplayedPolicy"][];
			not_replayed: components["schemas"]["NotReplayed"][];
			samples: components["schemas"]["ChangeSample"][];
			costs: components["schemas"]["CostCurve"] | null;
			causes: components["schemas"]["ChangeCauses"] | null;
			verdicts_total: number;
			changed_groups: number;
			flows: components["schemas"]["ReplayedFlow"][];
			verdicts?: components["schemas"]["ReplayedVerdict"][];
			changed_in?: components["schemas"]["ChangedGroup"][];
		};
		/**
		 * BacktestRequest
		 * @description `policies` instead of the organization's own, which are meant by null. `templates` likewise are risk templates to
		 *     rate every decision by anew; by null every risk stays as it was recorded, by an empty list none applies.
		 *
		 *     Rate limits see live actions only, as in guard; with `history_as_live` imported and simulated ones count as if they
		 *     had arrived when they happened. `limit` caps the verdicts in the answer. The same `seed` gives the same intervals.
		 */
		BacktestRequest: {
			policies?: components["schemas"]["PolicyDraft"][] | null;
			templates?: components["schemas"]["CreateRiskTemplate"][] | null;
			/** @description days back from now, as 1d to 3650d Default: `"30d"`. */
			window?: string | null;
			/** @description Default: `"summary"`. */
			include?: components["schemas"]["Include"] | null;
			/** @description Default: `1000`. */
			limit?: number | null;
			agent_id?: string | null;
			source?: components["schemas"]["Source"] | null;
			costs?: components["schemas"]["Costs"] | null;
			/** @description Default: `false`. */
			history_as_live?: boolean | null;
			/** @description Default: `0`. */
			seed?: number | null;
		};
		/**
		 * BacktestStatus
		 * @description `insufficient_data`: there was nothing to replay, or too little for an interval.
		 * @enum {string}
		 */
		BacktestStatus: "ok" | "insufficient_data";
		/**
		 * BatchResult
		 * @description A stored score, or `error`: why this action has none. The members of the other are not there.
		 */
		BatchResult: {
			/** @description the action that was scored, if it was named */
			action_id: string | null;
			error?: string;
			/** @description id of the score */
			id?: string;
			/** @description the organization that the row belongs to */
			org_id?: string;
			/** @description the profile that gave it */
			profile_id?: string;
			/** @description its name then */
			profile_name?: string;
			/** @description who acted */
			agent_id?: string | null;
			/** @description what kind of action */
			action_type?: string | null;
			/** @description the score */
			composite_score?: number;
			/** @description how the dimensions became one score */
			composite_method?: components["schemas"]["CompositeMethod"];
			dimensions?: components["schemas"]["DimensionScore"][];
			/** @description whatever was added */
			metadata?: {
				[key: string]: unknown;
			};
			/** @description the action's: live, import or simulated; empty when nobody recorded the action */
			source?: components["schemas"]["Source"] | null;
			/** @description the batch that it came with, if any */
			batch_id?: string;
			/**
			 * Format: date-time
			 * @description when it was given
			 */
			scored_at?: string;
		};
		/**
		 * BatchScored
		 * @description `results` in the order of the actions.
		 */
		BatchScored: {
			results: components["schemas"]["BatchResult"][];
			summary: components["schemas"]["BatchSummary"];
		};
		/**
		 * BatchSummary
		 * @description Of `total` actions `scored` have a score, and the numbers are of these. `stddev_score` is the sample's (n - 1),
		 *     the quantiles interpolate (type 7), `avg_low` and `avg_high` are Student's 95% interval of the mean, cut at 0 and
		 *     100. What too few scores cannot tell is null, and the interval then says nothing: 0 to 100.
		 */
		BatchSummary: {
			total: number;
			scored: number;
			avg_score: number | null;
			avg_low: number;
			avg_high: number;
			min_score: number | null;
			max_score: number | null;
			stddev_score: number | null;
			p10: number | null;
			p25: number | null;
			p50: number | null;
			p75: number | null;
			p90: number | null;
			simulated: number;
			status: components["schemas"]["NumbersStatus"];
		};
		/**
		 * BeforeAfter
		 * @description What moved with `change`, among decisions from `since` to `until`.
		 *
		 *     `n` decisions counted, of which `touched` are those that the change could reach, and `simulated` and `imported`
		 *     never waited for an answer. `reach` says in words what it reaches, `basis` what a cluster is. `others` are changes
		 *     of policies and templates in the same time, newest first: what moved may be theirs. Each measure has an interval of
		 *     its own; of five that nothing moved, one or more is without 0 in up to one of four answers.
		 */
		BeforeAfter: {
			change: components["schemas"]["RuleChange"];
			window: string;
			/** Format: date-time */
			since: string;
			/** Format: date-time */
			until: string;
			n: number;
			touched: number;
			simulated: number;
			imported: number;
			reach: string;
			basis: string;
			others: string[];
			measures: components["schemas"]["MeasuredEffect"][];
		};
		/**
		 * BundleEvent
		 * @description One recorded event, byte by byte. `header` is canonical JSON whose SHA-256 behind a zero byte is the leaf; `body`
		 *     is `{"salt":...,"data":...}`, whose digest the header holds, and None once it was erased. `inclusion` are the
		 *     hashes (hex) from the leaf up to the root of the bundle's checkpoint (RFC 9162, section 2.1.3).
		 */
		BundleEvent: {
			header: string;
			body: string | null;
			inclusion: string[];
		};
		/**
		 * BundleKey
		 * @description A public key that signed something in the bundle (RFC 8037). It tells that nothing was altered; *whose* it is
		 *     tells only a key set that the reader has from elsewhere.
		 */
		BundleKey: {
			kty: string;
			crv: string;
			x: string;
			kid: string;
		};
		/**
		 * BurstStep
		 * @description Decisions at a `position` of a burst (one operator's decisions, each at most ten minutes after the one before):
		 *     the share allowed with its ends over `bursts`, and the median seconds that a decision took.
		 */
		BurstStep: {
			position: string;
			n: number;
			bursts: number;
			allowed_share: number | null;
			allowed_low: number | null;
			allowed_high: number | null;
			seconds: number | null;
			seconds_low: number | null;
			seconds_high: number | null;
		};
		/** CalendarEvent */
		CalendarEvent: {
			summary: string;
			start_time: string;
			end_time: string | null;
			location: string | null;
			description: string | null;
			attendees: string[] | null;
			agent_id: string | null;
			metadata: {
				[key: string]: unknown;
			} | null;
			org_id: string;
			event_id: string;
			created_by: string;
			/** Format: date-time */
			created_at: string;
			/** Format: date-time */
			updated_at: string;
		};
		/** CalendarEventAnswer */
		CalendarEventAnswer: {
			event: components["schemas"]["CalendarEvent"];
			event_id: string;
		};
		/** CalendarEvents */
		CalendarEvents: {
			total: number;
			next_cursor: string | null;
			events: components["schemas"]["CalendarEvent"][];
		};
		/**
		 * CalibrationMetric
		 * @description What can be scaled; `tokens_total` is tokens read and written.
		 * @enum {string}
		 */
		CalibrationMetric: "duration_ms" | "cost_estimate" | "tokens_total" | "risk_score" | "confidence";
		/**
		 * CalibrationReport
		 * @description Of actions that began from `since` to `until`; bins that nothing falls into are left out.
		 */
		CalibrationReport: {
			window: string;
			/** Format: date-time */
			since: string;
			/** Format: date-time */
			until: string;
			agent_id: string | null;
			action_type: string | null;
			confidence: components["schemas"]["PredictionQuality"];
			risk_score: components["schemas"]["PredictionQuality"];
		};
		/**
		 * CalibrationStatus
		 * @description `insufficient_data`: fewer than 10 actions; numbers that need more are null or left out.
		 * @enum {string}
		 */
		CalibrationStatus: "ok" | "insufficient_data";
		/** Capabilities */
		Capabilities: {
			total: number;
			next_cursor: string | null;
			capabilities: components["schemas"]["Capability"][];
		};
		/** Capability */
		Capability: {
			name: string;
			description: string | null;
			category: string | null;
			risk_level: string | null;
			status: string;
			endpoint: string | null;
			input_schema: {
				[key: string]: unknown;
			} | null;
			output_schema: {
				[key: string]: unknown;
			} | null;
			tags: string[] | null;
			agent_id: string | null;
			metadata: {
				[key: string]: unknown;
			} | null;
			org_id: string;
			capability_id: string;
			created_by: string;
			/** Format: date-time */
			created_at: string;
			/** Format: date-time */
			updated_at: string;
		};
		/** CapabilityAnswer */
		CapabilityAnswer: {
			capability: components["schemas"]["Capability"];
			capability_id: string;
		};
		/**
		 * CaptureKeyPoint
		 * @description `category` is a word of the agent's own, `general` without one; `importance` is 5 without one. `session_date`
		 *     is a day such as 2026-11-20, in UTC today where it is left out.
		 */
		CaptureKeyPoint: {
			/** @description what it says */
			content: string;
			/** @description whose it is */
			agent_id?: string | null;
			/** @description a word of the agent's own, general without one */
			category?: string | null;
			/** @description from 1 to 10, as the agent sees it */
			importance?: number | null;
			/** @description the day of the session */
			session_date?: string | null;
		};
		/** CapturedKeyPoint */
		CapturedKeyPoint: {
			point: components["schemas"]["KeyPoint"];
			/** @description id of the key point */
			point_id: string;
		};
		/**
		 * Change
		 * @description `kind` is outcome, correction, approval, denial or expiry; `replaced` holds the values before the change.
		 */
		Change: {
			/** Format: date-time */
			at: string;
			kind: string;
			by: string;
			changed: {
				[key: string]: unknown;
			};
			replaced: {
				[key: string]: unknown;
			};
		};
		/**
		 * ChangeCauses
		 * @description Why decisions changed under the policies that are in force: `other_version` were made by other policies or
		 *     `other_templates` than today's, `webhook` by an answer that cannot be replayed. `unexplained` is the rest, which
		 *     should be 0: a rate limit sees fewer actions when some were erased.
		 */
		ChangeCauses: {
			other_version: number;
			other_templates: number;
			webhook: number;
			unexplained: number;
		};
		/**
		 * ChangeMeasure
		 * @description Of the decisions: the share that asked a person, the share that was blocked, minutes that each waited for a
		 *     person (0 where nobody was asked; unknown while it waits). Of the answers of people: the share that was no. Of the
		 *     actions that ran to an end: the share that failed.
		 * @enum {string}
		 */
		ChangeMeasure: "asked" | "blocked" | "waiting_minutes" | "denied" | "failed";
		/**
		 * ChangeSample
		 * @description `n` decisions changed from `before` to `after`; a few of them, drawn by the seed.
		 */
		ChangeSample: {
			before: components["schemas"]["Decision"];
			after: components["schemas"]["Decision"];
			n: number;
			decision_ids: string[];
		};
		/**
		 * ChangeThread
		 * @description What is left out stays as it is; one of them has to be there.
		 */
		ChangeThread: {
			/** @description active, or closed: it takes no more entries */
			status?: components["schemas"]["ThreadStatus"] | null;
			/** @description what came of it */
			summary?: string | null;
		};
		/**
		 * ChangeWhat
		 * @description What was done to it.
		 * @enum {string}
		 */
		ChangeWhat: "created" | "changed" | "removed";
		/**
		 * ChangedGroup
		 * @description Of `n` decisions on one agent's actions of one type, `stricter` and `milder` ones have become so.
		 */
		ChangedGroup: {
			agent_id: string | null;
			action_type: string | null;
			n: number;
			stricter: number;
			milder: number;
		};
		/**
		 * ChangedMember
		 * @description A member with its value before and after; null where there was none.
		 */
		ChangedMember: {
			member: string;
			before: unknown;
			after: unknown;
		};
		/** ChangedThread */
		ChangedThread: {
			thread: components["schemas"]["Thread"];
		};
		/**
		 * Check
		 * @description `status` is pass, warn or fail; `detail` says what to do. `code` is that of the problem which requests meet while
		 *     the check fails, where there is one.
		 */
		Check: {
			name: string;
			status: string;
			detail: string;
			code: string | null;
		};
		/**
		 * CheckConnection
		 * @description The test action; both members have a default that says what it is.
		 */
		CheckConnection: {
			/** @description what kind of action Default: `"connection_test"`. */
			action_type?: string | null;
			/** @description what the agent wanted Default: `"Check that an action can be governed from end to end"`. */
			declared_goal?: string | null;
		};
		/**
		 * CheckName
		 * @description In the order in which they are made. The last two need the service; all others are made offline too.
		 * @enum {string}
		 */
		CheckName: "schema" | "bundle_id" | "key" | "checkpoint" | "signature" | "digest" | "inclusion" | "certificate" | "checkpoint_coverage" | "policy_replay" | "approval_receipt" | "consistency" | "log" | "database_row";
		/**
		 * CheckStatus
		 * @description `warn`: it holds, and something is worth knowing. `not_checked`: what it takes was not there.
		 * @enum {string}
		 */
		CheckStatus: "pass" | "fail" | "warn" | "not_checked";
		/**
		 * CheckpointCounts
		 * @description How many actions of the window stand how at one checkpoint; the five counts add up to the actions.
		 */
		CheckpointCounts: {
			id: components["schemas"]["CheckpointId"];
			complete: number;
			pending: number;
			missing: number;
			not_required: number;
			denied: number;
		};
		/**
		 * CheckpointId
		 * @description In the order in which an action meets them.
		 * @enum {string}
		 */
		CheckpointId: "pre_action_admissibility" | "action_open" | "assumption_capture" | "approval" | "outcome_closure";
		/**
		 * CheckpointStatus
		 * @description `missing`: expected, and will not come by itself; `pending`: expected, and may still come.
		 * @enum {string}
		 */
		CheckpointStatus: "complete" | "pending" | "missing" | "not_required" | "denied";
		/**
		 * ClaimAction
		 * @description What is about to be done, whole: what is absent here must have been absent from what was approved.
		 *
		 *     `systems_touched` in the order in which the action named them. The parameters themselves, of which nothing is kept,
		 *     or `parameters_digest`, which is that of `assent.proof.act.parameters_digest`.
		 */
		ClaimAction: {
			/** @description what kind of action */
			action_type: string;
			/** @description what the agent wanted */
			declared_goal?: string | null;
			/** @description names of the systems it touches */
			systems_touched?: string[] | null;
			parameters?: {
				[key: string]: unknown;
			} | null;
			/** @description SHA-256 of its parameters in their canonical form; empty without parameters */
			parameters_digest?: string | null;
		};
		/**
		 * ClaimedAction
		 * @description The approval is used from now on. `act_digest` is the digest of what was approved and claimed, as
		 *     `assent.proof.act.act_digest` gives it; `approval.conditions` are the operator's, for the agent to keep to.
		 */
		ClaimedAction: {
			action: components["schemas"]["Action"];
			approval: components["schemas"]["Approval"];
			act_digest: string;
		};
		/**
		 * Code
		 * @description What went wrong: the code, its HTTP status, `when` it is answered and its `remedy`, what to do about it. A code,
		 *     once published, keeps its meaning. Each sentence stands by itself: the OpenAPI document,
		 *     docs/reference/errors.md and the exceptions of the SDK take it from here.
		 * @enum {string}
		 */
		Code: "invalid_http" | "invalid_json" | "invalid_body" | "invalid_query" | "invalid_path" | "unknown_member" | "invalid_policy" | "thread_closed" | "invalid_scorer" | "invalid_profile" | "invalid_risk_template" | "invalid_public_key" | "invalid_webhook" | "unauthorized" | "too_many_failed_keys" | "signature_required" | "signature_invalid" | "signature_replayed" | "forbidden" | "agent_mismatch" | "self_approval" | "action_blocked" | "route_not_found" | "action_not_found" | "assumption_not_found" | "policy_not_found" | "key_not_found" | "table_not_found" | "loop_not_found" | "notice_not_found" | "question_not_found" | "message_not_found" | "attachment_not_found" | "thread_not_found" | "feedback_not_found" | "template_not_found" | "prompt_version_not_found" | "scorer_not_found" | "profile_not_found" | "dimension_not_found" | "risk_template_not_found" | "flow_not_found" | "grant_not_found" | "change_not_found" | "evaluation_not_found" | "compliance_export_not_found" | "compliance_schedule_not_found" | "drift_alert_not_found" | "recommendation_not_found" | "pairing_not_found" | "identity_not_found" | "webhook_not_found" | "record_not_found" | "task_not_found" | "agent_not_found" | "organization_not_found" | "framework_not_found" | "signing_key_not_found" | "bundle_not_found" | "not_served" | "method_not_allowed" | "body_timeout" | "header_timeout" | "action_exists" | "assumption_exists" | "policy_exists" | "policy_changed" | "flow_changed" | "organization_exists" | "awaiting_approval" | "already_decided" | "approval_withdrawn" | "not_awaiting_approval" | "decision_unusable" | "last_admin_key" | "loop_exists" | "loop_closed" | "question_closed" | "too_many_questions" | "expires_soon" | "scorer_exists" | "pairing_decided" | "too_many_pairings" | "too_many_waiting" | "too_many_grants" | "too_many_schedules" | "grant_revoked" | "task_done" | "outcome_exists" | "halted" | "not_approved" | "receipt_used" | "receipt_mismatch" | "action_open" | "signing_key_ended" | "notice_used" | "approval_expired" | "notice_expired" | "pairing_expired" | "receipt_expired" | "action_erased" | "payload_too_large" | "bundle_too_large" | "idempotency_mismatch" | "analysis_too_large" | "nothing_to_score" | "header_too_large" | "internal_error" | "storage_unavailable" | "read_only" | "projection_behind" | "busy" | "too_many_connections" | "shutting_down" | "wallet_unavailable";
		/** CommentDetail */
		CommentDetail: {
			comment: components["schemas"]["ApprovalComment"];
		};
		/**
		 * Comments
		 * @description A page, newest first. `next_cursor` is None on the last page; `lastUpdated` is the service's time.
		 */
		Comments: {
			comments: components["schemas"]["ApprovalComment"][];
			total: number;
			/** Format: date-time */
			lastUpdated: string;
			next_cursor: string | null;
		};
		/**
		 * ComparedMetric
		 * @description One metric of one agent and action type, in two windows. `baseline` and `recent` are means, or rates from 0 to 1.
		 *
		 *     `effect` is named by `effect_name` and comes with its 95% interval: cliffs_delta (numbers), difference (rates),
		 *     cramers_v (the mix of action types). Tests, intervals and effects count rows of one session once as far as they are
		 *     alike: `clusters_baseline` and `clusters_recent` are how many clusters there are, `n_effective` is as how many
		 *     independent values both windows count, `basis` says what a cluster is. Below 10 clusters in a window, nothing is
		 *     told. Where the windows hold the days of the week in other shares, the same days are compared: `standardised`.
		 *     `p_adjusted` is p by Benjamini and Hochberg over everything that was compared;
		 *     `drifted` means significant and large enough to matter. `status` is insufficient_data where there are too few values
		 *     to tell, and then all that would have to be told from them is None. `simulated` counts those among the values that a
		 *     simulator made up.
		 */
		ComparedMetric: {
			/** @description whose values */
			agent_id: string | null;
			/** @description of what kind of action */
			action_type: string | null;
			/** @description which of their numbers, as score or duration_ms */
			metric: string;
			kind: string;
			status: string;
			n_baseline: number;
			n_recent: number;
			excluded: number;
			simulated: number;
			baseline: number | null;
			recent: number | null;
			sd_baseline: number | null;
			sd_recent: number | null;
			test: string | null;
			statistic: number | null;
			p_value: number | null;
			p_adjusted: number | null;
			effect_name: string | null;
			effect: number | null;
			effect_low: number | null;
			effect_high: number | null;
			ks: number | null;
			wasserstein: number | null;
			wasserstein_normed: number | null;
			psi: number | null;
			jensen_shannon: number | null;
			drifted: boolean;
			direction: string | null;
			clusters_baseline: number | null;
			clusters_recent: number | null;
			/** @description as how many independent values both windows count */
			n_effective: number | null;
			/** @description what a cluster is: session, thread, value, or the first of these that a row has */
			basis: string | null;
			/** @description whether baseline values count by how often their day of the week is in the recent window */
			standardised: boolean;
			/** @description left out: values of a part of the week that only one window has */
			unmatched: number;
		};
		/**
		 * CompleteRoutingTask
		 * @description `result` is any JSON value; `error` says why it did not work.
		 */
		CompleteRoutingTask: {
			/** @description Default: `true`. */
			success?: boolean | null;
			/** @description what came of it */
			result?: unknown;
			/** @description why it failed last */
			error?: string | null;
		};
		/**
		 * ComplianceBundle
		 * @description An export to hand on. `attestation` signs the canonical JSON (RFC 8785) of `payload` with a key of the
		 *     organization; `keys` has its public part. That nothing was altered follows from the two; whose key it is tells the
		 *     organization's key set (`/.well-known/jwks.json`).
		 */
		ComplianceBundle: {
			payload: components["schemas"]["ComplianceExportRow"];
			attestation: components["schemas"]["Envelope"];
			keys: components["schemas"]["BundleKey"][];
		};
		/** ComplianceEvidence */
		ComplianceEvidence: {
			window: string;
			window_days: number;
			/** Format: date-time */
			since: string;
			/** Format: date-time */
			until: string;
			evidence: components["schemas"]["EvidenceCounts"];
			/** Format: date-time */
			generated_at: string;
		};
		/**
		 * ComplianceExport
		 * @description One export, without its text. `since` and `until` bound the evidence that counts by time.
		 */
		ComplianceExport: {
			/** @description the organization that the row belongs to */
			org_id: string;
			/** @description id of the export */
			export_id: string;
			/** @description what people call it */
			name: string;
			/** @description the frameworks in it */
			frameworks: string[];
			/** @description json, or md for Markdown */
			format: components["schemas"]["ReportFormat"];
			/** @description how far back evidence counts */
			window_days: number;
			/** @description whether the report names records */
			include_evidence: boolean;
			/** @description whether the report says how to come by what is missing */
			include_remediation: boolean;
			/** @description whether the report has what earlier exports counted */
			include_trends: boolean;
			/**
			 * Format: date-time
			 * @description from when evidence counts
			 */
			since: string;
			/**
			 * Format: date-time
			 * @description until when evidence counts
			 */
			until: string;
			/** @description what was counted of each framework */
			counts: components["schemas"]["FrameworkCounts"][];
			/** @description SHA-256 of the report's UTF-8 bytes */
			report_digest: string;
			/** @description how long the report is */
			report_bytes: number;
			/** @description the schedule that made it, if one did */
			schedule_id: string | null;
			/** @description id of the key that asked for it; system for a schedule's */
			created_by: string;
			/**
			 * Format: date-time
			 * @description when it was recorded
			 */
			created_at: string;
			/** @description when it was taken out of lists and trends */
			deleted_at: string | null;
		};
		/** ComplianceExportDetail */
		ComplianceExportDetail: {
			export: components["schemas"]["ComplianceExportRow"];
			/** @description id of the export */
			export_id: string;
		};
		/**
		 * ComplianceExportRow
		 * @description An export as it is recorded.
		 */
		ComplianceExportRow: {
			/** @description the organization that the row belongs to */
			org_id: string;
			/** @description id of the export */
			export_id: string;
			/** @description what people call it */
			name: string;
			/** @description the frameworks in it */
			frameworks: string[];
			/** @description json, or md for Markdown */
			format: components["schemas"]["ReportFormat"];
			/** @description how far back evidence counts */
			window_days: number;
			/** @description whether the report names records */
			include_evidence: boolean;
			/** @description whether the report says how to come by what is missing */
			include_remediation: boolean;
			/** @description whether the report has what earlier exports counted */
			include_trends: boolean;
			/**
			 * Format: date-time
			 * @description from when evidence counts
			 */
			since: string;
			/**
			 * Format: date-time
			 * @description until when evidence counts
			 */
			until: string;
			/** @description what was counted of each framework */
			counts: components["schemas"]["FrameworkCounts"][];
			/** @description SHA-256 of the report's UTF-8 bytes */
			report_digest: string;
			/** @description how long the report is */
			report_bytes: number;
			/** @description the schedule that made it, if one did */
			schedule_id: string | null;
			/** @description id of the key that asked for it; system for a schedule's */
			created_by: string;
			/**
			 * Format: date-time
			 * @description when it was recorded
			 */
			created_at: string;
			/** @description when it was taken out of lists and trends */
			deleted_at: string | null;
			/** @description the whole text; empty once it was deleted */
			report: string;
		};
		/**
		 * ComplianceExports
		 * @description A page, newest first, without the texts.
		 */
		ComplianceExports: {
			exports: components["schemas"]["ComplianceExport"][];
			total: number;
			next_cursor: string | null;
		};
		/**
		 * ComplianceGaps
		 * @description The controls whose evidence is not all there, those without any first.
		 */
		ComplianceGaps: {
			framework: string;
			framework_version: string;
			/** Format: date-time */
			generated_at: string;
			total_gaps: number;
			gaps: components["schemas"]["Control"][];
			recommendations: string[];
		};
		/**
		 * ComplianceMap
		 * @description `project` is the organization's name. Simulated rows are no evidence and are left out; `caveat` says so, and what
		 *     the map cannot tell.
		 */
		ComplianceMap: {
			framework: string;
			title: string;
			framework_version: string;
			source: string;
			project: string;
			window: string;
			/** Format: date-time */
			since: string;
			/** Format: date-time */
			until: string;
			/** Format: date-time */
			generated_at: string;
			summary: components["schemas"]["ControlCounts"];
			controls: components["schemas"]["Control"][];
			caveat: string;
		};
		/** ComplianceReport */
		ComplianceReport: {
			framework: string;
			report: string;
			format: components["schemas"]["ReportFormat"];
			summary: components["schemas"]["ControlCounts"];
			/** Format: date-time */
			generated_at: string;
		};
		/**
		 * ComplianceSchedule
		 * @description What makes exports by the clock. `last_error` is why its newest turn made none.
		 */
		ComplianceSchedule: {
			/** @description the organization that the row belongs to */
			org_id: string;
			/** @description id of the schedule */
			schedule_id: string;
			/** @description what people call it */
			name: string;
			/** @description the frameworks in each export */
			frameworks: string[];
			/** @description json, or md for Markdown */
			format: components["schemas"]["ReportFormat"];
			/** @description how far back evidence counts */
			window_days: number;
			/** @description whether reports name records */
			include_evidence: boolean;
			/** @description whether reports say how to come by what is missing */
			include_remediation: boolean;
			/** @description whether reports have what earlier exports counted */
			include_trends: boolean;
			/** @description when, as five fields of crontab in UTC */
			cron_expression: string;
			/** @description whether it makes exports */
			enabled: boolean;
			/** @description its next turn; empty while it is not enabled */
			next_run_at: string | null;
			/** @description its newest turn */
			last_run_at: string | null;
			/** @description the newest export that it made */
			last_export_id: string | null;
			/** @description why its newest turn made no export */
			last_error: string | null;
			/** @description id of the key that made it */
			created_by: string;
			/**
			 * Format: date-time
			 * @description when it was recorded
			 */
			created_at: string;
			/**
			 * Format: date-time
			 * @description when it last changed
			 */
			updated_at: string;
			/** @description when it was taken out of lists */
			deleted_at: string | null;
		};
		/** ComplianceScheduleDetail */
		ComplianceScheduleDetail: {
			schedule: components["schemas"]["ComplianceSchedule"];
			schedule_id: string;
		};
		/**
		 * ComplianceSchedules
		 * @description All of them, the newest first.
		 */
		ComplianceSchedules: {
			schedules: components["schemas"]["ComplianceSchedule"][];
			total: number;
		};
		/**
		 * ComplianceTrend
		 * @description What one export counted of one framework, and what that rests on: the export that has the records, the days that
		 *     evidence counted, and how many records there were.
		 */
		ComplianceTrend: {
			total_controls: number;
			covered: number;
			partial: number;
			gaps: number;
			coverage_percentage: number;
			framework: string;
			framework_version: string;
			records: number;
			/** @description id of the export */
			export_id: string;
			/** @description the schedule that made it, if one did */
			schedule_id: string | null;
			/**
			 * Format: date-time
			 * @description when it was recorded
			 */
			created_at: string;
			/** @description how far back evidence counts */
			window_days: number;
			/**
			 * Format: date-time
			 * @description from when evidence counts
			 */
			since: string;
			/**
			 * Format: date-time
			 * @description until when evidence counts
			 */
			until: string;
		};
		/**
		 * ComplianceTrends
		 * @description `trends` in the order in which they were counted; `exports` is how many exports they come from. `caveat` says
		 *     which of them can be compared.
		 */
		ComplianceTrends: {
			framework: string | null;
			trends: components["schemas"]["ComplianceTrend"][];
			exports: number;
			caveat: string;
		};
		/**
		 * CompositeMethod
		 * @description How the scores of the dimensions become one.
		 * @enum {string}
		 */
		CompositeMethod: "weighted_average" | "minimum" | "geometric_mean";
		/**
		 * ComputeCurves
		 * @description The same question as a body.
		 */
		ComputeCurves: {
			agent_id?: string | null;
			action_type?: string | null;
			/** @description Default: `60`. */
			lookback_days?: number | null;
			/** @description Default: `"week"`. */
			by?: components["schemas"]["CurveStep"] | null;
		};
		/**
		 * ComputeVelocity
		 * @description The same question as a body.
		 */
		ComputeVelocity: {
			agent_id?: string | null;
			/** @description Default: `30`. */
			lookback_days?: number | null;
			/** @description Default: `"daily"`. */
			period?: components["schemas"]["LearningPeriod"] | null;
		};
		/** ComputedCurves */
		ComputedCurves: {
			curves_computed: number;
			results: components["schemas"]["LearningCurve"][];
		};
		/**
		 * ComputedVelocity
		 * @description `agents_computed` counts those with a trend.
		 */
		ComputedVelocity: {
			agents_computed: number;
			results: components["schemas"]["LearningVelocity"][];
		};
		/**
		 * ConnectionStatus
		 * @enum {string}
		 */
		ConnectionStatus: "active" | "inactive" | "error";
		/**
		 * ConnectionStep
		 * @description One thing that the connection test looked at. `status` is pass or fail; `milliseconds` since the test began.
		 */
		ConnectionStep: {
			name: string;
			status: string;
			detail: string;
			milliseconds: number;
		};
		/**
		 * ConnectionTest
		 * @description One action, followed from guard through the log to the tables and the stream, as it is at the end.
		 *
		 *     Steps in this order: guard, log, tables, stream, outcome. `passed` says that each of them did; the action is then
		 *     `completed`. Where a policy stops the action, the last step fails and says what to do.
		 */
		ConnectionTest: {
			passed: boolean;
			/** Format: date-time */
			at: string;
			action: components["schemas"]["Action"];
			steps: components["schemas"]["ConnectionStep"][];
		};
		/**
		 * ConsistencyProof
		 * @description That the tree of `first` is the beginning of the tree of `second`; `hashes` are hex, in the order of RFC 9162,
		 *     section 2.1.4.
		 */
		ConsistencyProof: {
			first: components["schemas"]["LogHead"];
			second: components["schemas"]["LogHead"];
			hashes: string[];
		};
		/**
		 * ConsistencyStep
		 * @description That the tree of an older or newer signed head and the bundle's own are one log, the shorter the beginning of the
		 *     longer (RFC 9162, section 2.1.4).
		 */
		ConsistencyStep: {
			checkpoint: string;
			hashes: string[];
		};
		/** Content */
		Content: {
			title: string;
			platform: string | null;
			status: string | null;
			url: string | null;
			body: string | null;
			agent_id: string | null;
			metadata: {
				[key: string]: unknown;
			} | null;
			org_id: string;
			content_id: string;
			created_by: string;
			/** Format: date-time */
			created_at: string;
			/** Format: date-time */
			updated_at: string;
		};
		/** ContentAnswer */
		ContentAnswer: {
			content: components["schemas"]["Content"];
			content_id: string;
		};
		/**
		 * ContentScan
		 * @description `redacted_text` is the text with `[REDACTED:<pattern>]` in place of each secret. `scan_id` is None when nothing
		 *     was recorded.
		 */
		ContentScan: {
			clean: boolean;
			findings_count: number;
			critical_count: number;
			categories: string[];
			findings: components["schemas"]["SecretFinding"][];
			redacted_text: string;
			destination: string | null;
			scan_id: string | null;
		};
		/** Contents */
		Contents: {
			total: number;
			next_cursor: string | null;
			content: components["schemas"]["Content"][];
		};
		/**
		 * Control
		 * @description `status` is `present` when every kind of its evidence was found, `absent` when none was. `matched_policies` are
		 *     the ids of active policies, where policies are among the evidence.
		 */
		Control: {
			control_id: string;
			title: string;
			category: string;
			description: string;
			agent_relevance: string;
			status: components["schemas"]["Presence"];
			evidence: components["schemas"]["EvidenceFound"][];
			matched_policies: string[];
			gap_recommendations: string[];
		};
		/**
		 * ControlCounts
		 * @description Controls whose evidence is present (`covered`), partial or absent (`gaps`). `coverage_percentage` is
		 *     (covered + partial / 2) / total_controls in percent, rounded: how much evidence there is, and no more.
		 */
		ControlCounts: {
			total_controls: number;
			covered: number;
			partial: number;
			gaps: number;
			coverage_percentage: number;
		};
		/**
		 * CostCurve
		 * @description The points of the thresholds 0 to 100. `best` is the threshold of least cost, the highest of those alike, and
		 *     `best_low` to `best_high` where it lies in 95% of `resamples` bootstrap samples of the decisions. `never` is what
		 *     missing every failure would cost. `failures` are the known ones; a curve without one is `insufficient_data`.
		 *
		 *     `best` takes the `unknown` decisions, those without an outcome, for good. Thresholds from `possible_low` to
		 *     `possible_high` are best for some outcomes that these may have; only where both are `best` is it `identified`.
		 */
		CostCurve: {
			interruption: number;
			failure: number;
			n: number;
			failures: number;
			days: number;
			resamples: number;
			seed: number;
			never: number;
			best: number | null;
			best_low: number | null;
			best_high: number | null;
			unknown: number;
			possible_low: number | null;
			possible_high: number | null;
			identified: boolean;
			points: components["schemas"]["CostPoint"][];
			status: components["schemas"]["BacktestStatus"];
		};
		/**
		 * CostPoint
		 * @description Asking at a risk of `threshold` or more: `interruptions` decisions are asked about, `missed` failures are not.
		 *     `cost` is that of the window, with its interval of 95%; the others are the same by day and by 1000 decisions.
		 *     `unknown` decisions below the threshold have no outcome: `cost` takes them all for good, `most` all for failures,
		 *     with the upper end of its interval, `most_high`. The true cost on these decisions is between `cost` and `most`.
		 */
		CostPoint: {
			threshold: number;
			interruptions: number;
			missed: number;
			cost: number;
			low: number;
			high: number;
			per_day: number;
			per_day_low: number;
			per_day_high: number;
			per_1000: number;
			per_1000_low: number;
			per_1000_high: number;
			unknown: number;
			most: number;
			most_high: number;
			per_day_most: number;
			per_day_most_high: number;
			per_1000_most: number;
			per_1000_most_high: number;
		};
		/**
		 * CostValue
		 * @description The cost of 1,000 decisions: interruptions, failures and, where it has a price, work that is not completed.
		 */
		CostValue: {
			staying: components["schemas"]["ValueInterval"];
			going: components["schemas"]["ValueInterval"];
			change: components["schemas"]["ValueInterval"];
		};
		/**
		 * Costs
		 * @description What one interruption and one missed failure cost, in one unit of the caller's choice.
		 */
		Costs: {
			interruption: number;
			failure: number;
		};
		/** CoveredAgent */
		CoveredAgent: {
			agent_id: string;
			/** @description requests of this agent that the grant would have let through */
			covered: number;
		};
		/**
		 * CreateAction
		 * @description What the agent is doing. Only `action_type` is required; `agent_id` is otherwise the key's.
		 *
		 *     With a `decision_id` (under five minutes old, unused, same agent, policies and context) guard is not asked again.
		 *     `idempotency_key` (or the header `Idempotency-Key`) makes a repeated creation answer with the first action.
		 *     Of `parameters` only the digest is kept with the action; whoever wants to keep them to themselves sends
		 *     `parameters_digest` instead (`assent.proof.act`). An approval is for exactly these.
		 *     `occurred_at` and `source` belong to history and need an admin key; history keeps the status it comes with.
		 *     `replaces` is a waiting action of the same agent that this one takes the place of, such as after an operator's
		 *     question: unless this one is blocked, that one is withdrawn with the same write, and its open questions are answered
		 *     by this one.
		 *     `_signature` is base64, over the canonical JSON of the whole body without it (see `assent.proof.signing`).
		 */
		CreateAction: {
			/** @description what kind of action */
			action_type: string;
			/** @description what the agent wanted */
			declared_goal?: string | null;
			/** @description who acts */
			agent_id?: string | null;
			/** @description what people call the agent */
			agent_name?: string | null;
			/** @description the swarm it belongs to */
			swarm_id?: string | null;
			/** @description id of the action */
			action_id?: string | null;
			/** @description the action that caused it */
			parent_action_id?: string | null;
			/** @description the waiting action whose place it took; empty where it took none's */
			replaces?: string | null;
			/** @description id of guard's decision */
			decision_id?: string | null;
			/** @description the session it belongs to */
			session_id?: string | null;
			/** @description the session in which that one was begun */
			parent_session_id?: string | null;
			/** @description why the agent wanted it */
			reasoning?: string | null;
			/** @description what allows the agent to do it */
			authorization_scope?: string | null;
			/** @description what made the agent act */
			trigger?: string | null;
			/** @description names of the systems it touches */
			systems_touched?: string[] | null;
			parameters?: {
				[key: string]: unknown;
			} | null;
			/** @description SHA-256 of its parameters in their canonical form; empty without parameters */
			parameters_digest?: string | null;
			/** @description how far it reaches: destination, account, data, and within how long it can be undone */
			externality?: components["schemas"]["Externality"] | null;
			/** @description what went in */
			input_summary?: string | null;
			/** @description running, pending, pending_approval, completed, failed, cancelled or blocked */
			status?: components["schemas"]["ActionStatus"] | null;
			/** @description whether it can be taken back */
			reversible?: boolean | null;
			risk_score?: number | null;
			/** @description the agent's confidence */
			confidence?: number | null;
			/** @description the model behind the agent */
			model?: string | null;
			/** @description tokens read by the model */
			tokens_in?: number | null;
			/** @description tokens written by the model */
			tokens_out?: number | null;
			/** @description what it cost */
			cost_estimate?: number | null;
			/** @description whatever the agent added */
			metadata?: {
				[key: string]: unknown;
			} | null;
			/** @description where the agent runs */
			runtime?: components["schemas"]["Runtime"] | null;
			/** @description the key that makes its creation repeatable */
			idempotency_key?: string | null;
			/** @description when it happened */
			timestamp_start?: string | null;
			occurred_at?: string | null;
			/** @description live, import, or simulated: a simulator made it up */
			source?: components["schemas"]["Source"] | null;
			_signature?: string | null;
		} & {
			[key: string]: unknown;
		};
		/**
		 * CreateArtifact
		 * @description Something that an action left behind, such as a receipt.
		 */
		CreateArtifact: {
			name: string;
			artifact_type?: string | null;
			description?: string | null;
			content_json?: {
				[key: string]: unknown;
			} | unknown[] | null;
			content_url?: string | null;
			source_action_id?: string | null;
			agent_id?: string | null;
			metadata?: {
				[key: string]: unknown;
			} | null;
		} & {
			[key: string]: unknown;
		};
		/**
		 * CreateCalendarEvent
		 * @description `start_time` and `end_time` begin with a date, YYYY-MM-DD.
		 */
		CreateCalendarEvent: {
			summary: string;
			start_time: string;
			end_time?: string | null;
			location?: string | null;
			description?: string | null;
			attendees?: string[] | null;
			agent_id?: string | null;
			metadata?: {
				[key: string]: unknown;
			} | null;
		} & {
			[key: string]: unknown;
		};
		/**
		 * CreateCapability
		 * @description No secrets belong here: every key of the organization reads it.
		 */
		CreateCapability: {
			name: string;
			description?: string | null;
			category?: string | null;
			risk_level?: string | null;
			/** @description Default: `"active"`. */
			status?: string | null;
			endpoint?: string | null;
			input_schema?: {
				[key: string]: unknown;
			} | null;
			output_schema?: {
				[key: string]: unknown;
			} | null;
			tags?: string[] | null;
			agent_id?: string | null;
			metadata?: {
				[key: string]: unknown;
			} | null;
		} & {
			[key: string]: unknown;
		};
		/**
		 * CreateComplianceExport
		 * @description `markdown` is accepted for `md`. Without `include_evidence` the report has no records, without
		 *     `include_remediation` no advice; with `include_trends` it has what earlier exports counted.
		 */
		CreateComplianceExport: {
			frameworks: string[];
			/** @description what people call it Default: `"Compliance export"`. */
			name?: string | null;
			/** @description Default: `"markdown"`. */
			format?: string | null;
			/** @description days that evidence counts back from the export Default: `30`. */
			window_days?: number | null;
			/** @description Default: `true`. */
			include_evidence?: boolean | null;
			/** @description Default: `true`. */
			include_remediation?: boolean | null;
			/** @description Default: `false`. */
			include_trends?: boolean | null;
		};
		/**
		 * CreateComplianceSchedule
		 * @description `cron_expression` is five fields as in crontab, in UTC, with one minute: minute, hour, day of the month, month,
		 *     day of the week (0 to 7, Sunday is both). The other members are those of the exports that it makes.
		 */
		CreateComplianceSchedule: {
			/** @description the frameworks in each export */
			frameworks: string[];
			/** @description when, as five fields of crontab in UTC */
			cron_expression: string;
			/** @description what people call it Default: `"Scheduled export"`. */
			name?: string | null;
			/** @description Default: `"markdown"`. */
			format?: string | null;
			/** @description days that evidence counts back from the export Default: `30`. */
			window_days?: number | null;
			/** @description whether reports name records Default: `true`. */
			include_evidence?: boolean | null;
			/** @description whether reports say how to come by what is missing Default: `true`. */
			include_remediation?: boolean | null;
			/** @description whether reports have what earlier exports counted Default: `false`. */
			include_trends?: boolean | null;
			/** @description whether it makes exports Default: `true`. */
			enabled?: boolean | null;
		};
		/**
		 * CreateEvalRun
		 * @description `scorer_id` judges what `action_filters` choose; without filters, the newest actions. The run's beginning and end
		 *     are on the live stream, its scores are not: read them with `get_scores` and its `run_id`.
		 */
		CreateEvalRun: {
			/** @description what people call it */
			name: string;
			/** @description the scorer that judges */
			scorer_id: string;
			action_filters?: components["schemas"]["ActionFilters"] | null;
		};
		/**
		 * CreateGoal
		 * @description `progress` is in percent.
		 */
		CreateGoal: {
			title: string;
			description?: string | null;
			category?: string | null;
			/** @description Default: `"active"`. */
			status?: string | null;
			progress?: number | null;
			target_date?: string | null;
			agent_id?: string | null;
			metadata?: {
				[key: string]: unknown;
			} | null;
		} & {
			[key: string]: unknown;
		};
		/**
		 * CreateGrant
		 * @description `when` is a condition tree over the fields of the request, as policies have them (`parameters.amount`), which may
		 *     be about a whole value, too; without one any request of the type is covered. `expires_at` lies within 90 days.
		 *     `from_action_id` is the action whose request gave the pattern.
		 */
		CreateGrant: {
			/** @description the agents that it is for */
			agent_ids: string[];
			/** @description what kind of action */
			action_type: string;
			/** @description the highest risk that it lets through */
			max_risk: number;
			/** @description how often it can be used */
			max_uses: number;
			/**
			 * Format: date-time
			 * @description the first moment at which it lets nothing through any more
			 */
			expires_at: string;
			/** @description why it was given */
			reason: string;
			/** @description the conditions on the request; empty holds for all of them */
			when?: {
				[key: string]: unknown;
			} | null;
			/** @description the action whose request gave the pattern */
			from_action_id?: string | null;
		};
		/**
		 * CreateHandoff
		 * @description `session_date` is a day such as 2026-11-20, in UTC today where it is left out.
		 */
		CreateHandoff: {
			/** @description what happened */
			summary: string;
			/** @description whose session it was */
			agent_id?: string | null;
			/** @description whatever else the next session should know */
			context?: {
				[key: string]: unknown;
			} | null;
			/** @description words to find it by */
			tags?: string[] | null;
			/** @description the day of the session */
			session_date?: string | null;
			/** @description what was decided, a text or a list */
			key_decisions?: string | unknown[] | null;
			/** @description what is left to do, a text or a list */
			open_tasks?: string | unknown[] | null;
			/** @description how people were, a text or a list */
			mood_notes?: string | unknown[] | null;
			/** @description what comes first, a text or a list */
			next_priorities?: string | unknown[] | null;
		};
		/**
		 * CreateKey
		 * @description A key bound to an `agent_id` can only speak for that agent. `any_agent` says that a key of role agent is meant
		 *     for many: without it one that is bound to none does not read what was sent to an agent with a key of its own, and
		 *     readiness warns of it.
		 */
		CreateKey: {
			/** @description what people call it */
			name: string;
			/** @description agent, operator, auditor or admin Default: `"agent"`. */
			role?: components["schemas"]["Role"] | null;
			/** @description the only agent it speaks for, if it is bound to one */
			agent_id?: string | null;
			/** @description whether it was made for any agent Default: `false`. */
			any_agent?: boolean | null;
		};
		/** CreateKnowledgeCollection */
		CreateKnowledgeCollection: {
			name: string;
			description?: string | null;
			source_type?: string | null;
			tags?: string[] | null;
			agent_id?: string | null;
			metadata?: {
				[key: string]: unknown;
			} | null;
		} & {
			[key: string]: unknown;
		};
		/**
		 * CreateMessageThread
		 * @description `participants` are the agents that it is for; without any it is for all. `agent_id` (also `created_by`) is who
		 *     opens it; a key that is bound to an agent may leave it out.
		 */
		CreateMessageThread: {
			/** @description what it is called */
			name: string;
			/** @description ids of the agents that it is for; none means all */
			participants?: string[] | null;
			agent_id?: string | null;
		};
		/**
		 * CreateModelStrategy
		 * @description `config` holds at least `primary` with `provider` and `model`; no keys of providers belong here.
		 */
		CreateModelStrategy: {
			name: string;
			config: {
				[key: string]: unknown;
			};
			description?: string | null;
			agent_id?: string | null;
			metadata?: {
				[key: string]: unknown;
			} | null;
		} & {
			[key: string]: unknown;
		};
		/**
		 * CreateOrganization
		 * @description `slug` is the short name in lower case, unique within the service.
		 */
		CreateOrganization: {
			/** @description what people call it */
			name: string;
			/** @description short name, unique within the service */
			slug: string;
		};
		/**
		 * CreatePairing
		 * @description `public_key` is an SPKI PEM ("BEGIN PUBLIC KEY"); `agent_id` is otherwise the key's own.
		 */
		CreatePairing: {
			/** @description the key as an SPKI PEM */
			public_key: string;
			/** @description how the agent signs: RSASSA-PKCS1-v1_5 or Ed25519 Default: `"RSASSA-PKCS1-v1_5"`. */
			algorithm?: components["schemas"]["Algorithm"] | null;
			/** @description the agent that asks */
			agent_id?: string | null;
			/** @description what people call the agent */
			agent_name?: string | null;
		};
		/** CreatePromptTemplate */
		CreatePromptTemplate: {
			/** @description what people call it */
			name: string;
			/** @description what it is for */
			description?: string | null;
			/** @description what it belongs to */
			category?: string | null;
		};
		/**
		 * CreatePromptVersion
		 * @description `content` holds placeholders such as `{{ customer }}`. `parameters` say what they are for: names, or objects of
		 *     the caller's own shape; they are kept as they are and ask for nothing when the prompt is rendered.
		 */
		CreatePromptVersion: {
			/** @description the text, with placeholders */
			content: string;
			/** @description which model it was written for */
			model_hint?: string | null;
			/** @description what the placeholders are for, as its author says */
			parameters?: (string | {
				[key: string]: unknown;
			})[] | null;
			/** @description what is new in it */
			changelog?: string | null;
		};
		/**
		 * CreateProvider
		 * @description `origin` is the address that agents pay at.
		 */
		CreateProvider: {
			name: string;
			origin?: string | null;
			description?: string | null;
			category?: string | null;
			/** @description Default: `"active"`. */
			status?: string | null;
			tags?: string[] | null;
			agent_id?: string | null;
			metadata?: {
				[key: string]: unknown;
			} | null;
		} & {
			[key: string]: unknown;
		};
		/**
		 * CreateProviderEndpoint
		 * @description `price` is for one call, in `currency`.
		 */
		CreateProviderEndpoint: {
			name: string;
			path?: string | null;
			method?: string | null;
			price?: number | null;
			currency?: string | null;
			description?: string | null;
			agent_id?: string | null;
			metadata?: {
				[key: string]: unknown;
			} | null;
		} & {
			[key: string]: unknown;
		};
		/**
		 * CreateRiskTemplate
		 * @description Without `action_type`, or with an empty one, the template is for every type that has none of its own.
		 */
		CreateRiskTemplate: {
			/** @description what people call it */
			name: string;
			/** @description what it is for */
			description?: string | null;
			/** @description the actions that it rates; empty means every type without a template of its own */
			action_type?: string | null;
			/** @description its risk before rules add to it Default: `0`. */
			base_risk?: number | null;
			/** @description conditions and the points that they add */
			rules?: components["schemas"]["RiskRule"][] | null;
			/** @description active or inactive */
			status?: components["schemas"]["TemplateStatus"] | null;
		};
		/**
		 * CreateScore
		 * @description A judgement that was made elsewhere: by a person, by a model of your own. `evaluated_by` says who; without it,
		 *     it is the key's agent or the key itself.
		 */
		CreateScore: {
			/** @description the action that was judged */
			action_id: string;
			/** @description name of what judged it, as it was then */
			scorer_name: string;
			/** @description the score; from 0.5 on it counts as passed */
			score: number;
			/** @description the score in a word */
			label?: string | null;
			/** @description why */
			reasoning?: string | null;
			/** @description who or what judged */
			evaluated_by?: string | null;
			/** @description whatever was added */
			metadata?: {
				[key: string]: unknown;
			} | null;
		};
		/**
		 * CreateScorer
		 * @description `config` is an object, or its JSON text; for an expression it may be the list of its rules.
		 */
		CreateScorer: {
			/** @description what people call it */
			name: string;
			scorer_type: string;
			config?: unknown;
			/** @description what it is for */
			description?: string | null;
		};
		/**
		 * CreateScoringProfile
		 * @description `composite_method` is weighted_average when left out. `dimensions` are as `add_scoring_dimension` takes them; all
		 *     of them are made or none. `action_type` says what the profile is meant for.
		 */
		CreateScoringProfile: {
			/** @description what people call it */
			name: string;
			/** @description what it is for */
			description?: string | null;
			/** @description the kind of action that it is meant for; empty means any */
			action_type?: string | null;
			composite_method?: string | null;
			/** @description whatever was added */
			metadata?: {
				[key: string]: unknown;
			} | null;
			dimensions?: {
				[key: string]: unknown;
			}[] | null;
		};
		/** CreateSession */
		CreateSession: {
			workspace?: string | null;
			branch?: string | null;
			/** @description Default: `"active"`. */
			status?: string | null;
			agent_id?: string | null;
			metadata?: {
				[key: string]: unknown;
			} | null;
		} & {
			[key: string]: unknown;
		};
		/**
		 * CreateThread
		 * @description An agent has one thread of a name; naming it again opens it again.
		 */
		CreateThread: {
			/** @description what it is about */
			name: string;
			/** @description whose thread it is */
			agent_id?: string | null;
			/** @description what came of it */
			summary?: string | null;
		};
		/**
		 * CreateWebhook
		 * @description `url` is https, or the address of a notice as apprise writes it (`slack://...`, `mailtos://...`), a secret
		 *     that is never shown again. `events` are names of events, kinds of signals, or "all"; without it, all. A notice can
		 *     tell of `approval.requested`, `approval.expiring`, `approval.escalated`, `halt.changed` and signals, and is quiet
		 *     from `quiet_from` until `quiet_until`.
		 */
		CreateWebhook: {
			url: string;
			events?: string[] | null;
			description?: string | null;
			quiet_from?: string | null;
			quiet_until?: string | null;
			time_zone?: string | null;
			digest_minutes?: number | null;
		};
		/**
		 * CreateWorkflowTemplate
		 * @description `steps` are kept as they are; nothing here runs them. `model_strategy_id` names a model strategy.
		 */
		CreateWorkflowTemplate: {
			name: string;
			description?: string | null;
			objective?: string | null;
			steps?: {
				[key: string]: unknown;
			}[] | null;
			variables?: {
				[key: string]: unknown;
			} | unknown[] | null;
			model_strategy_id?: string | null;
			/** @description Default: `"draft"`. */
			status?: string | null;
			tags?: string[] | null;
			agent_id?: string | null;
			metadata?: {
				[key: string]: unknown;
			} | null;
		} & {
			[key: string]: unknown;
		};
		/**
		 * CreatedAction
		 * @description `action_id` is what every later call names. `idempotent_replay` says that this creation had happened before.
		 */
		CreatedAction: {
			/** @description id of the action */
			action_id: string;
			action: components["schemas"]["Action"];
			decision: components["schemas"]["GuardResult"];
			approval: components["schemas"]["Approval"] | null;
			idempotent_replay: boolean;
		};
		/**
		 * CreatedHandoff
		 * @description `warnings` say where the handoff reads like a prompt injection; it is kept all the same.
		 */
		CreatedHandoff: {
			handoff: components["schemas"]["Handoff"];
			/** @description id of the handoff */
			handoff_id: string;
			warnings: string[];
		};
		/**
		 * CreatedKey
		 * @description `api_key` is shown here and never again.
		 */
		CreatedKey: {
			key: components["schemas"]["Key"];
			api_key: string;
		};
		/** CreatedMessageThread */
		CreatedMessageThread: {
			thread: components["schemas"]["MessageThread"];
			/** @description id of the thread */
			thread_id: string;
		};
		/**
		 * CreatedOrganization
		 * @description The new organization with its first admin key, shown here and never again.
		 */
		CreatedOrganization: {
			organization: components["schemas"]["Organization"];
			key: components["schemas"]["Key"];
			api_key: string;
		};
		/**
		 * CreatedPairing
		 * @description `pairing_url` is where a person goes to approve it.
		 */
		CreatedPairing: {
			pairing: components["schemas"]["Pairing"];
			pairing_url: string;
		};
		/** CreatedThread */
		CreatedThread: {
			thread: components["schemas"]["Thread"];
			thread_id: string;
		};
		/** CreatedWebhook */
		CreatedWebhook: {
			webhook: components["schemas"]["Webhook"];
			secret_warning: string;
		};
		/**
		 * CurveStep
		 * @description `exposure` cuts where an agent has done twice as much as before, `week` from Monday on, UTC.
		 * @enum {string}
		 */
		CurveStep: "exposure" | "week";
		/**
		 * CurvesAnswer
		 * @description `curves` in the order of agents, action types and steps; `total` counts all points.
		 */
		CurvesAnswer: {
			curves: components["schemas"]["LearningCurve"][];
			total: number;
			by: components["schemas"]["CurveStep"];
			/** Format: date-time */
			since: string;
			/** Format: date-time */
			until: string;
		};
		/**
		 * DataClassification
		 * @description The most sensitive data that it moves.
		 * @enum {string}
		 */
		DataClassification: "public" | "internal" | "confidential" | "restricted";
		/**
		 * DataColumn
		 * @description `type` is text, integer, number, boolean, time or json (as text); `unit` is None where there is none.
		 */
		DataColumn: {
			name: string;
			type: string;
			unit: string | null;
			meaning: string;
		};
		/**
		 * DataDescription
		 * @description `key` names the column that tells rows apart, `time` the one that a window counts by, `filters` the row filters
		 *     that the table takes.
		 */
		DataDescription: {
			name: string;
			meaning: string;
			key: string;
			time: string;
			filters: string[];
			columns: components["schemas"]["DataColumn"][];
		};
		/**
		 * DataDictionary
		 * @description Every table that is served, with the meaning of each column, from the same declaration that fills it.
		 */
		DataDictionary: {
			tables: components["schemas"]["DataDescription"][];
			formats: {
				[key: string]: string;
			};
		};
		/**
		 * DataSource
		 * @description Where a dimension's value comes from.
		 * @enum {string}
		 */
		DataSource: "duration_ms" | "cost_estimate" | "tokens_total" | "risk_score" | "confidence" | "eval_score" | "metadata_field" | "condition";
		/**
		 * DataStatus
		 * @description `insufficient_data`: too little has happened for a statement.
		 * @enum {string}
		 */
		DataStatus: "ok" | "insufficient_data";
		/**
		 * Decision
		 * @description Guard's verdicts, weakest first; when several policies match, the strongest wins.
		 * @enum {string}
		 */
		Decision: "allow" | "warn" | "require_approval" | "block";
		/**
		 * DecisionCounts
		 * @description How many decisions were of each kind.
		 */
		DecisionCounts: {
			allow: number;
			warn: number;
			require_approval: number;
			block: number;
		};
		/**
		 * DecisionDay
		 * @description Guard's decisions on one day (UTC).
		 */
		DecisionDay: {
			/** Format: date */
			day: string;
			allow: number;
			warn: number;
			require_approval: number;
			block: number;
		};
		/**
		 * DecisionMix
		 * @description Guard's decisions from `since` to `until`; `days` has every day of the window that has decisions, in order.
		 */
		DecisionMix: {
			window: string;
			/** Format: date-time */
			since: string;
			/** Format: date-time */
			until: string;
			n: number;
			allow: number;
			warn: number;
			require_approval: number;
			block: number;
			days: components["schemas"]["DecisionDay"][];
			simulated: number;
		};
		/**
		 * Deleted
		 * @description `id` is the record that is no longer listed; the log keeps what it said.
		 */
		Deleted: {
			deleted: boolean;
			id: string;
		};
		/** DeletedComplianceExport */
		DeletedComplianceExport: {
			deleted: boolean;
			/** @description id of the export */
			export_id: string;
		};
		/** DeletedComplianceSchedule */
		DeletedComplianceSchedule: {
			deleted: boolean;
			schedule_id: string;
		};
		/** DeletedDriftAlert */
		DeletedDriftAlert: {
			deleted: boolean;
			/** @description id of the alert */
			id: string;
		};
		/** DeletedFeedback */
		DeletedFeedback: {
			deleted: boolean;
			/** @description id of the feedback */
			feedback_id: string;
		};
		/** DeletedPolicy */
		DeletedPolicy: {
			deleted: boolean;
			/** @description id of the policy */
			policy_id: string;
		};
		/** DeletedPromptTemplate */
		DeletedPromptTemplate: {
			deleted: boolean;
			template_id: string;
		};
		/** DeletedRiskTemplate */
		DeletedRiskTemplate: {
			deleted: boolean;
			/** @description id of the template */
			id: string;
		};
		/**
		 * DeletedRoutingAgent
		 * @description `returned` counts the tasks that it had and that now wait for another, or are with one.
		 */
		DeletedRoutingAgent: {
			deleted: boolean;
			/** @description its id in routing */
			agent_id: string;
			returned: number;
		};
		/** DeletedScorer */
		DeletedScorer: {
			deleted: boolean;
			/** @description id of the scorer */
			id: string;
		};
		/** DeletedScoringDimension */
		DeletedScoringDimension: {
			deleted: boolean;
			id: string;
		};
		/** DeletedScoringProfile */
		DeletedScoringProfile: {
			deleted: boolean;
			id: string;
		};
		/** DeletedWebhook */
		DeletedWebhook: {
			success: boolean;
			deleted: boolean;
			webhook_id: string;
		};
		/**
		 * DeliveryStatus
		 * @description `retrying` is tried again at `next_attempt_at`; `failed` was given up.
		 * @enum {string}
		 */
		DeliveryStatus: "delivered" | "retrying" | "failed";
		/**
		 * DestinationVisibility
		 * @description Who can see where it goes.
		 * @enum {string}
		 */
		DestinationVisibility: "private" | "internal" | "partner" | "public";
		/**
		 * DetectDrift
		 * @description `detect` compares the last `window_days` with the days before, back to `lookback_days`; `compute_baselines` says
		 *     what the last `lookback_days` were like; `record_snapshots` says what today is like. Nothing is stored for it.
		 */
		DetectDrift: {
			/** @description Default: `"detect"`. */
			action?: components["schemas"]["DriftStep"] | null;
			agent_id?: string | null;
			/** @description Default: `7`. */
			window_days?: number | null;
			/** @description Default: `30`. */
			lookback_days?: number | null;
		};
		/**
		 * DetectedDrift
		 * @description What `action` asked for: `comparison` of detect, `baselines`, `snapshots`; the others are empty. `alerts` are
		 *     those that nobody has acknowledged; they are raised as values come, not by asking.
		 */
		DetectedDrift: {
			action: components["schemas"]["DriftStep"];
			alerts: components["schemas"]["DriftAlert"][];
			comparison: components["schemas"]["DriftComparison"] | null;
			baselines: components["schemas"]["DriftSnapshot"][];
			snapshots: components["schemas"]["DriftSnapshot"][];
		};
		/**
		 * Digest
		 * @description What was recorded on that day. With an agent, what is the agent's, and plain records that are nobody's.
		 */
		Digest: {
			date: string;
			agent_id: string | null;
			actions: components["schemas"]["DigestPart"];
			decisions: components["schemas"]["DigestPart"];
			approvals: components["schemas"]["DigestPart"];
			assumptions: components["schemas"]["DigestPart"];
			loops: components["schemas"]["DigestPart"];
			records: components["schemas"]["DigestPart"];
			tokens: components["schemas"]["DigestTokens"];
		};
		/**
		 * DigestPart
		 * @description `by` counts them by state, decision or kind.
		 */
		DigestPart: {
			n: number;
			by: {
				[key: string]: number;
			};
		};
		/**
		 * DigestTokens
		 * @description `n` reports; `cost_estimate` in US dollars.
		 */
		DigestTokens: {
			n: number;
			tokens_in: number;
			tokens_out: number;
			cost_estimate: number;
		};
		/**
		 * DimensionScore
		 * @description `raw_value` is what the dimension found: a number, a text (its first 200 characters, of a list its JSON), true or
		 *     false; null without a value. `score` is then null too and the dimension does not count.
		 */
		DimensionScore: {
			dimension_id: string;
			dimension_name: string;
			weight: number;
			raw_value: unknown;
			score: number | null;
			label: string;
		};
		/**
		 * Direction
		 * @description `inbox`: to the agent or to all, not by it, not archived by it. `sent`: by it. `all`: both, and archived ones.
		 * @enum {string}
		 */
		Direction: "inbox" | "sent" | "all";
		/**
		 * DriftAlert
		 * @description A stream of values (an agent's, of an action type, of a metric) that changed. Each stream has two detectors. Of a
		 *     stream that does not change, each raises one alert with a probability of 1 / `threshold` at most, however long it
		 *     runs:
		 *
		 *     - The first takes each value by itself, and its promise is for values that are independent of each other. Values of
		 *       a session that are alike, that follow each other or that have a rhythm of days or weeks raise more: its alert is a
		 *       hint.
		 *     - The second takes the values of a session as one, or those of an hour (8 at most) where nobody names a session, and
		 *       counts them less the more they depend on those before. Its alert is `established`. It supposes that sessions are
		 *       independent of each other and that their number and size stay alike, comes later, and not of every change.
		 *
		 *     `e_value` is the evidence, 1 being none. Of the `n` values seen, `baseline_n` came before the change and `recent_n`
		 *     since; their means are in the metric's unit, None only where numbers are too large to reckon with. `z_score` =
		 *     (recent_mean - baseline_mean) / baseline_sd, +-999 where that is 0. `change_estimated_at` is when the change began,
		 *     `detected_at` when the value happened that raised the alert, `created_at` when it was recorded; for imported history
		 *     that is later. `source` is that value's; values that a simulator made up have streams of their own. `raised_n` is
		 *     the number of the event that raised it.
		 *
		 *     Of what is established, the n values came in so many `clusters` and count as `n_effective` independent ones; `basis`
		 *     says what a cluster is. The change began between `change_earliest_at` and `change_latest_at`, with a confidence of
		 *     95% where clusters are independent. All of these are None in a hint.
		 */
		DriftAlert: {
			/** @description id of the alert */
			id: string;
			/** @description the organization that the row belongs to */
			org_id: string;
			/** @description whose values changed */
			agent_id: string | null;
			/** @description of what kind of action */
			action_type: string;
			/** @description which of their numbers, as score or duration_ms */
			metric: string;
			/** @description info, warning or critical, by the size of the change */
			severity: components["schemas"]["DriftSeverity"];
			/** @description up, down, or changed: the values spread otherwise */
			direction: components["schemas"]["DriftDirection"];
			/** @description the alert in one sentence */
			description: string;
			/** @description mean of the values before the change, in the metric's unit */
			baseline_mean: number | null;
			/** @description their sample standard deviation */
			baseline_sd: number | null;
			/** @description how many they were */
			baseline_n: number;
			/** @description mean of the values from the change to the alert */
			recent_mean: number | null;
			/** @description how many they were */
			recent_n: number;
			/** @description how far the mean moved, in standard deviations of the values before; +-999 without any */
			z_score: number | null;
			/** @description values that the detector had seen since it began */
			n: number;
			/** @description the evidence that the stream changed; 1 is none */
			e_value: number;
			/** @description the evidence from which on there is an alert, 1 / probability of a false one */
			threshold: number;
			/**
			 * Format: date-time
			 * @description when the change is thought to have begun
			 */
			change_estimated_at: string;
			/**
			 * Format: date-time
			 * @description when the value happened that raised the alert
			 */
			detected_at: string;
			/** @description whether somebody has taken note of it */
			acknowledged: boolean;
			/** @description id of the key that did */
			acknowledged_by: string | null;
			/** @description when that was */
			acknowledged_at: string | null;
			/** @description when it was removed from the list */
			deleted_at: string | null;
			/** @description live, import, or simulated: a simulator made the values up */
			source: components["schemas"]["Source"];
			/** @description number of the organization's event that raised it */
			raised_n: number;
			/**
			 * Format: date-time
			 * @description when it was recorded
			 */
			created_at: string;
			/**
			 * Format: date-time
			 * @description when it last changed
			 */
			updated_at: string;
			/** @description whether it holds where values of a session are alike, too; else it is a hint */
			established: boolean;
			/** @description in how many clusters the n values came */
			clusters: number | null;
			/** @description in how many of them since the change */
			recent_clusters: number | null;
			/** @description as how many independent values they count */
			n_effective: number | null;
			/** @description what a cluster is: session, hour, or session, else hour */
			basis: string | null;
			/** @description when the change began at the earliest; with the latest a 95% interval */
			change_earliest_at: string | null;
			/** @description when it began at the latest */
			change_latest_at: string | null;
		};
		/**
		 * DriftAlerts
		 * @description The newest first, without those that were removed.
		 */
		DriftAlerts: {
			alerts: components["schemas"]["DriftAlert"][];
			total: number;
			next_cursor: string | null;
		};
		/**
		 * DriftComparison
		 * @description What drifted first, then by p; `total` rows were compared, `drifted` of them did, `insufficient_data` have too
		 *     few values. Every window includes its first moment and not its last.
		 */
		DriftComparison: {
			/** Format: date-time */
			baseline_since: string;
			/** Format: date-time */
			recent_since: string;
			/** Format: date-time */
			until: string;
			fdr: number;
			total: number;
			drifted: number;
			insufficient_data: number;
			comparisons: components["schemas"]["ComparedMetric"][];
		};
		/**
		 * DriftDirection
		 * @description Where the values went. `changed`: neither up nor down, but wider or closer together.
		 * @enum {string}
		 */
		DriftDirection: "up" | "down" | "changed";
		/**
		 * DriftMetric
		 * @description `kind` is number, proportion or category; `worse` is the direction that is bad news. `published` is the name by
		 *     which published clients know it, where that is another; `watched` says whether its streams raise alerts.
		 */
		DriftMetric: {
			name: string;
			published: string | null;
			kind: string;
			unit: string | null;
			worse: string;
			meaning: string;
			watched: boolean;
		};
		/** DriftMetrics */
		DriftMetrics: {
			metrics: components["schemas"]["DriftMetric"][];
		};
		/**
		 * DriftSeverity
		 * @description By how many standard deviations the mean moved: `critical` from 3, `warning` from 2, else `info`.
		 * @enum {string}
		 */
		DriftSeverity: "info" | "warning" | "critical";
		/**
		 * DriftSnapshot
		 * @description What a metric of an agent was like on a day (UTC), or since `day`: n values, their mean (a rate for those that
		 *     are) with its 95% interval, and their sample standard deviation. What n values cannot tell is None.
		 */
		DriftSnapshot: {
			/** @description whose values */
			agent_id: string | null;
			/** @description which of their numbers, as score or duration_ms */
			metric: string;
			kind: string;
			/** Format: date */
			day: string;
			/** @description how many values */
			n: number;
			mean: number | null;
			mean_low: number | null;
			mean_high: number | null;
			sd: number | null;
			simulated: number;
		};
		/**
		 * DriftSnapshots
		 * @description By agent and metric, and of each the newest day first.
		 */
		DriftSnapshots: {
			/** Format: date-time */
			since: string;
			/** Format: date-time */
			until: string;
			snapshots: components["schemas"]["DriftSnapshot"][];
		};
		/**
		 * DriftStats
		 * @description Alerts without those that were removed. `streams` are watched now (of every agent); `caught_up` is false while
		 *     they are still reading what was recorded. `false_alarms` is the probability, at most, that a stream which does not
		 *     change raises one: a hint where its values are independent, an established one where its clusters are.
		 *     `established` are those that nobody has acknowledged, too.
		 */
		DriftStats: {
			total: number;
			unacknowledged: number;
			simulated: number;
			by_severity: {
				[key: string]: number;
			};
			by_metric: {
				[key: string]: number;
			};
			by_agent: {
				[key: string]: number;
			};
			newest_at: string | null;
			streams: number;
			caught_up: boolean;
			false_alarms: number;
			established: number;
		};
		/**
		 * DriftStep
		 * @description What published clients ask for one after the other. Here each of them is right the moment it is asked for.
		 * @enum {string}
		 */
		DriftStep: "detect" | "compute_baselines" | "record_snapshots";
		/**
		 * DriftSummary
		 * @description `at_risk` counts assumptions that nobody has looked at for more than 14 days.
		 */
		DriftSummary: {
			total: number;
			at_risk: number;
			validated: number;
			invalidated: number;
			unvalidated: number;
		};
		/**
		 * DriftWarning
		 * @description A drift alert that nobody has acknowledged. `z_score` is text with one decimal, as published; None where it
		 *     cannot be told. `source` tells one that is about what a simulator made up.
		 */
		DriftWarning: {
			metric: string;
			severity: components["schemas"]["DriftSeverity"];
			z_score: string | null;
			direction: components["schemas"]["DriftDirection"];
			id: string;
			/** @description whose it is */
			agent_id: string | null;
			/** @description what kind of action it is about */
			action_type: string;
			/** Format: date-time */
			change_estimated_at: string;
			/** Format: date-time */
			detected_at: string;
			source: components["schemas"]["Source"];
		};
		/**
		 * DuplicateWorkflowTemplate
		 * @description `name` of the copy; without it, the old one with "(copy)" behind.
		 */
		DuplicateWorkflowTemplate: {
			name?: string | null;
		};
		/**
		 * Duty
		 * @description Who is on shift at `lastUpdated`, the service's time. `rota` is None where nobody has set one. `covered` is false
		 *     in a gap: no group is on shift that has a valid key; `next_at` is when one comes on, None where none does.
		 */
		Duty: {
			rota: components["schemas"]["Rota"] | null;
			groups: components["schemas"]["GroupDuty"][];
			covered: boolean;
			next_at: string | null;
			/** Format: date-time */
			lastUpdated: string;
		};
		/**
		 * EdgeKind
		 * @description Read from source to target: a parent `caused` an action; a decision `decided` it, because a policy `matched`; an
		 *     approval `allowed_or_denied` it; it `assumed`, `left_open` and `said`.
		 * @enum {string}
		 */
		EdgeKind: "caused" | "decided" | "matched" | "allowed_or_denied" | "assumed" | "left_open" | "said";
		/**
		 * EffectMethod
		 * @description With controls, or without.
		 * @enum {string}
		 */
		EffectMethod: "difference_in_differences" | "interrupted_time_series";
		/**
		 * EffectStatus
		 * @description `few_clusters`: fewer than 10 on a side, the interval is wide. `no_variation` and `insufficient_data` have no
		 *     interval; `reason` says why.
		 * @enum {string}
		 */
		EffectStatus: "ok" | "few_clusters" | "no_variation" | "insufficient_data";
		/**
		 * Enforceability
		 * @description How far guard reaches into where the agent runs, and so which evidence it can be asked for.
		 * @enum {string}
		 */
		Enforceability: "enforce_before_execute" | "hook_mediated" | "observe_only";
		/**
		 * Envelope
		 * @description A DSSE 1.0.2 envelope. `payload` is base64 of an in-toto statement in canonical JSON (RFC 8785).
		 */
		Envelope: {
			payload: string;
			payloadType: string;
			signatures: components["schemas"]["EnvelopeSignature"][];
		};
		/**
		 * EnvelopeSignature
		 * @description `sig` is base64 (RFC 4648, section 4); `keyid` the signing key's RFC 7638 thumbprint.
		 */
		EnvelopeSignature: {
			keyid: string;
			sig: string;
		};
		/**
		 * EraseAction
		 * @description `reason` says on whose behalf and why. It is recorded for good, in a log from which it cannot be erased: name a
		 *     ticket or a rule, and never repeat what is to be erased.
		 */
		EraseAction: {
			reason: string;
		};
		/**
		 * Erasure
		 * @description `erased_by` is the name of the key that asked for it, `erased_by_key` its id. `events` is how many recorded
		 *     events lost their bodies: the action's own, guard's decision on it (`decision_id`), and webhook deliveries whose
		 *     receiver may have answered with parts of it.
		 */
		Erasure: {
			org_id: string;
			action_id: string;
			/** Format: date-time */
			erased_at: string;
			erased_by: string;
			erased_by_key: string;
			reason: string;
			events: number;
			decision_id: string | null;
		};
		/**
		 * Escalation
		 * @description That a request was escalated, once: ids, times and whom it is for, nothing of what is asked. `operators` are the
		 *     group's members by the names of their keys, `operator_keys` the ids of these: those of whoever may decide.
		 */
		Escalation: {
			/** @description the organization that the row belongs to */
			org_id: string;
			/** @description the approval that nobody had decided */
			approval_id: string;
			/** @description the action that waits for it */
			action_id: string;
			/** @description the policy that says so */
			policy_id: string;
			/** @description for how long nobody had decided */
			after_minutes: number;
			/** @description the group of the rota that is told */
			escalated_to: string;
			/** @description whether that group was on shift */
			on_shift: boolean;
			/** @description who is in that group, by the names of their keys */
			operators: string[];
			/** @description ids of those keys */
			operator_keys: string[];
			/**
			 * Format: date-time
			 * @description when the approval expires unless somebody decides
			 */
			expires_at: string;
			/**
			 * Format: date-time
			 * @description when it was recorded
			 */
			created_at: string;
		};
		/**
		 * Escalations
		 * @description A page, newest first. `next_cursor` is None on the last page; `lastUpdated` is the service's time.
		 */
		Escalations: {
			escalations: components["schemas"]["Escalation"][];
			total: number;
			/** Format: date-time */
			lastUpdated: string;
			next_cursor: string | null;
		};
		/**
		 * EvalRun
		 * @description `scorer_config` is the scorer as it was when the run began. `total_actions` have been chosen, `left_out_count`
		 *     more fitted but lie beyond the limit; `scored_count` and `skipped_count` grow while the run goes on, `skipped` says
		 *     why. `agent_id` is the one that the filters name.
		 */
		EvalRun: {
			/** @description id of the run */
			id: string;
			/** @description the organization that the row belongs to */
			org_id: string;
			/** @description what people call it */
			name: string;
			/** @description the scorer that judges */
			scorer_id: string;
			/** @description its name when the run began */
			scorer_name: string;
			/** @description its type when the run began */
			scorer_type: components["schemas"]["ScorerType"];
			/** @description its configuration when the run began */
			scorer_config: {
				[key: string]: unknown;
			};
			/** @description which actions it looks at */
			action_filters: {
				[key: string]: unknown;
			};
			/** @description the agent that the filters name; empty means all */
			agent_id: string | null;
			/** @description running, completed, failed or interrupted */
			status: components["schemas"]["RunStatus"];
			/** @description actions that it was to look at */
			total_actions: number;
			/** @description actions that fitted too but lie beyond the limit */
			left_out_count: number;
			/** @description actions that got a score */
			scored_count: number;
			/** @description actions that got none */
			skipped_count: number;
			/** @description how many got none, by reason */
			skipped: {
				[key: string]: number;
			};
			/** @description mean of its scores */
			avg_score: number | null;
			/** @description what its scores add up to */
			summary: components["schemas"]["ScoreSummary"] | null;
			/** @description why it did not come to its end */
			error_message: string | null;
			/**
			 * Format: date-time
			 * @description when it was recorded
			 */
			created_at: string;
			/** @description id of the key that began it */
			created_by: string;
			/**
			 * Format: date-time
			 * @description when it began
			 */
			started_at: string;
			/**
			 * Format: date-time
			 * @description when it last changed
			 */
			updated_at: string;
			/** @description when it ended */
			completed_at: string | null;
		};
		/**
		 * EvalRunDetail
		 * @description `distribution` is of the scores recorded so far.
		 */
		EvalRunDetail: {
			run: components["schemas"]["EvalRun"];
			distribution: components["schemas"]["ScoreBucket"][];
		};
		/**
		 * EvalRuns
		 * @description The newest first.
		 */
		EvalRuns: {
			runs: components["schemas"]["EvalRun"][];
			total: number;
			next_cursor: string | null;
		};
		/**
		 * EvalScore
		 * @description One score of one action. `run_id` is there when a run gave it, `scorer_id` when a scorer of that name existed.
		 *     `source` is the action's: scores of simulated actions say so.
		 */
		EvalScore: {
			/** @description id of the score */
			id: string;
			/** @description the organization that the row belongs to */
			org_id: string;
			/** @description the action that was judged */
			action_id: string;
			/** @description who acted */
			agent_id: string | null;
			/** @description what kind of action */
			action_type: string;
			/** @description the scorer that judged it, if the service knows it */
			scorer_id: string | null;
			/** @description name of what judged it, as it was then */
			scorer_name: string;
			/** @description the evaluation run that it came with, if any */
			run_id: string | null;
			/** @description the score; from 0.5 on it counts as passed */
			score: number;
			/** @description the score in a word */
			label: string | null;
			/** @description why */
			reasoning: string | null;
			/** @description who or what judged */
			evaluated_by: string;
			/** @description whatever was added */
			metadata: {
				[key: string]: unknown;
			};
			/** @description the action's: live, import, or simulated: a simulator made it up */
			source: components["schemas"]["Source"];
			/**
			 * Format: date-time
			 * @description when it was recorded
			 */
			created_at: string;
			/** @description id of the key that recorded it or began the run */
			created_by: string;
		};
		/**
		 * EvalScores
		 * @description The newest first.
		 */
		EvalScores: {
			scores: components["schemas"]["EvalScore"][];
			total: number;
			next_cursor: string | null;
		};
		/**
		 * EvalStats
		 * @description `by_scorer` in the order of names, `trends` of days (UTC) that have scores.
		 */
		EvalStats: {
			overall: components["schemas"]["OverallStats"];
			by_scorer: components["schemas"]["ScorerStats"][];
			trends: components["schemas"]["ScoreDay"][];
			distribution: components["schemas"]["ScoreBucket"][];
			days: number;
			/** Format: date-time */
			since: string;
			/** Format: date-time */
			until: string;
		};
		/**
		 * EvaluatePolicy
		 * @description The whole set of `policies` to decide by instead of those that did; by null the organization's own. Each by its
		 *     rules: what they carry as `explore` is left out. `costs` asks for the cost of 1,000 decisions.
		 */
		EvaluatePolicy: {
			policies?: components["schemas"]["PolicyDraft"][] | null;
			/** @description days back from now, as 1d to 3650d Default: `"30d"`. */
			window?: string | null;
			agent_id?: string | null;
			source?: components["schemas"]["Source"] | null;
			costs?: components["schemas"]["PolicyCosts"] | null;
		};
		/**
		 * Event
		 * @description `id` is the organization's own event number; `data` the object that the event is about, bare.
		 */
		Event: {
			id: number;
			event: string;
			data: {
				[key: string]: unknown;
			};
		};
		/**
		 * EvidenceCounts
		 * @description Counts of the window. `breakdown` has a `count` for each `action_type` and `decision`, `action_breakdown` for
		 *     each `status`. Simulated rows count, and `simulated` says how many decisions and actions they are.
		 */
		EvidenceCounts: {
			guard_decisions_total: number;
			guard_decisions_blocked: number;
			approval_requests: number;
			approvals_decided: number;
			action_records_total: number;
			actions_verified: number;
			assumptions_total: number;
			simulated: number;
			breakdown: {
				[key: string]: unknown;
			}[];
			action_breakdown: {
				[key: string]: unknown;
			}[];
		};
		/**
		 * EvidenceFound
		 * @description One kind of evidence. `n` counts what was found, `record_ids` are the newest of them, ten at most; an event's is
		 *     its leaf hash, as in the activity log.
		 */
		EvidenceFound: {
			evidence: string;
			shows: string;
			status: components["schemas"]["Presence"];
			n: number;
			record_type: string;
			record_ids: string[];
		};
		/**
		 * Externality
		 * @description Facts about where an action goes, with whose account, and what is moved. What nobody said is left out, in answers
		 *     too.
		 *
		 *     `reversal_bound_seconds` is within how long it can be taken back; 0 says not at all. Policies see the members as
		 *     `externality.data_classification` and so on.
		 */
		Externality: {
			destination_visibility?: components["schemas"]["DestinationVisibility"] | null;
			account_provenance?: components["schemas"]["AccountProvenance"] | null;
			data_classification?: components["schemas"]["DataClassification"] | null;
			reversal_bound_seconds?: number | null;
		};
		/**
		 * Feedback
		 * @description `id` and `feedback_id` are the same.
		 */
		Feedback: {
			/** @description the organization that the row belongs to */
			org_id: string;
			/** @description id of the feedback */
			feedback_id: string;
			/** @description the action it is about, if any */
			action_id: string | null;
			/** @description the agent it is about */
			agent_id: string | null;
			/** @description what kind of action it is about */
			action_type: string | null;
			/** @description how good it was; empty when only a comment was given */
			rating: number | null;
			/** @description what was said */
			comment: string;
			/** @description positive, negative or neutral, by the rating or else by the comment's words */
			sentiment: components["schemas"]["Sentiment"];
			/** @description what it belongs to, as its giver says */
			category: string;
			/** @description topics, given and found in the comment */
			tags: string[];
			/** @description whatever came with it */
			metadata: {
				[key: string]: unknown;
			};
			/** @description through what it was given, such as sdk or user */
			source: string;
			/** @description whether somebody has seen to it */
			resolved: boolean;
			/** @description when */
			resolved_at: string | null;
			/** @description who, as they call themselves */
			resolved_by: string | null;
			/** @description id of the key that said so */
			resolved_by_key: string | null;
			/** @description id of the key that gave it */
			created_by: string;
			/**
			 * Format: date-time
			 * @description when it was recorded
			 */
			created_at: string;
			/**
			 * Format: date-time
			 * @description when it last changed
			 */
			updated_at: string;
			/** @description when it was taken out of lists and counts */
			deleted_at: string | null;
			id: string;
		};
		/**
		 * FeedbackList
		 * @description Newest first; `total` counts all that fit.
		 */
		FeedbackList: {
			feedback: components["schemas"]["Feedback"][];
			total: number;
			next_cursor: string | null;
		};
		/** FeedbackOfAgent */
		FeedbackOfAgent: {
			/** @description the agent it is about */
			agent_id: string;
			count: number;
			avg_rating: number | null;
			positive: number;
			negative: number;
		};
		/** FeedbackOfCategory */
		FeedbackOfCategory: {
			/** @description what it belongs to, as its giver says */
			category: string;
			count: number;
			avg_rating: number | null;
		};
		/**
		 * FeedbackStats
		 * @description Categories and agents are the 50 with the most feedback, tags the 50 most used. `rating_distribution` has all
		 *     five ratings.
		 */
		FeedbackStats: {
			overall: components["schemas"]["FeedbackTotals"];
			by_category: components["schemas"]["FeedbackOfCategory"][];
			by_agent: components["schemas"]["FeedbackOfAgent"][];
			rating_distribution: components["schemas"]["RatingCount"][];
			top_tags: components["schemas"]["TagCount"][];
		};
		/**
		 * FeedbackTotals
		 * @description `avg_rating` is over the `rated_count` entries that have a rating, None without any; `today_count` is of the
		 *     last 24 hours.
		 */
		FeedbackTotals: {
			total_feedback: number;
			rated_count: number;
			avg_rating: number | null;
			positive_count: number;
			negative_count: number;
			neutral_count: number;
			unresolved_count: number;
			today_count: number;
		};
		/**
		 * FieldError
		 * @description One thing that is wrong with a request: where it is and what is wrong with it.
		 */
		FieldError: {
			place: string;
			message: string;
		};
		/**
		 * FlowAnswer
		 * @description The outermost session, as it is now.
		 */
		FlowAnswer: {
			flow: components["schemas"]["FlowSession"];
		};
		/**
		 * FlowAsked
		 * @description A question to guard. `action_id` is the action that came of it, with its `status`, and `approval` what became of
		 *     asking a person, `decided_by` whom. `flow` is what a flow policy looked at, None where none did. `context` is the
		 *     request as it was recorded, None where it has more than 4,000 characters.
		 */
		FlowAsked: {
			decision_id: string;
			session_id: string | null;
			agent_id: string | null;
			action_id: string | null;
			action_type: string;
			declared_goal: string | null;
			decision: components["schemas"]["Decision"];
			would_decide: components["schemas"]["Decision"] | null;
			reason: string | null;
			risk_score: number;
			source: components["schemas"]["Source"];
			status: components["schemas"]["ActionStatus"] | null;
			approval: components["schemas"]["ApprovalState"] | null;
			decided_by: string | null;
			flow: components["schemas"]["FlowTrace"] | null;
			context: {
				[key: string]: unknown;
			} | null;
		};
		/**
		 * FlowEntry
		 * @description What the session was told for time `number`. `kind` is `user` (the user said something), `result` (a tool
		 *     answered; `call` is its number among the answers) or `removal` (an operator took labels off, with a `reason`). `by`
		 *     is the key that told it or took them off, and `agent_id` as which agent it was told; both are those of the session
		 *     (`created_by`, `agent_id`) unless another key speaks for its agent, or a sub-agent told it. `text` says that it held
		 *     text of somebody else, `page` that this stands at an address outside, `complete` that all of it is kept. `labels`
		 *     are those that it put on, or took off.
		 */
		FlowEntry: {
			number: number;
			kind: string;
			session_id: string;
			agent_id: string | null;
			action_id: string | null;
			call: number;
			tool: string;
			text: boolean;
			page: boolean;
			complete: boolean;
			labels: string[];
			reason: string;
			by: string;
		};
		/**
		 * FlowPast
		 * @description What a formula of past time remembers of the calls before: their number, the `latest` of their times (seconds
		 *     since 1970), a bit for each of its `before`, `since` and `never_after`, and the last moments of each `count_within`,
		 *     in which a count of calls has their numbers. An operator stands behind those inside of it.
		 */
		FlowPast: {
			/** @description how many answers of tools it was told */
			calls: number;
			latest: number;
			held: boolean[];
			moments: number[][];
		};
		/**
		 * FlowSession
		 * @description A session of which something was told. `root_id` is the outermost one, which has all that was told; of another
		 *     one the counts are 0. `told` is how many times it was told something or had labels taken off, `calls` how many of
		 *     them were answers of tools. `complete` is False once something was beyond a bound, or was erased. `labels` are
		 *     those that hold, `removed` those that an operator took off and that nothing has put on again.
		 */
		FlowSession: {
			/** @description the organization that the row belongs to */
			org_id: string;
			/** @description id of the session's flow, which follows from the session's own */
			flow_id: string;
			/** @description the session, as its program names it */
			session_id: string;
			/** @description the session in which it was begun */
			parent_session_id: string | null;
			/** @description id of the outermost session's flow, which has what was told */
			root_id: string;
			/** @description for whom it was first told */
			agent_id: string | null;
			/** @description how many times it was told something, or had labels taken off */
			told: number;
			/** @description how many answers of tools it was told */
			calls: number;
			/** @description whether nothing that was told was beyond a bound */
			complete: boolean;
			/** @description labels that hold */
			labels: string[];
			/** @description labels that an operator took off, with the reasons */
			removed: components["schemas"]["RemovedLabel"][];
			/** @description id of the key that first told of it */
			created_by: string;
			/**
			 * Format: date-time
			 * @description when it was recorded
			 */
			created_at: string;
			/**
			 * Format: date-time
			 * @description when it was last told something, or had labels taken off
			 */
			updated_at: string;
		};
		/**
		 * FlowStep
		 * @description Either `told` or `asked`; the other one is None.
		 */
		FlowStep: {
			/** Format: date-time */
			at: string;
			told: components["schemas"]["FlowEntry"] | null;
			asked: components["schemas"]["FlowAsked"] | null;
		};
		/**
		 * FlowSteps
		 * @description The outermost session, and a page of its steps in the order of time; those of sessions inside of it are among
		 *     them. The first page has the last steps, and `next_cursor` leads to the steps before, of which there are `before`;
		 *     it is None where there are none. `total` counts all steps of the session, and `missing` how many times it was told
		 *     something that is erased.
		 */
		FlowSteps: {
			flow: components["schemas"]["FlowSession"];
			steps: components["schemas"]["FlowStep"][];
			before: number;
			total: number;
			missing: number;
			next_cursor: string | null;
			/** Format: date-time */
			lastUpdated: string;
		};
		/**
		 * FlowStop
		 * @description Where a flow policy stops a session first: which call, what was decided `before`, and what the policy says.
		 */
		FlowStop: {
			session_id: string;
			decision_id: string;
			agent_id: string | null;
			tool: string;
			/** Format: date-time */
			occurred_at: string;
			before: components["schemas"]["Decision"];
			reason: string;
		};
		/**
		 * FlowTrace
		 * @description What a flow policy looked at: no value, and no digest. `told` is whether anything was told of the session,
		 *     `complete` whether all of it was kept, `whole` whether all of the call was looked at, `withheld` whether its
		 *     parameters were. `tools` names the calls that values and labels name, by their numbers. `version` is that of how
		 *     calls are read. `label_calls` says which call put a label on last; 0 is none that is kept. `removed` are labels
		 *     that an operator took off. `past` is what the formulas of policies remember, by their texts (`formula_text`), and
		 *     `recalled` whether every call before is known. `reads` is whether the tool
		 *     reads or works something out, whatever the call does besides. `gaps` is why not all is known: of the session
		 *     `erased`, `key` (told under another key), `unread` (not looked up), `unkept` (more than is kept), `foreign` (another
		 *     agent's) and `moved` (not begun inside the session that the call names); of the call `secret` (one was taken out),
		 *     `long`, `digest` and `absent` (its parameters are kept back). Traces of before version 10 name none. `ordered` is
		 *     whether the call writes an entry in a calendar or a list of tasks, and the user ordered one; traces of before
		 *     version 12 do not say so.
		 */
		FlowTrace: {
			tool: string;
			effect: string;
			values: components["schemas"]["FlowValue"][];
			/** @description labels that hold */
			labels: string[];
			/** @description how many answers of tools it was told */
			calls: number;
			tools: {
				[key: string]: string;
			};
			told: boolean;
			/** @description whether nothing that was told was beyond a bound */
			complete: boolean;
			whole: boolean;
			withheld: boolean;
			version: string;
			label_calls: {
				[key: string]: number;
			};
			removed: string[];
			past: {
				[key: string]: components["schemas"]["FlowPast"];
			};
			recalled: boolean;
			reads: boolean;
			gaps: string[];
			ordered: boolean;
		};
		/**
		 * FlowValue
		 * @description One value of a call: where it stands, what it is, and where it came from (`origin`: user, approved, house, leaf,
		 *     free, leaf and free, or unknown; `house` is one of the names that a policy's pack says are the house's own).
		 *     `leaf_call` and `field` say where it was first a whole value, `free_call` where a text had it; 0 is nowhere.
		 *     `from_page` says that this text stands at an address outside, `host_named` that the user named the host of a web
		 *     address. `chosen` is false where a field has what the call destroys, and no word that the user said tells its record
		 *     from others; traces of before version 11 do not say so.
		 */
		FlowValue: {
			path: string;
			role: string;
			shape: string;
			origin: string;
			leaf_call: number;
			field: string;
			free_call: number;
			from_page: boolean;
			host_named: boolean;
			chosen: boolean;
		};
		/**
		 * Flows
		 * @description A page, newest first. `next_cursor` is None on the last page; `lastUpdated` is the service's time.
		 */
		Flows: {
			flows: components["schemas"]["FlowSession"][];
			total: number;
			/** Format: date-time */
			lastUpdated: string;
			next_cursor: string | null;
		};
		/**
		 * Framework
		 * @description `source` is the text that the controls are taken from; their words here are our own.
		 */
		Framework: {
			framework: string;
			title: string;
			framework_version: string;
			source: string;
			total_controls: number;
		};
		/**
		 * FrameworkCounts
		 * @description What an export counted of one framework. `records` are the records that were found in all, each kind of evidence
		 *     once.
		 */
		FrameworkCounts: {
			total_controls: number;
			covered: number;
			partial: number;
			gaps: number;
			coverage_percentage: number;
			framework: string;
			framework_version: string;
			records: number;
		};
		/** Frameworks */
		Frameworks: {
			frameworks: components["schemas"]["Framework"][];
		};
		/** Goal */
		Goal: {
			title: string;
			description: string | null;
			category: string | null;
			status: string;
			progress: number | null;
			target_date: string | null;
			agent_id: string | null;
			metadata: {
				[key: string]: unknown;
			} | null;
			org_id: string;
			goal_id: string;
			created_by: string;
			/** Format: date-time */
			created_at: string;
			/** Format: date-time */
			updated_at: string;
		};
		/** GoalAnswer */
		GoalAnswer: {
			goal: components["schemas"]["Goal"];
			goal_id: string;
		};
		/** Goals */
		Goals: {
			total: number;
			next_cursor: string | null;
			goals: components["schemas"]["Goal"][];
		};
		/**
		 * Grant
		 * @description A standing grant as it is now. `last_use` is the newest of its uses; what it let through are the approvals that
		 *     name it.
		 */
		Grant: {
			/** @description the organization that the row belongs to */
			org_id: string;
			/** @description id of the grant */
			grant_id: string;
			/** @description the agents that it is for */
			agent_ids: string[];
			/** @description what kind of action */
			action_type: string;
			/** @description the conditions on the request; empty holds for all of them */
			when: {
				[key: string]: unknown;
			} | null;
			/** @description the highest risk that it lets through */
			max_risk: number;
			/** @description how often it can be used */
			max_uses: number;
			/** @description how often it was used */
			used: number;
			/**
			 * Format: date-time
			 * @description the first moment at which it lets nothing through any more
			 */
			expires_at: string;
			/** @description why it was given */
			reason: string;
			/** @description the action whose request gave the pattern */
			from_action_id: string | null;
			/**
			 * Format: date-time
			 * @description when it was recorded
			 */
			created_at: string;
			/** @description id of the key that gave it */
			created_by: string;
			/** @description who gave it, by the key's name then */
			created_by_name: string;
			/** @description the newest use */
			last_use: components["schemas"]["GrantUse"] | null;
			/** @description when it was revoked */
			revoked_at: string | null;
			/** @description id of the key that revoked it */
			revoked_by: string | null;
			/** @description why it was revoked */
			revoked_reason: string | null;
		};
		/** GrantDetail */
		GrantDetail: {
			grant: components["schemas"]["Grant"];
			state: components["schemas"]["GrantState"];
		};
		/**
		 * GrantDraft
		 * @description The pattern of a request, ready to be narrowed or widened: whose, what, under which conditions, and up to which
		 *     risk. As it stands it covers this very request and no other, but for what another adds beside its parameters.
		 *     `exact` says of each value that is bound by its digest what it is (`3 items`), by its field. `unbound` are arguments
		 *     that no condition can bind, `unbound_metadata` the names of its metadata, which change with each call and are not
		 *     bound. `covers` says whether a grant of exactly this would let the request through, `why_not` why it would not.
		 */
		GrantDraft: {
			action_id: string;
			/** @description the agents that it is for */
			agent_ids: string[];
			/** @description what kind of action */
			action_type: string;
			/** @description the conditions on the request; empty holds for all of them */
			when: {
				[key: string]: unknown;
			} | null;
			exact: {
				[key: string]: string;
			};
			unbound: string[];
			/** @description the highest risk that it lets through */
			max_risk: number;
			unbound_metadata: string[];
			covers: boolean;
			why_not: string | null;
		};
		/**
		 * GrantPreview
		 * @description Of the `looked_at` requests of the type that guard had a person decide since then, `covered` fit the pattern, by
		 *     the policies as they are now; how many of them people allowed and denied, how many `ran`, and how many of those
		 *     `failed`. `failures_high` bounds the share that fails from above with a confidence of 95 %, over independent
		 *     `clusters` (sessions); None where fewer than two ran. `always_asked` would be asked about anyway, whatever the
		 *     pattern. `simulated` of the covered ones a simulator made up. `truncated` says that there were more than 20,000.
		 */
		GrantPreview: {
			/** Format: date-time */
			since: string;
			looked_at: number;
			covered: number;
			by_agent: components["schemas"]["CoveredAgent"][];
			approved: number;
			denied: number;
			/** @description covered ones that another grant had let through */
			granted: number;
			ran: number;
			failed: number;
			/** @description covered ones that did not run, or had not ended */
			no_outcome: number;
			clusters: number;
			failures_high: number | null;
			always_asked: number;
			simulated: number;
			near_misses: components["schemas"]["NearMiss"][];
			truncated: boolean;
		};
		/**
		 * GrantState
		 * @description `live` lets through; `used_up`, `expired` and `revoked` do not any more. Revoked counts before expired, and
		 *     expired before used up.
		 * @enum {string}
		 */
		GrantState: "live" | "used_up" | "expired" | "revoked";
		/**
		 * GrantUse
		 * @description One use: the `number`-th, of this action, whose approval it gave under guard's decision. `self_decided` says
		 *     that the key which made the grant is the one that opened the action.
		 */
		GrantUse: {
			number: number;
			action_id: string;
			approval_id: string;
			decision_id: string;
			/** Format: date-time */
			at: string;
			self_decided: boolean;
		};
		/**
		 * GrantUses
		 * @description A grant with each of its uses, oldest first, as they were recorded.
		 */
		GrantUses: {
			grant: components["schemas"]["Grant"];
			state: components["schemas"]["GrantState"];
			uses: components["schemas"]["GrantUse"][];
		};
		/**
		 * Grants
		 * @description A page, newest first. `total` counts all that fit; `at` is the moment by which states are told (`state_of`);
		 *     `next_cursor` is None on the last page.
		 */
		Grants: {
			grants: components["schemas"]["Grant"][];
			total: number;
			/** Format: date-time */
			at: string;
			next_cursor: string | null;
		};
		/** GraphEdge */
		GraphEdge: {
			source: string;
			target: string;
			type: components["schemas"]["EdgeKind"];
		};
		/**
		 * GraphNode
		 * @description `id` is the id of the row that it stands for.
		 */
		GraphNode: {
			id: string;
			type: components["schemas"]["NodeKind"];
			label: string;
			status: string | null;
			at: string | null;
		};
		/**
		 * GroupDuty
		 * @description A group at one moment. `until` is when it goes off shift, None while it is not on, and where it always is;
		 *     `next_at` when it comes on, None while it is on, and where it never does. `operators` are its members' valid keys,
		 *     `unknown` the members who have none.
		 */
		GroupDuty: {
			name: string;
			on_shift: boolean;
			until: string | null;
			next_at: string | null;
			operators: components["schemas"]["Operator"][];
			unknown: string[];
		};
		/**
		 * GuardContext
		 * @description What an agent is about to do. The body is open: every further member is kept and policies can look at it.
		 *
		 *     `risk_score` is the agent's own estimate, 0 to 100. `parameters` are what the action is done with, or
		 *     `parameters_digest` stands for them. `parent_session_id` is the session in which `session_id` was begun, such as
		 *     that of the agent whose sub-agent asks; it is kept in the decision's context. `occurred_at` and `source` belong to
		 *     history and need an admin key.
		 */
		GuardContext: {
			/** @description what kind of action */
			action_type: string;
			/** @description what the agent wanted */
			declared_goal?: string | null;
			/** @description who asked */
			agent_id?: string | null;
			systems_touched?: string[] | null;
			parameters?: {
				[key: string]: unknown;
			} | null;
			parameters_digest?: string | null;
			externality?: components["schemas"]["Externality"] | null;
			reversible?: boolean | null;
			risk_score?: number | null;
			metadata?: {
				[key: string]: unknown;
			} | null;
			/** @description where the agent runs */
			runtime?: components["schemas"]["Runtime"] | null;
			/** @description the session it belongs to */
			session_id?: string | null;
			/** @description the session in which that one was begun */
			parent_session_id?: string | null;
			/** @description when it happened; earlier than evaluated_at for imported history */
			occurred_at?: string | null;
			/** @description live, import, or simulated: a simulator made it up */
			source?: components["schemas"]["Source"] | null;
		} & {
			[key: string]: unknown;
		};
		/**
		 * GuardDecision
		 * @description One row of the list of decisions; `created_at` is when it was recorded, `occurred_at` when it happened.
		 *     `propensity` is how probable it was, 1 by rules alone; `explored` says that a policy did the other thing.
		 */
		GuardDecision: {
			id: string;
			/** @description id of the decision */
			decision_id: string;
			/** @description the organization that the row belongs to */
			org_id: string;
			/** @description who asked */
			agent_id: string | null;
			/** @description what kind of action */
			action_type: string;
			/** @description what the agent wanted */
			declared_goal: string | null;
			/** @description allow, warn, require_approval or block */
			decision: components["schemas"]["Decision"];
			/** @description the decision with every observed policy enforced; empty when none matched */
			would_decide: components["schemas"]["Decision"] | null;
			/** @description the reasons in one text */
			reason: string | null;
			/** @description ids of the enforced policies that matched */
			matched_policies: string[];
			/** @description ids of the observed policies that matched */
			observed_policies: string[];
			/** @description the service's risk, never below the agent's */
			risk_score: number;
			/** @description the agent's own estimate */
			agent_risk_score: number | null;
			/** @description which version of the organization's policies decided */
			policy_version: number;
			/** @description live, import, or simulated: a simulator made it up */
			source: components["schemas"]["Source"];
			/**
			 * Format: date-time
			 * @description when it happened; earlier than evaluated_at for imported history
			 */
			occurred_at: string;
			/**
			 * Format: date-time
			 * @description when it was recorded
			 */
			created_at: string;
			/** @description how probable this decision was; 1 where rules alone decided */
			propensity: number;
			/** @description whether a policy did the other thing to find out */
			explored: boolean;
		};
		/**
		 * GuardDecisions
		 * @description `total` counts every row that fits the filters; `by_decision` splits it; `next_cursor` is None at the end.
		 */
		GuardDecisions: {
			decisions: components["schemas"]["GuardDecision"][];
			total: number;
			by_decision: {
				[key: string]: number;
			};
			stats: components["schemas"]["GuardStats"];
			limit: number;
			offset: number;
			next_cursor: string | null;
		};
		/**
		 * GuardResult
		 * @description A recorded decision.
		 *
		 *     `risk_score` is the service's (0 to 100, never below the agent's own), `agent_risk_score` the agent's raw value.
		 *     `risk_breakdown` names each addition; what a risk template raised is there as `template`. The `risk_template_`
		 *     members are there when a template rated the action: which, in which version, and its own risk. `action_type` is the
		 *     type as it is compared and kept, `action_type_as_sent` is there where it was sent in another spelling.
		 *     `would_decide` is what the decision would have been with every observed policy enforced, None when no observed
		 *     policy matched; `observed_policies` are the ids of those that did. `action_id` repeats `decision_id` for
		 *     published clients: it names the evaluation, not an action.
		 *     `destructive` is whether the goal speaks of destruction, absent where nobody looked. `explored` is there where a
		 *     policy did the other thing to find out (`contract.control.exploration`), `triaged` where triage let it pass
		 *     (`contract.control.triage`).
		 */
		GuardResult: {
			/** @description allow, warn, require_approval or block */
			decision: components["schemas"]["Decision"];
			/** @description id of the decision */
			decision_id: string;
			action_id: string;
			/** @description who asked */
			agent_id: string | null;
			/** @description what kind of action */
			action_type: string;
			/** @description the reasons in one text */
			reason: string | null;
			/** @description texts of policies that block or ask for approval */
			reasons: string[];
			/** @description texts of policies that warn */
			warnings: string[];
			signals: string[];
			/** @description ids of the enforced policies that matched */
			matched_policies: string[];
			/** @description the decision with every observed policy enforced; empty when none matched */
			would_decide: components["schemas"]["Decision"] | null;
			/** @description ids of the observed policies that matched */
			observed_policies: string[];
			/** @description which version of the organization's policies decided */
			policy_version: number;
			/** @description the service's risk, never below the agent's */
			risk_score: number;
			/** @description the agent's own estimate */
			agent_risk_score: number | null;
			/** @description each addition to the risk by name */
			risk_breakdown: {
				[key: string]: number;
			};
			/** @description what the agent's history added */
			predictive_risk: components["schemas"]["PredictiveRisk"];
			/**
			 * Format: date-time
			 * @description when guard decided
			 */
			evaluated_at: string;
			learning?: components["schemas"]["Learning"];
			/** @description the risk template that rated it; empty when none did */
			risk_template_id?: string;
			/** @description which version of that template */
			risk_template_version?: number;
			/** @description the template's own risk, before it was compared with others */
			risk_template_score?: number;
			action_type_as_sent?: string;
			/** @description whether the goal speaks of destruction; empty where nobody looked */
			destructive?: boolean;
			/** @description whether a policy did the other thing to find out */
			explored?: boolean;
			triaged?: boolean;
		};
		/**
		 * GuardStats
		 * @description Counts of the last 24 hours, whatever the filters.
		 */
		GuardStats: {
			total_24h: number;
			blocks_24h: number;
			warns_24h: number;
			approvals_24h: number;
		};
		/**
		 * Halt
		 * @description `changed_by` is the name of the key that turned it; it and `changed_at` are None when nobody ever has.
		 */
		Halt: {
			/** @description whether everything is blocked from here on */
			halted: boolean;
			/** @description why, none when it was switched off */
			reason: string | null;
			/** @description when it was turned */
			changed_at: string | null;
			/** @description name of the key that turned it */
			changed_by: string | null;
		};
		/** HaltRequest */
		HaltRequest: {
			/** @description why */
			reason: string;
		};
		/**
		 * Handoff
		 * @description `id` is `handoff_id` once more, as published clients know it.
		 */
		Handoff: {
			/** @description the organization that the row belongs to */
			org_id: string;
			id: string;
			/** @description id of the handoff */
			handoff_id: string;
			/** @description whose session it was */
			agent_id: string | null;
			/** @description what happened */
			summary: string;
			/** @description whatever else the next session should know */
			context: {
				[key: string]: unknown;
			};
			/** @description words to find it by */
			tags: string[];
			/** @description the day of the session */
			session_date: string;
			/** @description what was decided, a text or a list */
			key_decisions: string | unknown[] | null;
			/** @description what is left to do, a text or a list */
			open_tasks: string | unknown[] | null;
			/** @description how people were, a text or a list */
			mood_notes: string | unknown[] | null;
			/** @description what comes first, a text or a list */
			next_priorities: string | unknown[] | null;
			/** @description id of the key that left it */
			created_by: string;
			/**
			 * Format: date-time
			 * @description when it was recorded
			 */
			created_at: string;
		};
		/**
		 * Handoffs
		 * @description `handoff` is the first of `handoffs`, the newest that fits, and None when there is none.
		 */
		Handoffs: {
			handoffs: components["schemas"]["Handoff"][];
			handoff: components["schemas"]["Handoff"] | null;
			total: number;
			/** Format: date-time */
			lastUpdated: string;
			next_cursor: string | null;
		};
		/** Health */
		Health: {
			status: string;
			version: string;
			/** Format: date-time */
			time: string;
		};
		/**
		 * Heartbeat
		 * @description What an agent says of itself. `status` is a word of its own, `online` without one; `offline` signs it off until
		 *     it calls again. `agent_name` stays as it was when it is left out, the others are forgotten. `metadata` may have
		 *     10,000 bytes.
		 */
		Heartbeat: {
			/** @description the agent */
			agent_id?: string | null;
			/** @description what it last called itself */
			agent_name?: string | null;
			status?: string | null;
			/** @description what it last said that it was working on */
			current_task_id?: string | null;
			/** @description what else it last said of itself */
			metadata?: {
				[key: string]: unknown;
			} | null;
		};
		/**
		 * HeartbeatReceived
		 * @description `timestamp` is the service's own time.
		 */
		HeartbeatReceived: {
			status: string;
			/** Format: date-time */
			timestamp: string;
		};
		/**
		 * HintStatus
		 * @description `shown`: episodes on which it was not found bear it out. `insufficient_data`: nothing can be told yet.
		 * @enum {string}
		 */
		HintStatus: "shown" | "not_shown" | "insufficient_data";
		/**
		 * HintTest
		 * @description Whether a hint (`risk_cap`, `confidence_floor` or `prefer_reversible`) helps: it is found anew on either
		 *     half of the clusters and tested on the other. `gain` is how much more often episodes that follow it succeed (a
		 *     share, with its 95% interval over clusters); `p_adjusted` is one-sided, corrected for all hints of the answer. `n`
		 *     episodes of `clusters` were tested. Nobody drew lots who follows.
		 */
		HintTest: {
			hint: string;
			status: components["schemas"]["HintStatus"];
			gain: number | null;
			low: number | null;
			high: number | null;
			p_adjusted: number | null;
			n: number;
			clusters: number;
		};
		/** Idea */
		Idea: {
			title: string;
			description: string | null;
			category: string | null;
			score: number | null;
			status: string | null;
			source: string | null;
			agent_id: string | null;
			metadata: {
				[key: string]: unknown;
			} | null;
			org_id: string;
			idea_id: string;
			created_by: string;
			/** Format: date-time */
			created_at: string;
			/** Format: date-time */
			updated_at: string;
		};
		/** IdeaAnswer */
		IdeaAnswer: {
			idea: components["schemas"]["Idea"];
			idea_id: string;
		};
		/** Ideas */
		Ideas: {
			total: number;
			next_cursor: string | null;
			ideas: components["schemas"]["Idea"][];
		};
		/** Identities */
		Identities: {
			identities: components["schemas"]["Identity"][];
		};
		/**
		 * Identity
		 * @description One for each agent. `fingerprint` is `sha256:` and the hex SHA-256 of the key's SPKI in DER.
		 *
		 *     Signatures count from `updated_at` on, when this key came to be the agent's, and no more once `revoked_at` is set.
		 *     `pairing_id` is the pairing that it came from, None where an admin registered it.
		 */
		Identity: {
			/** @description the organization that the row belongs to */
			org_id: string;
			/** @description id of the identity */
			identity_id: string;
			/** @description the agent whose key it is */
			agent_id: string;
			/** @description how the agent signs: RSASSA-PKCS1-v1_5 or Ed25519 */
			algorithm: components["schemas"]["Algorithm"];
			/** @description the key as an SPKI PEM */
			public_key: string;
			/** @description SHA-256 of the key's SPKI in DER */
			fingerprint: string;
			/** @description the pairing that it came from; empty when an admin registered it */
			pairing_id: string | null;
			/** @description id of the key of the admin who registered or approved it */
			registered_by: string;
			/** @description when it was revoked */
			revoked_at: string | null;
			/** @description id of the key that revoked it */
			revoked_by: string | null;
			/**
			 * Format: date-time
			 * @description when it was recorded
			 */
			created_at: string;
			/**
			 * Format: date-time
			 * @description when it last changed
			 */
			updated_at: string;
		};
		/** IdentityDetail */
		IdentityDetail: {
			identity: components["schemas"]["Identity"];
		};
		/**
		 * ImportPolicies
		 * @description `yaml` is the text of a pack, or `pack` names one that comes with the service (`default`).
		 *
		 *     A policy whose name exists already is changed to what the pack says. With `replace`, policies that the pack does
		 *     not name are deleted.
		 */
		ImportPolicies: {
			yaml?: string | null;
			pack?: string | null;
			/** @description Default: `false`. */
			replace?: boolean | null;
		};
		/**
		 * ImportedPolicies
		 * @description How many policies the pack made or changed, left as they were, and removed. `warnings` say what was enforced and
		 *     is not any more, and are those of all policies that the organization has now.
		 */
		ImportedPolicies: {
			imported: number;
			unchanged: number;
			deleted: number;
			policies: components["schemas"]["Policy"][];
			warnings: string[];
		};
		/**
		 * Include
		 * @description Besides the numbers: nothing, the verdicts that changed, or all of them.
		 * @enum {string}
		 */
		Include: "summary" | "changes" | "verdicts";
		/**
		 * InclusionProof
		 * @description That event `n` is in the tree of `head`: `leaf_hash` and `hashes` (hex, from the leaf upwards) give the root.
		 */
		InclusionProof: {
			n: number;
			leaf_hash: string;
			hashes: string[];
			head: components["schemas"]["LogHead"];
		};
		/**
		 * InjectionFinding
		 * @description One thing that gives a text away. `pattern` is the name of the rule, `says` what it means in a sentence's end.
		 *     `position` to `end` are characters of the text as it was given, `matched` is what stands there, its first 200
		 *     characters and without secrets. `via` are the decodings that had to be undone, outermost first; `weight` is what it
		 *     adds to the score.
		 */
		InjectionFinding: {
			/** @description name of the rule */
			pattern: string;
			/** @description what kind of injection */
			category: string;
			/** @description low, medium, high or critical */
			severity: string;
			/** @description what the words do */
			says: string;
			/** @description the words, the first 200 characters and without secrets */
			matched: string;
			/** @description where they begin in the text */
			position: number;
			/** @description where they end */
			end: number;
			/** @description decodings that had to be undone, outermost first */
			via: string[];
			/** @description what it adds to the score */
			weight: number;
		};
		/**
		 * InjectionScan
		 * @description `clean` is whether nothing at all was found; what to do is `recommendation`. `score` is the sum of weights as
		 *     the source makes them count. `allowed`: an operator allows this very text, so the recommendation is allow whatever
		 *     was found. `text_digest` is that of the text without its secrets, as guard sees it and an operator allows it.
		 *     `unread`: a part of the text was beyond what is decoded. `version` are the rules that it was scanned
		 *     with. `scan_id` is None when nothing was recorded.
		 */
		InjectionScan: {
			clean: boolean;
			/** @description none, low, medium, high or critical */
			risk_level: components["schemas"]["RiskLevel"];
			/** @description allow, warn or block */
			recommendation: components["schemas"]["ScanRecommendation"];
			/** @description how many findings */
			findings_count: number;
			/** @description how many of them are critical */
			critical_count: number;
			/** @description categories of the findings, the heaviest first */
			categories: string[];
			/** @description what was found, the heaviest first */
			findings: components["schemas"]["InjectionFinding"][];
			/** @description where the text came from, as it was scanned */
			source: string;
			/** @description sum of the weights of what was found, as the source makes them count */
			score: number;
			/** @description SHA-256 of the text, sha256: and hex */
			text_digest: string;
			/** @description whether an operator allows this text */
			allowed: boolean;
			/** @description the rules that it was scanned with */
			version: string;
			/** @description id of the scan */
			scan_id: string | null;
			/** @description whether a part was beyond what is decoded */
			unread: boolean;
		};
		/**
		 * InjectionScans
		 * @description `total` counts all that fit; `next_cursor` is None on the last page.
		 */
		InjectionScans: {
			scans: components["schemas"]["RecordedScan"][];
			total: number;
			by_recommendation: {
				[key: string]: number;
			};
			next_cursor: string | null;
		};
		/** Interaction */
		Interaction: {
			summary: string;
			contact_name: string | null;
			contact_id: string | null;
			direction: string | null;
			platform: string | null;
			type: string | null;
			agent_id: string | null;
			metadata: {
				[key: string]: unknown;
			} | null;
			org_id: string;
			interaction_id: string;
			created_by: string;
			/** Format: date-time */
			created_at: string;
			/** Format: date-time */
			updated_at: string;
		};
		/** InteractionAnswer */
		InteractionAnswer: {
			interaction: components["schemas"]["Interaction"];
			interaction_id: string;
		};
		/** Interactions */
		Interactions: {
			total: number;
			next_cursor: string | null;
			interactions: components["schemas"]["Interaction"][];
		};
		/**
		 * Jwk
		 * @description A public key (RFC 7517, RFC 8037). `kid` is its RFC 7638 thumbprint, `x` its 32 bytes; both base64url without
		 *     padding. `nbf` and `exp` in seconds since 1970: what it signed counts from `nbf` on and before `exp`.
		 */
		Jwk: {
			kty: string;
			crv: string;
			x: string;
			kid: string;
			use?: string;
			alg?: string;
			nbf?: number;
			exp?: number;
			revoked?: components["schemas"]["JwkRevoked"];
		};
		/**
		 * JwkRevoked
		 * @description `revoked_at` in seconds since 1970.
		 */
		JwkRevoked: {
			revoked_at: number;
			reason: string;
		};
		/** Jwks */
		Jwks: {
			keys: components["schemas"]["Jwk"][];
		};
		/**
		 * Key
		 * @description A key without its secret; `hint` is its last four characters. `any_agent` was asked for when it was made.
		 */
		Key: {
			/** @description the organization that the row belongs to */
			org_id: string;
			/** @description id of the key */
			key_id: string;
			/** @description what people call it */
			name: string;
			/** @description agent, operator, auditor or admin */
			role: components["schemas"]["Role"];
			/** @description the only agent it speaks for, if it is bound to one */
			agent_id: string | null;
			/** @description last four characters of the secret */
			hint: string;
			/**
			 * Format: date-time
			 * @description when it was recorded
			 */
			created_at: string;
			/** @description id of the key that made it, or system */
			created_by: string;
			/** @description when it was revoked */
			revoked_at: string | null;
			/** @description id of the key that revoked it */
			revoked_by: string | null;
			/** @description whether it was made for any agent */
			any_agent: boolean;
		};
		/** KeyDetail */
		KeyDetail: {
			key: components["schemas"]["Key"];
		};
		/**
		 * KeyPoint
		 * @description `id` is `point_id` once more, as published clients know it.
		 */
		KeyPoint: {
			/** @description the organization that the row belongs to */
			org_id: string;
			id: string;
			/** @description id of the key point */
			point_id: string;
			/** @description whose it is */
			agent_id: string | null;
			/** @description what it says */
			content: string;
			/** @description a word of the agent's own, general without one */
			category: string;
			/** @description from 1 to 10, as the agent sees it */
			importance: number;
			/** @description the day of the session */
			session_date: string;
			/** @description id of the key that captured it */
			created_by: string;
			/**
			 * Format: date-time
			 * @description when it was recorded
			 */
			created_at: string;
		};
		/** KeyPoints */
		KeyPoints: {
			points: components["schemas"]["KeyPoint"][];
			total: number;
			/** Format: date-time */
			lastUpdated: string;
			next_cursor: string | null;
		};
		/** Keys */
		Keys: {
			keys: components["schemas"]["Key"][];
		};
		/**
		 * KnowledgeCollection
		 * @description `doc_count` counts its items; `last_synced_at` is when they were last marked as taken in.
		 */
		KnowledgeCollection: {
			name: string;
			description: string | null;
			source_type: string | null;
			tags: string[] | null;
			agent_id: string | null;
			metadata: {
				[key: string]: unknown;
			} | null;
			org_id: string;
			collection_id: string;
			doc_count: number;
			last_synced_at: string | null;
			created_by: string;
			/** Format: date-time */
			created_at: string;
			/** Format: date-time */
			updated_at: string;
		};
		/** KnowledgeCollectionAnswer */
		KnowledgeCollectionAnswer: {
			collection: components["schemas"]["KnowledgeCollection"];
			collection_id: string;
		};
		/** KnowledgeCollections */
		KnowledgeCollections: {
			total: number;
			next_cursor: string | null;
			collections: components["schemas"]["KnowledgeCollection"][];
		};
		/**
		 * KnowledgeItem
		 * @description `status` is pending until the collection is synced, then synced.
		 */
		KnowledgeItem: {
			source_uri: string;
			title: string | null;
			content: string | null;
			mime_type: string | null;
			tags: string[] | null;
			agent_id: string | null;
			metadata: {
				[key: string]: unknown;
			} | null;
			org_id: string;
			item_id: string;
			collection_id: string;
			status: string;
			created_by: string;
			/** Format: date-time */
			created_at: string;
			/** Format: date-time */
			updated_at: string;
		};
		/** KnowledgeItemAnswer */
		KnowledgeItemAnswer: {
			item: components["schemas"]["KnowledgeItem"];
			item_id: string;
		};
		/** KnowledgeItems */
		KnowledgeItems: {
			total: number;
			next_cursor: string | null;
			items: components["schemas"]["KnowledgeItem"][];
		};
		/**
		 * KnowledgeMatch
		 * @description `score` is the share of the words of the query that the item has, 0 to 1.
		 */
		KnowledgeMatch: {
			item: components["schemas"]["KnowledgeItem"];
			item_id: string;
			score: number;
		};
		/**
		 * KnowledgeMatches
		 * @description `total` counts all items that have any of the words.
		 */
		KnowledgeMatches: {
			query: string;
			results: components["schemas"]["KnowledgeMatch"][];
			total: number;
		};
		/**
		 * KnownTypesSummary
		 * @description What the active policies of kind known_types have on their lists, and the unknown types of the last 30 days that
		 *     are live or imported, the newest first, 100 at most; `unknown_total` counts all.
		 */
		KnownTypesSummary: {
			known: string[];
			unknown: components["schemas"]["UnknownType"][];
			unknown_total: number;
		};
		/**
		 * LastTest
		 * @description The newest connection test of the organization, taken from its recorded action.
		 */
		LastTest: {
			action_id: string;
			/** Format: date-time */
			at: string;
			passed: boolean;
		};
		/**
		 * LaunchWorkflowTemplate
		 * @description What the action is created with; `declared_goal` is the template's objective unless it is given.
		 */
		LaunchWorkflowTemplate: {
			/** @description who acts */
			agent_id?: string | null;
			/** @description what kind of action */
			action_type?: string | null;
			/** @description what the agent wanted */
			declared_goal?: string | null;
			variables?: {
				[key: string]: unknown;
			} | null;
			risk_score?: number | null;
			/** @description the session it belongs to */
			session_id?: string | null;
			/** @description the session in which that one was begun */
			parent_session_id?: string | null;
		};
		/**
		 * LaunchedWorkflow
		 * @description The action that stands for the workflow from here on; report its outcome when the steps are through.
		 */
		LaunchedWorkflow: {
			action: components["schemas"]["Action"];
			action_id: string;
			decision: components["schemas"]["GuardResult"];
			/** @description id of the workflow template */
			template_id: string;
			version: number;
		};
		/**
		 * Learning
		 * @description Feedback from the agent's own outcomes; present only when history exists for the agent and action type.
		 */
		Learning: {
			recent_score_avg: number;
			baseline_score_avg: number;
			drift_status: string;
			patterns: string[];
			feedback_summary: {
				[key: string]: number;
			};
		};
		/**
		 * LearningCurve
		 * @description One point of a curve: `episode_count` episodes of an agent and action type, the `exposure_from`-th to the
		 *     `exposure_to`-th within the days that were asked for.
		 *
		 *     Scores are 0 to 100, `p25_score`, `p50_score` and `p75_score` their quantiles; durations milliseconds, of
		 *     `duration_n` episodes that have one; costs US dollars, of `cost_n`. Intervals are of 95%, None below two values.
		 */
		LearningCurve: {
			id: string;
			agent_id: string;
			action_type: string;
			/** Format: date-time */
			window_start: string;
			/** Format: date-time */
			window_end: string;
			exposure_from: number;
			exposure_to: number;
			episode_count: number;
			success_rate: number;
			success_low: number;
			success_high: number;
			avg_score: number;
			score_low: number | null;
			score_high: number | null;
			p25_score: number;
			p50_score: number;
			p75_score: number;
			duration_n: number;
			avg_duration_ms: number | null;
			duration_low: number | null;
			duration_high: number | null;
			cost_n: number;
			avg_cost: number | null;
			cost_low: number | null;
			cost_high: number | null;
			status: components["schemas"]["DataStatus"];
			simulated: number;
			/** Format: date-time */
			created_at: string;
		};
		/**
		 * LearningDirection
		 * @description Where the intervals of `standardized` and `without_season` both leave out 0 on one side; else `unclear`.
		 * @enum {string}
		 */
		LearningDirection: "improving" | "declining" | "unclear";
		/**
		 * LearningPeriod
		 * @description Days and weeks (from Monday on) are UTC.
		 * @enum {string}
		 */
		LearningPeriod: "daily" | "weekly";
		/**
		 * LearningSummary
		 * @description Counts of episodes and agents; `avg_score` 0 to 100 and `success_rate` 0 to 1 over all episodes with their 95%
		 *     intervals, None of none. An agent is `improving` or `declining` by its `direction`, which takes out that other work
		 *     was done, else `unclear`. `by_maturity` counts agents. Episodes are actions that ran: `stopped` ones were blocked,
		 *     denied or expired, `cancelled` ones given up while they ran; they have no outcome, and with them the share of
		 *     successes would lie between `success_least` and `success_most`.
		 */
		LearningSummary: {
			total_episodes: number;
			total_agents: number;
			avg_score: number | null;
			avg_low: number | null;
			avg_high: number | null;
			success_rate: number | null;
			success_low: number | null;
			success_high: number | null;
			improving: number;
			declining: number;
			unclear: number;
			by_maturity: {
				[key: string]: number;
			};
			velocity: components["schemas"]["LearningVelocity"][];
			status: components["schemas"]["DataStatus"];
			simulated: number;
			/** Format: date-time */
			since: string;
			/** Format: date-time */
			until: string;
			stopped: number;
			success_least: number | null;
			success_most: number | null;
			cancelled: number;
		};
		/**
		 * LearningVelocity
		 * @description How fast an agent's episodes get better, from its `episode_count` episodes that ended from `period_start` to
		 *     `period_end`, in `windows` of a day or a week that have any.
		 *
		 *     `velocity` is the least-squares slope of the windows' mean scores, in points (0 to 100) per window; `acceleration`
		 *     that of the later half less that of the earlier, `score_delta` the last mean less the first; these three have three
		 *     decimals. `slope` is Theil and Sen's, exact. Intervals are of 95%; None where the windows are too few for one.
		 *     `success_rate` is from 0 to 1.
		 *
		 *     `velocity` may come from easier work, or from other hours, alone. `standardized` is the part of it within kinds of
		 *     work (action type, whether it can be taken back, stated risk in bands of 20, `kinds` in number), at the same hours
		 *     of the day and days of the week where the later half of the windows has others than the earlier; and `mix` is the
		 *     rest, so that both add up to it. Its interval is over `clusters` blocks of windows (`basis` says of how many, and
		 *     what of the season is the same). `unmatched` episodes are at hours or on days that only one half has: there, nothing
		 *     is compared across halves. `without_season` is the part within kinds of work whatever the hours and days are; where
		 *     both are the same it is `standardized` itself. `direction` goes by both intervals.
		 *     The interval of `score_delta`, `score_delta_low` to `score_delta_high`, is over what the episodes of the first and
		 *     of the last window belong to: `score_delta_clusters` of `score_delta_basis`, worth `score_delta_n_effective`
		 *     independent ones; it is None where these tell nothing of chance. All is of actions that ran. Nothing is stored: `id`
		 *     names the agent and the period, `created_at` is now.
		 */
		LearningVelocity: {
			id: string;
			agent_id: string;
			period: components["schemas"]["LearningPeriod"];
			/** Format: date-time */
			period_start: string;
			/** Format: date-time */
			period_end: string;
			episode_count: number;
			windows: number;
			avg_score: number;
			avg_low: number | null;
			avg_high: number | null;
			success_rate: number;
			success_low: number;
			success_high: number;
			score_delta: number | null;
			velocity: number | null;
			velocity_low: number | null;
			velocity_high: number | null;
			slope: number | null;
			slope_low: number | null;
			slope_high: number | null;
			acceleration: number | null;
			maturity_level: string;
			maturity_score: number;
			status: components["schemas"]["DataStatus"];
			simulated: number;
			/** Format: date-time */
			created_at: string;
			standardized: number | null;
			standardized_low: number | null;
			standardized_high: number | null;
			mix: number | null;
			kinds: number | null;
			clusters: number | null;
			basis: string | null;
			unmatched: number | null;
			direction: components["schemas"]["LearningDirection"];
			score_delta_low: number | null;
			score_delta_high: number | null;
			score_delta_clusters: number | null;
			score_delta_n_effective: number | null;
			score_delta_basis: string | null;
			without_season: number | null;
			without_season_low: number | null;
			without_season_high: number | null;
		};
		/**
		 * Lesson
		 * @description What `sample_size` episodes of an agent and action type teach.
		 *
		 *     `confidence` (35 to 95) says how far the lesson goes. `success_rate` is shrunk toward `group_rate`, that of all who
		 *     do this type, which counts as `group_strength` episodes of `group_members` agents; `success_low` and `success_high`
		 *     are its 95% credible interval. `raw_success_rate` is successes / sample_size with Wilson's interval.
		 *     Rates are from 0 to 1, `avg_score` 0 to 100. The hints are from the `best_n` best episodes: what these have in
		 *     common, which need not help. `tests` says of each whether other episodes bear it out, over `clusters` of which
		 *     `basis` says what they are. It was learned from actions that ran: `stopped` ones and those `cancelled` while they
		 *     ran have no outcome, and with them the share of successes would lie between `success_least` and `success_most`.
		 */
		Lesson: {
			/** @description whose it is */
			agent_id: string;
			/** @description what kind of action it is about */
			action_type: string;
			confidence: number;
			success_rate: number;
			success_low: number;
			success_high: number;
			raw_success_rate: number;
			raw_success_low: number;
			raw_success_high: number;
			group_rate: number;
			group_strength: number;
			group_members: number;
			avg_score: number;
			score_low: number | null;
			score_high: number | null;
			hints: components["schemas"]["LessonHints"];
			best_n: number;
			guidance: string[];
			sample_size: number;
			/** Format: date-time */
			window_start: string;
			/** Format: date-time */
			window_end: string;
			status: components["schemas"]["DataStatus"];
			simulated: number;
			tests: components["schemas"]["HintTest"][];
			clusters: number;
			basis: string | null;
			stopped: number;
			success_least: number | null;
			success_most: number | null;
			cancelled: number;
		};
		/**
		 * LessonHints
		 * @description From the best episodes: stay at or below `risk_cap`, of the risk that the agent states itself, be at least
		 *     `confidence_floor` confident (both 0 to 100), expect `expected_duration` milliseconds and `expected_cost` US
		 *     dollars. None where they do not say.
		 */
		LessonHints: {
			risk_cap: number | null;
			prefer_reversible: boolean | null;
			confidence_floor: number | null;
			expected_duration: number | null;
			expected_cost: number | null;
		};
		/**
		 * Lessons
		 * @description `lessons` by confidence, the highest first, then those with most episodes; `total` counts all.
		 *     `insufficient_data` are groups below `min_samples`, with what is known of them and without hints. `drift_warnings`
		 *     are the newest of a middling or large change (warning, critical) that nobody has acknowledged, `MOST_DRIFT_WARNINGS`
		 *     at most.
		 */
		Lessons: {
			lessons: components["schemas"]["Lesson"][];
			insufficient_data: components["schemas"]["Lesson"][];
			drift_warnings: components["schemas"]["DriftWarning"][];
			/** @description whose it is */
			agent_id: string | null;
			total: number;
			min_samples: number;
			/** Format: date-time */
			since: string;
			/** Format: date-time */
			until: string;
		};
		/**
		 * LogHead
		 * @description A signed tree head. `size` counts the organization's events, `root` is hex; `checkpoint` is all of it as a signed
		 *     note (C2SP tlog-checkpoint), the one text to keep; `kid` names the signing key.
		 */
		LogHead: {
			origin: string;
			size: number;
			root: string;
			/** Format: date-time */
			signed_at: string;
			kid: string;
			checkpoint: string;
		};
		/** LoopDetail */
		LoopDetail: {
			loop: components["schemas"]["OpenLoop"];
		};
		/**
		 * LoopEnd
		 * @description How a loop closes: `resolved` says how, `cancelled` that nobody needs it any more.
		 * @enum {string}
		 */
		LoopEnd: "resolved" | "cancelled";
		/**
		 * LoopPriority
		 * @enum {string}
		 */
		LoopPriority: "low" | "medium" | "high" | "critical";
		/**
		 * LoopStats
		 * @description Over every loop that fits the filters; `critical_open` and `high_open` count open ones of that priority.
		 */
		LoopStats: {
			open_count: number;
			resolved_count: number;
			cancelled_count: number;
			critical_open: number;
			high_open: number;
		};
		/**
		 * LoopStatus
		 * @enum {string}
		 */
		LoopStatus: "open" | "resolved" | "cancelled";
		/** LoopTrace */
		LoopTrace: {
			total: number;
			open: number;
			resolved: number;
			cancelled: number;
			items: components["schemas"]["OpenLoop"][];
		};
		/**
		 * LoopType
		 * @description What is missing. A `dependency` that is open explains why its action does not come to an end.
		 * @enum {string}
		 */
		LoopType: "followup" | "question" | "dependency" | "approval" | "review" | "handoff" | "other";
		/**
		 * Loops
		 * @description A page, newest first. `next_cursor` is None on the last page; `lastUpdated` is the service's time.
		 */
		Loops: {
			loops: components["schemas"]["OpenLoop"][];
			total: number;
			stats: components["schemas"]["LoopStats"];
			/** Format: date-time */
			lastUpdated: string;
			next_cursor: string | null;
		};
		/**
		 * Mark
		 * @description What a reader does with a message.
		 * @enum {string}
		 */
		Mark: "read" | "archive";
		/**
		 * MarkMessages
		 * @description `agent_id` is who has read or archived them; a key that is bound to an agent may leave it out.
		 */
		MarkMessages: {
			message_ids: string[];
			action: components["schemas"]["Mark"];
			/** @description the agent that read or archived it */
			agent_id?: string | null;
		};
		/**
		 * MarkedMessages
		 * @description `updated` counts the messages that were not marked so before. Unknown ones, and those that are not for this
		 *     reader, are left out of it.
		 */
		MarkedMessages: {
			updated: number;
		};
		/**
		 * MaturityLevel
		 * @description What an agent has to reach, all three.
		 */
		MaturityLevel: {
			level: string;
			min_episodes: number;
			min_success_rate: number;
			min_avg_score: number;
		};
		/**
		 * MaturityLevels
		 * @description From the lowest level on.
		 */
		MaturityLevels: {
			levels: components["schemas"]["MaturityLevel"][];
		};
		/**
		 * MeasuredEffect
		 * @description What moved with a change. `estimate` is standardised, with its interval of 95%; `raw` is the plain difference.
		 *
		 *     Shares are from 0 to 1 (`unit` is share), waiting is in minutes. `control_before` and `control_after` are of what
		 *     the change could not reach, null where nothing is. `season` and `mix` are what was standardised on, `left_out`
		 *     counts rows by why they did not count, `assumptions` are what the estimate rests on. Of failures, `possible_low` to
		 *     `possible_high` is where the plain difference over all decisions lies, whatever those without an outcome (blocked,
		 *     denied, expired, never tried) would have been; null for other measures, and where a side has no decision.
		 *     `sentence` says it all in words.
		 */
		MeasuredEffect: {
			measure: components["schemas"]["ChangeMeasure"];
			unit: string;
			status: components["schemas"]["EffectStatus"];
			reason: string;
			method: components["schemas"]["EffectMethod"];
			estimate: number | null;
			low: number | null;
			high: number | null;
			raw: number | null;
			before: components["schemas"]["MeasuredSide"];
			after: components["schemas"]["MeasuredSide"];
			control_before: components["schemas"]["MeasuredSide"] | null;
			control_after: components["schemas"]["MeasuredSide"] | null;
			blocks_before: number;
			blocks_after: number;
			season: string[];
			mix: string[];
			left_out: {
				[key: string]: number;
			};
			assumptions: string[];
			placebo: components["schemas"]["PlaceboResult"];
			placebos: components["schemas"]["PlaceboDate"][];
			possible_low: number | null;
			possible_high: number | null;
			sentence: string;
		};
		/**
		 * MeasuredSide
		 * @description `n` rows in so many `clusters`, worth `n_effective` independent ones; their mean with its interval of 95%.
		 */
		MeasuredSide: {
			n: number;
			clusters: number;
			n_effective: number;
			design_effect: number | null;
			mean: number | null;
			low: number | null;
			high: number | null;
		};
		/** MemoryHealth */
		MemoryHealth: {
			health: {
				[key: string]: unknown;
			} | number;
			entities: unknown[] | null;
			topics: unknown[] | null;
			agent_id: string | null;
			org_id: string;
			snapshot_id: string;
			created_by: string;
			/** Format: date-time */
			created_at: string;
			/** Format: date-time */
			updated_at: string;
		};
		/** MemoryHealthAnswer */
		MemoryHealthAnswer: {
			snapshot: components["schemas"]["MemoryHealth"];
			snapshot_id: string;
		};
		/** MemoryReports */
		MemoryReports: {
			total: number;
			next_cursor: string | null;
			snapshots: components["schemas"]["MemoryHealth"][];
		};
		/**
		 * Message
		 * @description `id` and `message_id` are the same. `to_agent_id` is null for a broadcast.
		 *
		 *     `status`, `is_read`, `read_at` and `archived_at` are those of the reader: the addressee, or for a broadcast the
		 *     agent that asks. `read_by` lists who has read it, in that order; a key that is bound to an agent is told of others
		 *     only where its agent is the sender.
		 */
		Message: {
			/** @description the organization that the row belongs to */
			org_id: string;
			id: string;
			/** @description id of the message */
			message_id: string;
			/** @description the message thread it is in */
			thread_id: string | null;
			/** @description the agent that sent it */
			from_agent_id: string;
			/** @description the agent it went to; empty for a broadcast to all */
			to_agent_id: string | null;
			/** @description action, info, lesson, question or status */
			message_type: components["schemas"]["MessageType"];
			/** @description what it is about, in its sender's words */
			subject: string | null;
			/** @description what it says */
			body: string;
			/** @description whether its sender called it urgent */
			urgent: boolean;
			status: components["schemas"]["MessageStatus"];
			/** @description where more is to be found */
			doc_ref: string | null;
			/** @description the action it is about */
			action_id: string | null;
			/** @description its files: ids, names, types, sizes and digests */
			attachments: components["schemas"]["Attachment"][];
			is_read: boolean;
			read_by: string[];
			/**
			 * Format: date-time
			 * @description when it was recorded
			 */
			created_at: string;
			read_at: string | null;
			archived_at: string | null;
		};
		/** MessageDetail */
		MessageDetail: {
			message: components["schemas"]["Message"];
		};
		/**
		 * MessageStatus
		 * @description `sent` until its reader has read or archived it.
		 * @enum {string}
		 */
		MessageStatus: "sent" | "read" | "archived";
		/**
		 * MessageThread
		 * @description `id` and `thread_id` are the same. `message_count` and `last_message_at` are of the messages that the caller may
		 *     see.
		 */
		MessageThread: {
			/** @description the organization that the row belongs to */
			org_id: string;
			id: string;
			/** @description id of the thread */
			thread_id: string;
			/** @description what it is called */
			name: string;
			/** @description ids of the agents that it is for; none means all */
			participants: string[];
			/** @description open, or resolved: it takes no more messages */
			status: components["schemas"]["MessageThreadStatus"];
			/** @description what came of it */
			summary: string | null;
			/** @description the agent that opened it */
			created_by: string | null;
			/**
			 * Format: date-time
			 * @description when it was recorded
			 */
			created_at: string;
			/**
			 * Format: date-time
			 * @description when it last changed
			 */
			updated_at: string;
			/** @description when it was resolved; empty while it is open */
			resolved_at: string | null;
			message_count: number;
			last_message_at: string | null;
		};
		/**
		 * MessageThreadStatus
		 * @description A resolved thread takes no more messages.
		 * @enum {string}
		 */
		MessageThreadStatus: "open" | "resolved";
		/**
		 * MessageThreads
		 * @description Newest first. `total` is how many fit the filters, on all pages.
		 */
		MessageThreads: {
			threads: components["schemas"]["MessageThread"][];
			total: number;
			next_cursor: string | null;
		};
		/**
		 * MessageTrace
		 * @description Messages about the action that the caller may see: how many, and the first 200 of them, oldest first.
		 */
		MessageTrace: {
			total: number;
			items: components["schemas"]["Message"][];
		};
		/**
		 * MessageType
		 * @description `action` asks somebody to do something, `lesson` is something learnt that others should know.
		 * @enum {string}
		 */
		MessageType: "action" | "info" | "lesson" | "question" | "status";
		/**
		 * Messages
		 * @description Newest first. `total` is how many fit the filters, on all pages. `unread_count` is how many messages wait unread
		 *     in the agent's inbox, whatever the filters; 0 where no agent is named.
		 */
		Messages: {
			messages: components["schemas"]["Message"][];
			total: number;
			unread_count: number;
			next_cursor: string | null;
		};
		/**
		 * MetricDistribution
		 * @description Percentiles are values that occurred: the one at floor(n * p), counted from 0.
		 */
		MetricDistribution: {
			p10: number;
			p25: number;
			p50: number;
			p75: number;
			p90: number;
			min: number;
			max: number;
		};
		/**
		 * Mode
		 * @description Enforced policies decide; observed ones are evaluated and reported as `would_decide` only.
		 * @enum {string}
		 */
		Mode: "enforce" | "observe";
		/** ModelStrategies */
		ModelStrategies: {
			total: number;
			next_cursor: string | null;
			strategies: components["schemas"]["ModelStrategy"][];
		};
		/** ModelStrategy */
		ModelStrategy: {
			name: string;
			config: {
				[key: string]: unknown;
			};
			description: string | null;
			agent_id: string | null;
			metadata: {
				[key: string]: unknown;
			} | null;
			org_id: string;
			strategy_id: string;
			created_by: string;
			/** Format: date-time */
			created_at: string;
			/** Format: date-time */
			updated_at: string;
		};
		/** ModelStrategyAnswer */
		ModelStrategyAnswer: {
			strategy: components["schemas"]["ModelStrategy"];
			strategy_id: string;
		};
		/** Mood */
		Mood: {
			mood: string;
			energy: number | string | null;
			notes: string | null;
			agent_id: string | null;
			metadata: {
				[key: string]: unknown;
			} | null;
			org_id: string;
			mood_id: string;
			created_by: string;
			/** Format: date-time */
			created_at: string;
			/** Format: date-time */
			updated_at: string;
		};
		/**
		 * NearMiss
		 * @description Requests that one bound alone leaves out: `place` is where it stands, such as `when.all[1]`, `says` what it says,
		 *     and `action_ids` are the newest of them.
		 */
		NearMiss: {
			place: string;
			says: string;
			/** @description requests that nothing else leaves out */
			n: number;
			action_ids: string[];
		};
		/**
		 * NewAttachment
		 * @description `data` is the file in base64 (RFC 4648, section 4, with padding), at most 5 MiB before encoding. `mime_type` is
		 *     one of image/png, image/jpeg, image/gif, image/webp, application/pdf, text/plain, text/markdown, text/csv and
		 *     application/json; parameters behind it are dropped. What is inside is not looked at.
		 */
		NewAttachment: {
			filename: string;
			mime_type: string;
			data: string;
		};
		/**
		 * NodeKind
		 * @enum {string}
		 */
		NodeKind: "action" | "decision" | "policy" | "approval" | "assumption" | "loop" | "message";
		/**
		 * NotReplayed
		 * @description A policy whose answer nobody can repeat, or, for a flow policy, not on all decisions.
		 */
		NotReplayed: {
			index: number;
			policy_id: string | null;
			name: string;
			reason: string;
		};
		/**
		 * NumbersStatus
		 * @description Whether there are enough values to say how much they vary: two or more.
		 * @enum {string}
		 */
		NumbersStatus: "ok" | "insufficient_data";
		/** Observation */
		Observation: {
			observation: string;
			category: string | null;
			importance: number | string | null;
			agent_id: string | null;
			metadata: {
				[key: string]: unknown;
			} | null;
			org_id: string;
			observation_id: string;
			created_by: string;
			/** Format: date-time */
			created_at: string;
			/** Format: date-time */
			updated_at: string;
		};
		/**
		 * ObservedDecision
		 * @description `would_decide` is what enforcing would have given instead of `decision`. `policies` are those that are stricter
		 *     than what was decided, in guard's order. `action_id` is the action that came of it, None where none did.
		 */
		ObservedDecision: {
			decision_id: string;
			action_id: string | null;
			agent_id: string | null;
			session_id: string | null;
			action_type: string;
			tool: string;
			declared_goal: string | null;
			decision: components["schemas"]["Decision"];
			would_decide: components["schemas"]["Decision"];
			policies: components["schemas"]["ObservedReason"][];
			risk_score: number;
			source: components["schemas"]["Source"];
			/** Format: date-time */
			occurred_at: string;
			/** Format: date-time */
			created_at: string;
		};
		/**
		 * ObservedDecisions
		 * @description Of `n` decisions from `since` to `until`, `simulated` and `imported` of which never waited for an answer, as many
		 *     would have been `warned`, `asked` and `blocked` with everything enforced that observed then, instead of something
		 *     milder; standing grants and triage may let some of these through. `policies` are those that observe now, and those
		 *     that would have changed something, the most first; `not_shown` of them are left out. `total` counts all rows of the
		 *     list, `sessions` the different sessions that they are of, `tools` those of its most frequent tools; `next_cursor` is
		 *     None at the end.
		 */
		ObservedDecisions: {
			/** Format: date-time */
			since: string;
			/** Format: date-time */
			until: string;
			n: number;
			simulated: number;
			imported: number;
			warned: number;
			asked: number;
			blocked: number;
			policies: components["schemas"]["ObservingPolicy"][];
			not_shown: number;
			tools: components["schemas"]["ObservedTool"][];
			decisions: components["schemas"]["ObservedDecision"][];
			total: number;
			sessions: number;
			limit: number;
			offset: number;
			next_cursor: string | null;
		};
		/**
		 * ObservedReason
		 * @description What one policy that observed would have given, and why. `name` is what it was called then. `would_decide` is
		 *     None of a webhook, whose answer is not kept, and `reason` where nothing tells it any more. `condition` says that the
		 *     reason is a condition, as it is written. `earlier` says that it observes by these rules no more.
		 */
		ObservedReason: {
			policy_id: string;
			name: string;
			would_decide: components["schemas"]["Decision"] | null;
			reason: string | null;
			condition: boolean;
			earlier: boolean;
		};
		/**
		 * ObservedTool
		 * @description How many decisions of the list were about calls of a tool: `metadata.tool`, `tool` or `tool_name` of the request,
		 *     else its action type.
		 */
		ObservedTool: {
			name: string;
			n: number;
		};
		/**
		 * ObservingPolicy
		 * @description What one policy alone would have changed. `observes_since` is since when it observes by its present rules, None
		 *     where it does not now; `observed` is whether it ever did. Of the `n` decisions of the window since then it would
		 *     have `warned`, `asked` and `blocked` so many, and made `earlier` ones stricter before, by the rules of then.
		 *     `would_decide` is what it gives now where it matches, None of a webhook.
		 *
		 *     Of a flow policy, `untold` counts the live calls since then, of its agents, in sessions that were told nothing,
		 *     which it leaves alone while it observes; a call without a session is one of them. `untold_writes` are those that
		 *     write, send or destroy by the names of their tools and that were decided milder: enforced, it makes at least them
		 *     stricter. It is None for a rule of the house (`when`), which looks at more than that. `untold_unknown` were not
		 *     looked at, as there are too many different ones. `read_with` names the flow policies by whose packs its calls are
		 *     read, too, only while it observes.
		 */
		ObservingPolicy: {
			policy_id: string;
			name: string;
			observes_since: string | null;
			observed: boolean;
			would_decide: components["schemas"]["Decision"] | null;
			n: number;
			warned: number;
			asked: number;
			blocked: number;
			earlier: number;
			untold: number;
			untold_writes: number | null;
			untold_unknown: number;
			read_with: string[];
		};
		/**
		 * OpenLoop
		 * @description Something an action left open, with what its action said of itself; closed ones are kept.
		 *
		 *     `source` is simulated for a loop of a made-up action, else live: whoever registers it does so now.
		 *     `resolved_by` names the key that closed it.
		 */
		OpenLoop: {
			/** @description the organization that the row belongs to */
			org_id: string;
			/** @description id of the loop */
			loop_id: string;
			/** @description the action that left it open */
			action_id: string;
			/** @description who acted */
			agent_id: string | null;
			/** @description what people called the agent then */
			agent_name: string | null;
			/** @description what the agent wanted then */
			declared_goal: string | null;
			/** @description what kind of action */
			action_type: string;
			/** @description followup, question, dependency, approval, review, handoff or other */
			loop_type: components["schemas"]["LoopType"];
			/** @description what is open */
			description: string;
			/** @description open, resolved or cancelled */
			status: components["schemas"]["LoopStatus"];
			/** @description low, medium, high or critical */
			priority: components["schemas"]["LoopPriority"];
			/** @description who should take care of it */
			owner: string | null;
			/** @description how it was resolved, or why it was cancelled */
			resolution: string | null;
			/** @description whatever the agent added */
			metadata: {
				[key: string]: unknown;
			};
			/** @description live, or simulated: a simulator made the action up */
			source: components["schemas"]["Source"];
			/**
			 * Format: date-time
			 * @description when it was recorded
			 */
			created_at: string;
			/**
			 * Format: date-time
			 * @description when it last changed
			 */
			updated_at: string;
			/** @description when it was closed; empty while it is open */
			resolved_at: string | null;
			/** @description name of the key that closed it */
			resolved_by: string | null;
		};
		/**
		 * OpenNotice
		 * @description `link` is the last part of the link in a notice.
		 */
		OpenNotice: {
			link: string;
		};
		/**
		 * OpenedNotice
		 * @description The request that the notice told of. To decide on it is the operator's, as ever.
		 */
		OpenedNotice: {
			action_id: string;
			event: string;
			/** Format: date-time */
			opened_at: string;
		};
		/**
		 * Operator
		 * @description A valid key that decides, by its name.
		 */
		Operator: {
			/** @description id of the key */
			key_id: string;
			/** @description what people call it */
			name: string;
			/** @description agent, operator, auditor or admin */
			role: components["schemas"]["Role"];
		};
		/**
		 * OperatorAgreement
		 * @description Decisions about requests of one kind (agent and action type): of the `pairs` by different operators the share
		 *     `same` that agree, of pairs drawn from all kinds `by_chance`, and `alpha`, 0 at chance and 1 where all agree, with
		 *     its 95% interval over kinds; of `own_pairs` by one operator the share `own`.
		 */
		OperatorAgreement: {
			n: number;
			operators: number;
			kinds: number;
			pairs: number;
			same: number | null;
			by_chance: number | null;
			alpha: number | null;
			alpha_low: number | null;
			alpha_high: number | null;
			own_pairs: number;
			own: number | null;
			status: components["schemas"]["AskingStatus"];
		};
		/**
		 * OperatorGroup
		 * @description `members` are keys of operators and admins by their names, such as an e-mail address.
		 */
		OperatorGroup: {
			name: string;
			members: string[];
			/**
			 * @description name of a time zone, such as Europe/Berlin
			 * @default UTC
			 */
			time_zone: string;
			/** @default [] */
			shifts: components["schemas"]["Shift"][];
		};
		/**
		 * OperatorInsight
		 * @description `p50_seconds` is the median time from asking to this operator's decision.
		 */
		OperatorInsight: {
			operator: string;
			decided: number;
			approved: number;
			denied: number;
			p50_seconds: number;
		};
		/**
		 * OperatorTime
		 * @description Minutes that all `decided` requests took of operators, as `AskedGroup` counts them, with the 95% interval, None
		 *     where fewer than ten are `seen`.
		 */
		OperatorTime: {
			minutes: number | null;
			low: number | null;
			high: number | null;
			seen: number;
			decided: number;
		};
		/**
		 * OperatorTiring
		 * @description `change` is the share allowed in the last third of a burst less that in its first, the mean over `bursts` of six
		 *     decisions or more (`n` decisions), with its 95% interval, None below ten bursts.
		 */
		OperatorTiring: {
			steps: components["schemas"]["BurstStep"][];
			n: number;
			bursts: number;
			change: number | null;
			low: number | null;
			high: number | null;
			status: components["schemas"]["AskingStatus"];
		};
		/** Operators */
		Operators: {
			operators: components["schemas"]["Operator"][];
		};
		/** Organization */
		Organization: {
			/** @description the organization that the row belongs to */
			org_id: string;
			/** @description what people call it */
			name: string;
			/** @description short name, unique within the service */
			slug: string;
			/**
			 * Format: date-time
			 * @description when it was recorded
			 */
			created_at: string;
			/** @description when it was last changed */
			updated_at: string | null;
			/** @description the risk below which its policies may explore; 0: none does */
			explore_below: number;
		};
		/** OrganizationDetail */
		OrganizationDetail: {
			organization: components["schemas"]["Organization"];
		};
		/** Organizations */
		Organizations: {
			organizations: components["schemas"]["Organization"][];
		};
		/**
		 * Outcome
		 * @description `elapsed_ms` is from the action's start to its outcome, and to now while that is pending. Without a report the
		 *     status is what the action's own says: `failed` for one that failed, was cancelled or blocked. `outcome_mark` tells
		 *     the report sent again under the same idempotency key.
		 */
		Outcome: {
			/** @description the organization that the row belongs to */
			org_id: string;
			/** @description the action that ended */
			action_id: string;
			/** @description who acted */
			agent_id: string | null;
			/** @description completed, partial or failed */
			status: components["schemas"]["OutcomeStatus"];
			/** @description when it was reported */
			outcome_at: string | null;
			/** @description what came out */
			summary: string | null;
			/** @description why it failed */
			error_message: string | null;
			/** @description how far it came */
			progress: {
				[key: string]: unknown;
			} | null;
			/** @description from the action's start to the report */
			elapsed_ms: number | null;
			/** @description id of the key that reported it */
			reported_by: string | null;
			/**
			 * Format: date-time
			 * @description when it was recorded
			 */
			created_at: string;
			/** @description digest that tells the report sent again under the same idempotency key */
			outcome_mark?: string;
		};
		/**
		 * OutcomeStatus
		 * @description `pending` is never reported: nothing was, yet.
		 * @enum {string}
		 */
		OutcomeStatus: "pending" | "completed" | "partial" | "failed";
		/**
		 * OutcomeValue
		 * @description The share of decisions that end so: as it was done (`staying`), as the policy would have it (`going`), and the
		 *     latter less the former. Three estimates of going, null unless it is known: by inverse propensity, self-normalised,
		 *     and doubly robust, which `going` is around.
		 */
		OutcomeValue: {
			staying: components["schemas"]["ValueInterval"];
			going: components["schemas"]["ValueInterval"];
			change: components["schemas"]["ValueInterval"];
			inverse: number | null;
			normalised: number | null;
			doubly_robust: number | null;
		};
		/**
		 * OverallStats
		 * @description `total_scores` and `avg_score` are `n` and `mean` by their published names; `today_count` is of today, UTC.
		 */
		OverallStats: {
			n: number;
			mean: number | null;
			mean_low: number;
			mean_high: number;
			min: number | null;
			max: number | null;
			sd: number | null;
			passed: number;
			pass_rate: number | null;
			pass_low: number;
			pass_high: number;
			simulated: number;
			total_scores: number;
			/** @description mean of its scores */
			avg_score: number | null;
			unique_scorers: number;
			today_count: number;
		};
		/** Pagination */
		Pagination: {
			limit: number;
			offset: number;
		};
		/**
		 * Pairing
		 * @description `fingerprint` is `sha256:` and the hex SHA-256 of the key's SPKI in DER: compare it with the agent's own before
		 *     approving.
		 */
		Pairing: {
			id: string;
			/** @description id of the pairing */
			pairing_id: string;
			/** @description the agent that asks */
			agent_id: string;
			/** @description what people call the agent */
			agent_name: string | null;
			/** @description how the agent signs: RSASSA-PKCS1-v1_5 or Ed25519 */
			algorithm: components["schemas"]["Algorithm"];
			/** @description pending, approved or expired */
			status: components["schemas"]["PairingState"];
			/**
			 * Format: date-time
			 * @description until when it may be approved
			 */
			expires_at: string;
			/**
			 * Format: date-time
			 * @description when it was recorded
			 */
			created_at: string;
			/**
			 * Format: date-time
			 * @description when it last changed
			 */
			updated_at: string;
			/** @description the organization that the row belongs to */
			org_id: string;
			/** @description the key as an SPKI PEM */
			public_key: string;
			/** @description SHA-256 of the key's SPKI in DER */
			fingerprint: string;
			/** @description id of the key that asked */
			created_by: string;
			/** @description name of the key that approved it */
			approved_by: string | null;
			/** @description when it was approved */
			approved_at: string | null;
		};
		/** PairingDetail */
		PairingDetail: {
			pairing: components["schemas"]["PairingStatus"];
		};
		/**
		 * PairingState
		 * @description `expired` from the moment its time has passed, whether or not anybody looked.
		 * @enum {string}
		 */
		PairingState: "pending" | "approved" | "expired";
		/**
		 * PairingStatus
		 * @description What anybody who knows the id may see. `id` and `pairing_id` are the same.
		 */
		PairingStatus: {
			id: string;
			/** @description id of the pairing */
			pairing_id: string;
			/** @description the agent that asks */
			agent_id: string;
			/** @description what people call the agent */
			agent_name: string | null;
			/** @description how the agent signs: RSASSA-PKCS1-v1_5 or Ed25519 */
			algorithm: components["schemas"]["Algorithm"];
			/** @description pending, approved or expired */
			status: components["schemas"]["PairingState"];
			/**
			 * Format: date-time
			 * @description until when it may be approved
			 */
			expires_at: string;
			/**
			 * Format: date-time
			 * @description when it was recorded
			 */
			created_at: string;
			/**
			 * Format: date-time
			 * @description when it last changed
			 */
			updated_at: string;
		};
		/**
		 * Pairings
		 * @description Newest first.
		 */
		Pairings: {
			pairings: components["schemas"]["Pairing"][];
		};
		/**
		 * PcaaAction
		 * @description `replay` is the action's trace, `proof` the snapshot for people, `export` the bundle for a verifier.
		 *
		 *     `checkpoints` are the five in their order, judged when `proof.head` was signed, as in the certificate; `assent.pcaa`
		 *     gives the same for the records in `replay`. `externality` is what the agent said of the action's reach, None when
		 *     nothing.
		 */
		PcaaAction: {
			action_id: string;
			replay: components["schemas"]["ActionTrace"];
			proof: components["schemas"]["ProofSnapshot"];
			export: components["schemas"]["ProofBundle"];
			checkpoints: components["schemas"]["PcaaCheckpoint"][];
			enforceability: components["schemas"]["Enforceability"];
			receipts: components["schemas"]["Receipts"];
			externality: components["schemas"]["Externality"] | null;
		};
		/**
		 * PcaaCheckpoint
		 * @description How one action stands at one checkpoint.
		 *
		 *     `value` is, in the order of the checkpoints: guard's decision, the action's id, the newest assumption's id, the
		 *     approval's state, the action's status. None where there is nothing; it says what is there, not what is owed.
		 */
		PcaaCheckpoint: {
			id: components["schemas"]["CheckpointId"];
			status: components["schemas"]["CheckpointStatus"];
			value: string | null;
		};
		/**
		 * PcaaCounts
		 * @description The actions that each number is a mean over.
		 */
		PcaaCounts: {
			checkpointCoverage: number;
			approvalRate: number;
			evidenceCompletion: number;
		};
		/**
		 * PcaaEstimate
		 * @description A number of PCAA health from 0 to 100 with its 95% interval; None, and 0 to 100, of no action.
		 */
		PcaaEstimate: {
			value: number | null;
			low: number;
			high: number;
		};
		/**
		 * PcaaGap
		 * @description `missing` of the `expected` actions of an agent and type lack this checkpoint; `newest_action_id` is the newest
		 *     recorded one that does.
		 */
		PcaaGap: {
			id: components["schemas"]["CheckpointId"];
			agent_id: string | null;
			action_type: string;
			expected: number;
			missing: number;
			newest_action_id: string;
		};
		/**
		 * PcaaGaps
		 * @description Actions that happened from `since` to `until`: `all` together and how they stand at each checkpoint, then by
		 *     agent, action type and runtime, each with most incomplete actions first, 50 at most; `gaps` with most missing first,
		 *     100 at most. `not_shown` says how many more there are of each.
		 */
		PcaaGaps: {
			window: string;
			/** Format: date-time */
			since: string;
			/** Format: date-time */
			until: string;
			all: components["schemas"]["PcaaGroup"];
			checkpoints: components["schemas"]["CheckpointCounts"][];
			by_agent: components["schemas"]["PcaaGroup"][];
			by_type: components["schemas"]["PcaaGroup"][];
			by_runtime: components["schemas"]["PcaaGroup"][];
			gaps: components["schemas"]["PcaaGap"][];
			not_shown: {
				[key: string]: number;
			};
		};
		/**
		 * PcaaGroup
		 * @description The numbers of PCAA health over the `n` actions of one agent, action type or runtime; `name` is None where the
		 *     actions do not say. `incomplete` of them miss a checkpoint that will not come by itself.
		 */
		PcaaGroup: {
			name: string | null;
			n: number;
			incomplete: number;
			coverage: components["schemas"]["PcaaEstimate"];
			approval: components["schemas"]["PcaaEstimate"];
			evidence: components["schemas"]["PcaaEstimate"];
			simulated: number;
		};
		/**
		 * PcaaHealth
		 * @description Three numbers from 0 to 100 (0 when their `n` is 0) over actions that happened from `since` to `until`.
		 *
		 *     `checkpointCoverage`: mean over actions of answered / expected checkpoints, where answered is complete or denied.
		 *     `approvalRate`: share of actions that reached approval. `evidenceCompletion`: mean over actions of observed /
		 *     expected receipts. `assent.pcaa` has the rules.
		 *     `simulated` counts the actions that a simulator made; they are among the others.
		 */
		PcaaHealth: {
			window: string;
			/** Format: date-time */
			since: string;
			/** Format: date-time */
			until: string;
			checkpointCoverage: number;
			approvalRate: number;
			evidenceCompletion: number;
			n: components["schemas"]["PcaaCounts"];
			checkpoints: components["schemas"]["CheckpointCounts"][];
			simulated: number;
		};
		/**
		 * PlaceboDate
		 * @description What is found at an earlier date. The interval is of 1 - 0.05 / (how many dates).
		 */
		PlaceboDate: {
			/** Format: date-time */
			at: string;
			estimate: number;
			low: number;
			high: number;
			found: boolean;
		};
		/**
		 * PlaceboResult
		 * @description `failed`: something was found at an earlier date where nothing is known to have changed. `passed` shows little:
		 *     earlier dates have about half the data, and most trends pass.
		 * @enum {string}
		 */
		PlaceboResult: "passed" | "failed" | "insufficient_data";
		/**
		 * Policies
		 * @description In the order of their creation. `version` counts the changes of the organization's policies.
		 */
		Policies: {
			policies: components["schemas"]["Policy"][];
			/** @description version of the organization's policies that this state came with */
			version: number;
		};
		/**
		 * Policy
		 * @description A stored policy. No `agent_ids` means every agent; `rules` is normalised data; `version` is the organization's
		 *     version of its policies that this state of the policy came with.
		 */
		Policy: {
			/** @description the organization that the row belongs to */
			org_id: string;
			/** @description id of the policy */
			policy_id: string;
			/** @description what people call it */
			name: string;
			/** @description which kind it is */
			policy_type: string;
			/** @description its rules, defaults filled in */
			rules: {
				[key: string]: unknown;
			};
			/** @description whether guard looks at it */
			active: boolean;
			/** @description the agents it is limited to; empty means all */
			agent_ids: string[];
			/** @description enforce or observe */
			mode: components["schemas"]["Mode"];
			/** @description version of the organization's policies that this state came with */
			version: number;
			/**
			 * Format: date-time
			 * @description when it was recorded
			 */
			created_at: string;
			/** @description id of the key that made it, or system */
			created_by: string;
			/**
			 * Format: date-time
			 * @description when it was last changed
			 */
			updated_at: string;
			/** @description id of the key that changed it last */
			updated_by: string;
			/** @description when it was removed */
			deleted_at: string | null;
			/** @description for which share of hours it does the other thing to find out */
			explore: number;
			/** @description never, destructive or always: whether it asks although a standing grant covers the request */
			always_ask: components["schemas"]["AlwaysAsk"];
		};
		/**
		 * PolicyChange
		 * @description Members to change; the others stay. `policy_id` may be given here instead of in the path. With `if_version`, the
		 *     `version` of the policy as it was read, a policy that somebody changed since is left as it is.
		 */
		PolicyChange: {
			/** @description id of the policy */
			policy_id?: string | null;
			if_version?: number | null;
			/** @description what people call it */
			name?: string | null;
			/** @description which kind it is */
			policy_type?: string | null;
			/** @description Any JSON value. */
			rules?: unknown;
			/** @description whether guard looks at it */
			active?: boolean | null;
			/** @description the agents it is limited to; empty means all */
			agent_ids?: string[] | null;
			/** @description enforce or observe */
			mode?: components["schemas"]["Mode"] | null;
			/** @description for which share of hours it does the other thing to find out */
			explore?: number | null;
			/** @description never, destructive or always: whether it asks although a standing grant covers the request */
			always_ask?: components["schemas"]["AlwaysAsk"] | null;
		};
		/**
		 * PolicyCheck
		 * @description Whether one policy can be read and compiled.
		 */
		PolicyCheck: {
			/** @description id of the policy */
			policy_id: string | null;
			/** @description what people call it */
			name: string;
			passed: boolean;
			message: string;
		};
		/**
		 * PolicyCosts
		 * @description What one interruption and one failure cost, in one unit of the caller's choice; and with `lost_work` each
		 *     decision whose work is not completed, a failed one too.
		 */
		PolicyCosts: {
			interruption: number;
			failure: number;
			lost_work?: number | null;
		};
		/**
		 * PolicyDetail
		 * @description `warnings` say what the policy rests on and is not there, such as a group with nobody in it, and which tools
		 *     other policies read its way.
		 */
		PolicyDetail: {
			policy: components["schemas"]["Policy"];
			warnings: string[];
		};
		/**
		 * PolicyDraft
		 * @description A policy as somebody asks for it; `rules` is an object or its JSON text, see `parse_rules`. `explore` is for
		 *     which share of hours it does the other thing (`contract.control.exploration`), 0 for never. `always_ask` of one that
		 *     asks for approval: never, destructive or always, whether it asks although a standing grant covers the request.
		 */
		PolicyDraft: {
			/** @description what people call it */
			name: string;
			/** @description which kind it is */
			policy_type: string;
			/** @description Any JSON value. */
			rules: unknown;
			/** @description whether guard looks at it Default: `true`. */
			active?: boolean | null;
			/** @description the agents it is limited to; empty means all Default: `[]`. */
			agent_ids?: string[] | null;
			/** @description enforce or observe Default: `"enforce"`. */
			mode?: components["schemas"]["Mode"] | null;
			/** @description for which share of hours it does the other thing to find out Default: `0.0`. */
			explore?: number | null;
			/** @description never, destructive or always: whether it asks although a standing grant covers the request Default: `"never"`. */
			always_ask?: components["schemas"]["AlwaysAsk"] | null;
		};
		/**
		 * PolicyEvaluation
		 * @description `says` tells in words what the numbers rest on and what cannot be known.
		 *
		 *     Of `n` decisions, in so many `clusters` (`basis` says what they are), the policy would do what was done in `same`,
		 *     block in `stopped`, do what a draw could have done in `explored`, and what nobody saw in `without`; `unknown` have
		 *     no outcome. `draws` did what it would; their weights amount to `effective` decisions, the heaviest hundredth has the
		 *     share `heaviest`, and their mean, which ought to be 1, is `mean_weight`. `asked_staying` and `asked_going` decisions
		 *     ask a person. `failures` and `work` are the shares that fail and that complete. `better` says whether the cost of
		 *     going, or without costs its failures, is surely below (true) or above (false) that of staying; null where it is not
		 *     sure, and where completed work surely falls (or, for false, rises) and has no price.
		 */
		PolicyEvaluation: {
			status: components["schemas"]["ValueStatus"];
			says: string[];
			n: number;
			simulated: number;
			clusters: number;
			basis: string;
			window: string;
			/** Format: date-time */
			since: string;
			/** Format: date-time */
			until: string;
			same: number;
			stopped: number;
			explored: number;
			without: number;
			unknown: number;
			draws: number;
			effective: number;
			heaviest: number;
			mean_weight: number | null;
			asked_staying: number;
			asked_going: number;
			failures: components["schemas"]["OutcomeValue"] | null;
			work: components["schemas"]["OutcomeValue"] | null;
			costs: components["schemas"]["CostValue"] | null;
			better: boolean | null;
		};
		/**
		 * PolicyTest
		 * @description `result` is what guard would have answered, None without a context. `success` says that every policy passed.
		 */
		PolicyTest: {
			success: boolean;
			total: number;
			passed: number;
			failed: number;
			results: components["schemas"]["PolicyCheck"][];
			result: components["schemas"]["GuardResult"] | null;
		};
		/**
		 * Portion
		 * @description `n` of `of`, with its rate and the Wilson interval of 95%, as shares from 0 to 1. The rate is null and the
		 *     interval is from 0 to 1 where `of` is 0.
		 */
		Portion: {
			n: number;
			of: number;
			rate: number | null;
			low: number;
			high: number;
			status: components["schemas"]["BacktestStatus"];
		};
		/**
		 * PredictionQuality
		 * @description How well `of` predicts its outcome (`predicts`: success or failure), over the `n` finished actions that have it.
		 *
		 *     `base_rate` is the share that came true, with Wilson's interval. The Brier score is the mean squared error, and
		 *     brier = reliability - resolution + uncertainty + within_bin. `ece` is the expected calibration error, a share;
		 *     both have bootstrap intervals. All but n and the base rate are null with `insufficient_data`.
		 *
		 *     The n actions were released, and lie in `clusters` (`basis` says of what), worth `n_effective` independent ones:
		 *     `clustered_low` to `clustered_high` is the interval of the base rate over these. `stopped` actions, and those
		 *     `cancelled` while they ran, stated something and have no outcome; with them the base rate would lie between
		 *     `base_least` and `base_most`.
		 */
		PredictionQuality: {
			of: components["schemas"]["Predictor"];
			predicts: string;
			status: components["schemas"]["CalibrationStatus"];
			n: number;
			simulated: number;
			base_rate: number | null;
			base_low: number;
			base_high: number;
			brier: number | null;
			brier_low: number | null;
			brier_high: number | null;
			reliability: number | null;
			resolution: number | null;
			uncertainty: number | null;
			within_bin: number | null;
			ece: number | null;
			ece_low: number | null;
			ece_high: number | null;
			bins: components["schemas"]["ReliabilityBin"][];
			clusters: number | null;
			basis: string | null;
			n_effective: number | null;
			clustered_low: number | null;
			clustered_high: number | null;
			stopped: number;
			base_least: number | null;
			base_most: number | null;
			cancelled: number;
		};
		/** PredictiveRisk */
		PredictiveRisk: {
			statistical: components["schemas"]["StatisticalRisk"];
			total_adjustment: number;
		};
		/**
		 * Predictor
		 * @description `confidence` states the chance to succeed, `risk_score` the chance to fail, both in percent.
		 * @enum {string}
		 */
		Predictor: "confidence" | "risk_score";
		/** Preference */
		Preference: {
			preference: string;
			category: string | null;
			confidence: number | null;
			agent_id: string | null;
			metadata: {
				[key: string]: unknown;
			} | null;
			org_id: string;
			preference_id: string;
			created_by: string;
			/** Format: date-time */
			created_at: string;
			/** Format: date-time */
			updated_at: string;
		};
		/**
		 * PreferenceSummary
		 * @description How many there are of each, and the newest five.
		 */
		PreferenceSummary: {
			observation_count: number;
			preference_count: number;
			mood_count: number;
			approach_count: number;
			observations: components["schemas"]["Observation"][];
			preferences: components["schemas"]["Preference"][];
			moods: components["schemas"]["Mood"][];
			approaches: components["schemas"]["Approach"][];
		};
		/**
		 * PreferenceType
		 * @description What is said about a person.
		 * @enum {string}
		 */
		PreferenceType: "observation" | "preference" | "mood" | "approach";
		/**
		 * PreferenceView
		 * @description What is asked for: all in short, or the newest of one type.
		 * @enum {string}
		 */
		PreferenceView: "summary" | "observations" | "preferences" | "moods" | "approaches";
		/**
		 * Preferences
		 * @description `summary` is there when it was asked for, else the list that was, with `total`.
		 */
		Preferences: {
			type: components["schemas"]["PreferenceView"];
			summary?: components["schemas"]["PreferenceSummary"];
			observations?: components["schemas"]["Observation"][];
			preferences?: components["schemas"]["Preference"][];
			moods?: components["schemas"]["Mood"][];
			approaches?: components["schemas"]["Approach"][];
			total?: number;
		};
		/**
		 * Presence
		 * @description Evidence is `present`, or `absent`; a control with some of its evidence is `partial`.
		 * @enum {string}
		 */
		Presence: "present" | "partial" | "absent";
		/**
		 * PreviewGrant
		 * @description A pattern as `create_grant` takes it, and how many `days` back to look.
		 */
		PreviewGrant: {
			agent_ids: string[];
			action_type: string;
			max_risk: number;
			when?: {
				[key: string]: unknown;
			} | null;
			/** @description Default: `30`. */
			days?: number | null;
		};
		/**
		 * Problem
		 * @description The body of every error.
		 *
		 *     `detail` says what was wrong, which value, and what to do next. `error` and `details` say the same to clients of
		 *     the published wire. `decision` and `action` are there when guard blocked a creation; `approval` when
		 *     somebody else has decided already, or it was withdrawn; `current_status` when an outcome is there already.
		 */
		Problem: {
			type: string;
			title: string;
			status: number;
			detail: string;
			instance: string;
			code: components["schemas"]["Code"];
			errors: components["schemas"]["FieldError"][];
			error: string;
			details: string[];
			decision?: unknown;
			action?: unknown;
			approval?: unknown;
			current_status?: string;
		};
		/**
		 * ProfileScore
		 * @description A score as it is stored. `batch_id` is there when it came with many.
		 */
		ProfileScore: {
			/** @description id of the score */
			id: string;
			/** @description the organization that the row belongs to */
			org_id: string;
			/** @description the profile that gave it */
			profile_id: string;
			/** @description its name then */
			profile_name: string;
			/** @description the action that was scored, if it was named */
			action_id: string | null;
			/** @description who acted */
			agent_id: string | null;
			/** @description what kind of action */
			action_type: string | null;
			/** @description the score */
			composite_score: number;
			/** @description how the dimensions became one score */
			composite_method: components["schemas"]["CompositeMethod"];
			/** @description value, score and label of each dimension */
			dimension_scores: components["schemas"]["DimensionScore"][];
			/** @description whatever was added */
			metadata: {
				[key: string]: unknown;
			};
			/** @description the action's: live, import or simulated; empty when nobody recorded the action */
			source: components["schemas"]["Source"] | null;
			/** @description the batch that it came with, if any */
			batch_id: string | null;
			/**
			 * Format: date-time
			 * @description when it was given
			 */
			scored_at: string;
			/**
			 * Format: date-time
			 * @description when it was recorded
			 */
			created_at: string;
			/** @description id of the key that asked */
			created_by: string;
		};
		/**
		 * ProfileScoreStats
		 * @description What all scores by a profile that the caller may see add up to, from the first (`since`) to the last (`until`).
		 *     The numbers are those of `BatchSummary`; `n` is `total_scores` by its other name. `simulated` counts the scores of
		 *     actions that a simulator made up, `unrecorded` those of actions that nobody recorded.
		 *
		 *     `avg_low` to `avg_high` takes scores as independent. They lie in `clusters` (`basis` says of what), worth
		 *     `n_effective` independent ones; `clustered_low` to `clustered_high` is the interval over these, None where they tell
		 *     nothing of chance.
		 */
		ProfileScoreStats: {
			/** @description the profile that gave it */
			profile_id: string;
			total_scores: number;
			n: number;
			avg_score: number | null;
			avg_low: number;
			avg_high: number;
			min_score: number | null;
			max_score: number | null;
			stddev_score: number | null;
			p10: number | null;
			p25: number | null;
			p50: number | null;
			p75: number | null;
			p90: number | null;
			unique_agents: number;
			unique_actions: number;
			simulated: number;
			unrecorded: number;
			since: string | null;
			until: string | null;
			status: components["schemas"]["NumbersStatus"];
			clusters: number | null;
			basis: string | null;
			n_effective: number | null;
			clustered_low: number | null;
			clustered_high: number | null;
		};
		/**
		 * ProfileScored
		 * @description A stored score with its breakdown. `composite_score` is 0 to 100; `source` is the recorded action's, null when
		 *     there is none.
		 */
		ProfileScored: {
			/** @description id of the score */
			id: string;
			/** @description the organization that the row belongs to */
			org_id: string;
			/** @description the profile that gave it */
			profile_id: string;
			/** @description its name then */
			profile_name: string;
			/** @description the action that was scored, if it was named */
			action_id: string | null;
			/** @description who acted */
			agent_id: string | null;
			/** @description what kind of action */
			action_type: string | null;
			/** @description the score */
			composite_score: number;
			/** @description how the dimensions became one score */
			composite_method: components["schemas"]["CompositeMethod"];
			dimensions: components["schemas"]["DimensionScore"][];
			/** @description whatever was added */
			metadata: {
				[key: string]: unknown;
			};
			/** @description the action's: live, import or simulated; empty when nobody recorded the action */
			source: components["schemas"]["Source"] | null;
			/** @description the batch that it came with, if any */
			batch_id: string | null;
			/**
			 * Format: date-time
			 * @description when it was given
			 */
			scored_at: string;
		};
		/**
		 * ProfileScores
		 * @description The newest first.
		 */
		ProfileScores: {
			scores: components["schemas"]["ProfileScore"][];
			total: number;
			next_cursor: string | null;
		};
		/**
		 * ProfileStatus
		 * @description For lists only: a profile scores whatever its status is.
		 * @enum {string}
		 */
		ProfileStatus: "active" | "inactive" | "archived";
		/**
		 * PromptRun
		 * @description `id` and `run_id` are the same.
		 */
		PromptRun: {
			/** @description the organization that the row belongs to */
			org_id: string;
			/** @description id of the run */
			run_id: string;
			/** @description the prompt */
			template_id: string;
			/** @description the prompt's name when it was rendered */
			template_name: string;
			/** @description the version that was rendered */
			version_id: string;
			/** @description number of that version within the prompt */
			version: number;
			/** @description names of the variables that were given */
			variables: string[];
			/** @description placeholders that had no value */
			missing: string[];
			/** @description how long the rendered text was */
			rendered_length: number;
			/** @description the action that it was rendered for, if any */
			action_id: string | null;
			/** @description the agent that it was rendered for */
			agent_id: string | null;
			/**
			 * Format: date-time
			 * @description when it was recorded
			 */
			created_at: string;
			/** @description id of the key that asked for it */
			created_by: string;
			id: string;
		};
		/**
		 * PromptRuns
		 * @description Newest first; `total` counts all that fit. Runs of deleted templates stay.
		 */
		PromptRuns: {
			runs: components["schemas"]["PromptRun"][];
			total: number;
			next_cursor: string | null;
		};
		/**
		 * PromptStats
		 * @description `overall` says the same as the members beside it, which older clients ask one template for. Templates and
		 *     versions are the 50 with the most runs.
		 */
		PromptStats: {
			total_runs: number;
			unique_templates: number;
			versions_used: number;
			unique_agents: number;
			today_count: number;
			incomplete_count: number;
			avg_length: number | null;
			overall: components["schemas"]["PromptTotals"];
			by_template: components["schemas"]["RunsOfTemplate"][];
			by_version: components["schemas"]["RunsOfVersion"][];
		};
		/**
		 * PromptTemplate
		 * @description `id` and `template_id` are the same.
		 */
		PromptTemplate: {
			/** @description the organization that the row belongs to */
			org_id: string;
			/** @description id of the prompt */
			template_id: string;
			/** @description what people call it */
			name: string;
			/** @description what it is for */
			description: string;
			/** @description what it belongs to */
			category: string;
			/** @description how many versions were made */
			version_count: number;
			/** @description number of the version that is rendered; empty before one is activated */
			active_version: number | null;
			/** @description id of that version */
			active_version_id: string | null;
			/** @description when that version was activated */
			activated_at: string | null;
			/** @description id of the key that activated it */
			activated_by: string | null;
			/**
			 * Format: date-time
			 * @description when it was recorded
			 */
			created_at: string;
			/** @description id of the key that made it */
			created_by: string;
			/**
			 * Format: date-time
			 * @description when it last changed, or got a version
			 */
			updated_at: string;
			/** @description id of the key that did so */
			updated_by: string;
			/** @description when it was removed */
			deleted_at: string | null;
			id: string;
		};
		/**
		 * PromptTemplates
		 * @description Newest first; `total` counts all that fit.
		 */
		PromptTemplates: {
			templates: components["schemas"]["PromptTemplate"][];
			total: number;
			next_cursor: string | null;
		};
		/**
		 * PromptTotals
		 * @description Counts of recorded runs; `today_count` is of the last 24 hours, `incomplete_count` of runs in which a
		 *     placeholder had no value. `avg_length` is in characters, None without runs.
		 */
		PromptTotals: {
			total_runs: number;
			unique_templates: number;
			versions_used: number;
			unique_agents: number;
			today_count: number;
			incomplete_count: number;
			avg_length: number | null;
		};
		/**
		 * PromptVersion
		 * @description `id` and `version_id` are the same. Of a template's versions at most one is active.
		 */
		PromptVersion: {
			/** @description the organization that the row belongs to */
			org_id: string;
			/** @description id of the version */
			version_id: string;
			/** @description the prompt that it is a version of */
			template_id: string;
			/** @description its number within the prompt, from 1 */
			version: number;
			/** @description the text, with placeholders */
			content: string;
			/** @description which model it was written for */
			model_hint: string;
			/** @description what the placeholders are for, as its author says */
			parameters: (string | {
				[key: string]: unknown;
			})[];
			/** @description names found in the text, in order */
			placeholders: string[];
			/** @description what is new in it */
			changelog: string;
			/**
			 * Format: date-time
			 * @description when it was recorded
			 */
			created_at: string;
			/** @description id of the key that made it */
			created_by: string;
			id: string;
			is_active: boolean;
		};
		/**
		 * PromptVersions
		 * @description Newest first; `total` counts all of the template.
		 */
		PromptVersions: {
			versions: components["schemas"]["PromptVersion"][];
			total: number;
			next_cursor: string | null;
		};
		/**
		 * ProofBundle
		 * @description `svc.proof.v1`. `bundle_id` is the SHA-256 of the canonical form of everything else in it.
		 *
		 *     `digest` is the canonical digest of the certificate, which is the predicate of the statement in `attestation`.
		 *     `checkpoint` is a signed tree head (C2SP tlog-checkpoint). `events` are those that the certificate is made of, in
		 *     the order of the log; none for an organization. `policies` are the policies that guard decided by, whose digest the
		 *     decision holds; None where none was recorded. `keys` are the public keys behind the signatures.
		 */
		ProofBundle: {
			/** @enum {unknown} */
			schema: "svc.proof.v1";
			bundle_id: string;
			kind: components["schemas"]["ProofKind"];
			org_id: string;
			action_id: string | null;
			digest: string;
			attestation: components["schemas"]["Envelope"];
			checkpoint: string;
			events: components["schemas"]["BundleEvent"][];
			policies: {
				[key: string]: unknown;
			}[] | null;
			consistency: components["schemas"]["ConsistencyStep"][];
			keys: components["schemas"]["BundleKey"][];
		};
		/**
		 * ProofCheck
		 * @description One thing that was checked. `detail` says what was compared and, where it failed, why; `expected` and `found` are
		 *     the two values where there are two.
		 */
		ProofCheck: {
			name: components["schemas"]["CheckName"];
			status: components["schemas"]["CheckStatus"];
			detail: string;
			expected: string | null;
			found: string | null;
		};
		/**
		 * ProofFormat
		 * @enum {string}
		 */
		ProofFormat: "bundle";
		/**
		 * ProofKind
		 * @description What a bundle is about.
		 * @enum {string}
		 */
		ProofKind: "action" | "organization";
		/**
		 * ProofSnapshot
		 * @description The same facts for people. `summary` is one sentence; `certificate` is that of the action or the organization;
		 *     `head` the signed tree head that it is proven under.
		 */
		ProofSnapshot: {
			/** @enum {unknown} */
			schema: "svc.proof.snapshot.v1";
			kind: components["schemas"]["ProofKind"];
			org_id: string;
			action_id: string | null;
			/** Format: date-time */
			generated_at: string;
			ok: boolean;
			summary: string;
			digest: string;
			head: components["schemas"]["LogHead"];
			checks: components["schemas"]["ProofCheck"][];
			certificate: {
				[key: string]: unknown;
			};
		};
		/**
		 * ProofTrace
		 * @description The first signed tree head that covers all that the action's proof is made of, as the action stands now: of
		 *     `size` events, signed at `signed_at`. What is recorded about the action later needs a later head.
		 */
		ProofTrace: {
			size: number;
			/** Format: date-time */
			signed_at: string;
		};
		/**
		 * ProofVerification
		 * @description `ok` when no check failed. With an unknown `signer` that says that nothing was altered since it was signed, and
		 *     not who signed it. `certificate` is what is proven, None when the bundle could not be read that far.
		 */
		ProofVerification: {
			ok: boolean;
			schema: string | null;
			kind: components["schemas"]["ProofKind"] | null;
			org_id: string | null;
			action_id: string | null;
			bundle_id: string | null;
			digest: string | null;
			signer: components["schemas"]["Signer"];
			checks: components["schemas"]["ProofCheck"][];
			certificate: {
				[key: string]: unknown;
			} | null;
		};
		/** Provider */
		Provider: {
			name: string;
			origin: string | null;
			description: string | null;
			category: string | null;
			status: string;
			tags: string[] | null;
			agent_id: string | null;
			metadata: {
				[key: string]: unknown;
			} | null;
			org_id: string;
			provider_id: string;
			created_by: string;
			/** Format: date-time */
			created_at: string;
			/** Format: date-time */
			updated_at: string;
		};
		/**
		 * ProviderAnswer
		 * @description `endpoints` are the newest 200.
		 */
		ProviderAnswer: {
			provider: components["schemas"]["Provider"];
			provider_id: string;
			endpoints: components["schemas"]["ProviderEndpoint"][];
		};
		/** ProviderEndpoint */
		ProviderEndpoint: {
			name: string;
			path: string | null;
			method: string | null;
			price: number | null;
			currency: string | null;
			description: string | null;
			agent_id: string | null;
			metadata: {
				[key: string]: unknown;
			} | null;
			org_id: string;
			endpoint_id: string;
			provider_id: string;
			created_by: string;
			/** Format: date-time */
			created_at: string;
			/** Format: date-time */
			updated_at: string;
		};
		/** ProviderEndpointAnswer */
		ProviderEndpointAnswer: {
			endpoint: components["schemas"]["ProviderEndpoint"];
			endpoint_id: string;
		};
		/** ProviderEndpoints */
		ProviderEndpoints: {
			total: number;
			next_cursor: string | null;
			endpoints: components["schemas"]["ProviderEndpoint"][];
		};
		/** Providers */
		Providers: {
			total: number;
			next_cursor: string | null;
			providers: components["schemas"]["Provider"][];
		};
		/**
		 * Purchase
		 * @description `action_id` is the action that stands for it: whether it may be paid, and what came of it, is there.
		 */
		Purchase: {
			provider: string;
			declared_goal: string;
			purchase_reason: string;
			context_gap: string;
			expected_value: string;
			spend_amount: number | null;
			cost_estimate: number | null;
			currency: string | null;
			payment_method: string | null;
			risk_score: number | null;
			session_id: string | null;
			/** @description the session in which that one was begun */
			parent_session_id: string | null;
			agent_id: string | null;
			metadata: {
				[key: string]: unknown;
			} | null;
			org_id: string;
			purchase_id: string;
			provider_id: string;
			action_id: string;
			created_by: string;
			/** Format: date-time */
			created_at: string;
			/** Format: date-time */
			updated_at: string;
		};
		/**
		 * PurchaseAnswer
		 * @description Pay when `action.status` is running; when it is pending_approval, wait for the approval first.
		 */
		PurchaseAnswer: {
			purchase: components["schemas"]["Purchase"];
			purchase_id: string;
			action: components["schemas"]["Action"];
			action_id: string;
			decision: components["schemas"]["GuardResult"];
		};
		/** Purchases */
		Purchases: {
			total: number;
			next_cursor: string | null;
			purchases: components["schemas"]["Purchase"][];
		};
		/** QuestionDetail */
		QuestionDetail: {
			question: components["schemas"]["ApprovalQuestion"];
		};
		/**
		 * QuestionState
		 * @description `ended`: the action was decided, withdrawn or expired before the agent answered.
		 * @enum {string}
		 */
		QuestionState: "open" | "answered" | "ended";
		/**
		 * Questions
		 * @description A page, newest first. `next_cursor` is None on the last page; `lastUpdated` is the service's time.
		 */
		Questions: {
			questions: components["schemas"]["ApprovalQuestion"][];
			total: number;
			/** Format: date-time */
			lastUpdated: string;
			next_cursor: string | null;
		};
		/**
		 * RatingCount
		 * @description `rating` is a whole one, to which others are rounded, halves up.
		 */
		RatingCount: {
			rating: number;
			count: number;
		};
		/**
		 * Readiness
		 * @description `ready` is false when one check fails; the answer is then a 503 with the same body.
		 */
		Readiness: {
			ready: boolean;
			checks: components["schemas"]["Check"][];
			/** Format: date-time */
			time: string;
		};
		/**
		 * ReadinessCheck
		 * @description `core` checks block when one of them fails. `status` is pass, warn or fail; `detail` says what to do.
		 *
		 *     In this order: log, tables, disk, evidence, drift, wallet, heads, clock_jumps and admin_key, which are core;
		 *     agent_keys, halt, policies, approvals, webhooks, self_decisions, clock and, in the service's first organization,
		 *     failed_keys.
		 */
		ReadinessCheck: {
			name: string;
			core: boolean;
			status: string;
			detail: string;
		};
		/**
		 * ReadinessShare
		 * @description A share of the last 7 days: governed, approval or proof. `percent` is 0 to 100, None when `n` is 0 or the share
		 *     is not `available` (then both counts are 0); `meaning` says what is divided by what.
		 */
		ReadinessShare: {
			name: string;
			available: boolean;
			percent: number | null;
			count: number;
			n: number;
			meaning: string;
		};
		/**
		 * ReadinessState
		 * @enum {string}
		 */
		ReadinessState: "blocked" | "needs_attention" | "ready_unverified" | "verified";
		/**
		 * RebuildRecommendations
		 * @description The same question as a body. `episode_limit` and `action_id` are what published clients say; all episodes of the
		 *     days count.
		 */
		RebuildRecommendations: {
			/** @description whose it is */
			agent_id?: string | null;
			/** @description what kind of action it is about */
			action_type?: string | null;
			/** @description Default: `30`. */
			lookback_days?: number | null;
			/** @description Default: `5`. */
			min_samples?: number | null;
			episode_limit?: number | null;
			action_id?: string | null;
		};
		/**
		 * Receipts
		 * @description The evidence that one action left, each receipt named by its checkpoint, both lists in the checkpoints' order.
		 *
		 *     `expected` is what an action of this class owes so far; `observed` what is there, asked for or not. `completeness`
		 *     is |expected and observed| / |expected|, 0 to 1.
		 */
		Receipts: {
			enforceability: components["schemas"]["Enforceability"];
			expected: components["schemas"]["CheckpointId"][];
			observed: components["schemas"]["CheckpointId"][];
			completeness: number;
		};
		/**
		 * Recommendation
		 * @description A lesson as a recommendation. `id` is that of the organization, agent and action type, however often it is made
		 *     anew. `metrics` only where they were asked for and something was said. `tests` and what follows are the lesson's.
		 */
		Recommendation: {
			/** @description id of the recommendation */
			id: string;
			/** @description whose it is */
			agent_id: string;
			/** @description what kind of action it is about */
			action_type: string;
			/** @description whether it is shown */
			active: boolean;
			confidence: number;
			sample_size: number;
			success_rate: number;
			success_low: number;
			success_high: number;
			avg_score: number;
			hints: components["schemas"]["RecommendationHints"];
			guidance: string[];
			metrics: components["schemas"]["RecommendationMetrics"] | null;
			simulated: number;
			/** Format: date-time */
			computed_at: string;
			tests: components["schemas"]["HintTest"][];
			clusters: number;
			basis: string | null;
			stopped: number;
			success_least: number | null;
			success_most: number | null;
			cancelled: number;
		};
		/**
		 * RecommendationDetail
		 * @description The recommendation as its episodes from `since` to `until` make it, switched off or not.
		 */
		RecommendationDetail: {
			recommendation: components["schemas"]["Recommendation"];
			lookback_days: number;
			/** Format: date-time */
			since: string;
			/** Format: date-time */
			until: string;
		};
		/**
		 * RecommendationEvent
		 * @description What was said of a recommendation, as it is kept.
		 */
		RecommendationEvent: {
			/** @description id of the event */
			id: string;
			/** @description the organization that the row belongs to */
			org_id: string;
			/** @description the recommendation */
			recommendation_id: string;
			/** @description whose it is */
			agent_id: string;
			/** @description what kind of action it is about */
			action_type: string;
			/** @description fetched, applied or overridden */
			event_type: components["schemas"]["RecommendationEventType"];
			/** @description the action that it was said of, if any */
			action_id: string | null;
			/** @description whatever the agent added */
			details: {
				[key: string]: unknown;
			};
			/**
			 * Format: date-time
			 * @description when it was recorded
			 */
			created_at: string;
			/** @description id of the key that said it */
			created_by: string;
		};
		/**
		 * RecommendationEventType
		 * @description What became of a recommendation.
		 * @enum {string}
		 */
		RecommendationEventType: "fetched" | "applied" | "overridden";
		/**
		 * RecommendationHints
		 * @description The hints of a lesson by the names that published clients apply.
		 */
		RecommendationHints: {
			preferred_risk_cap: number | null;
			prefer_reversible: boolean | null;
			confidence_floor: number | null;
			expected_duration_ms: number | null;
			expected_cost_estimate: number | null;
		};
		/**
		 * RecommendationMetrics
		 * @description What agents said of a recommendation, and how the episodes of its agent and action type went with it and
		 *     without. Rates are from 0 to 1, with Wilson's 95% intervals; None of nothing. Nobody drew lots who follows.
		 */
		RecommendationMetrics: {
			/** @description the recommendation */
			recommendation_id: string;
			/** @description whose it is */
			agent_id: string;
			/** @description what kind of action it is about */
			action_type: string;
			/** @description whether it is shown */
			active: boolean;
			fetched: number;
			applied: number;
			overridden: number;
			adoption_rate: number | null;
			adoption_low: number;
			adoption_high: number;
			with_n: number;
			with_rate: number | null;
			with_low: number;
			with_high: number;
			without_n: number;
			without_rate: number | null;
			without_low: number;
			without_high: number;
			status: components["schemas"]["DataStatus"];
			simulated: number;
		};
		/**
		 * RecommendationReport
		 * @description In the order of agents and action types, those of which anything was said; `total` counts them all.
		 */
		RecommendationReport: {
			metrics: components["schemas"]["RecommendationMetrics"][];
			total: number;
			lookback_days: number;
			/** Format: date-time */
			since: string;
			/** Format: date-time */
			until: string;
		};
		/**
		 * RecommendationSaid
		 * @description `details` is the caller's own, such as why it was overridden, in up to 16,384 bytes. With `action_id` its outcome
		 *     counts; without, that of the agent's next action of the type.
		 */
		RecommendationSaid: {
			/** @description the recommendation */
			recommendation_id: string;
			/** @description fetched, applied or overridden */
			event_type: components["schemas"]["RecommendationEventType"];
			/** @description the action that it was said of, if any */
			action_id?: string | null;
			/** @description whatever the agent added */
			details?: {
				[key: string]: unknown;
			} | null;
		};
		/**
		 * RecommendationSwitch
		 * @description Whether a recommendation is shown: what was last said about it.
		 */
		RecommendationSwitch: {
			/** @description id of the recommendation */
			id: string;
			/** @description the organization that the row belongs to */
			org_id: string;
			/** @description whose it is */
			agent_id: string;
			/** @description what kind of action it is about */
			action_type: string;
			/** @description whether it is shown */
			active: boolean;
			/**
			 * Format: date-time
			 * @description when it was recorded
			 */
			created_at: string;
			/**
			 * Format: date-time
			 * @description when it was last switched
			 */
			updated_at: string;
			/** @description id of the key that did so */
			updated_by: string;
		};
		/**
		 * Recommendations
		 * @description By confidence, the highest first; `total` counts all that fit.
		 */
		Recommendations: {
			recommendations: components["schemas"]["Recommendation"][];
			total: number;
			lookback_days: number;
			/** Format: date-time */
			since: string;
			/** Format: date-time */
			until: string;
		};
		/**
		 * RecordAssumption
		 * @description `basis` is what the belief rests on. `validated` and `invalidated` may be known already when it is recorded.
		 */
		RecordAssumption: {
			/** @description the action that rests on it */
			action_id: string;
			/** @description the belief */
			assumption: string;
			/** @description what the belief rested on */
			basis?: string | null;
			/** @description id of the assumption */
			assumption_id?: string | null;
			/** @description whether somebody looked and it held */
			validated?: boolean | null;
			/** @description whether somebody looked and it was wrong */
			invalidated?: boolean | null;
			/** @description why it was wrong */
			invalidated_reason?: string | null;
			/** @description who believed it */
			agent_id?: string | null;
			/** @description when it was believed; earlier than created_at for imported history */
			occurred_at?: string | null;
			/** @description live, import, or simulated: a simulator made it up */
			source?: components["schemas"]["Source"] | null;
		};
		/**
		 * RecordContent
		 * @description Something that the agent wrote or published: `url` is where it stands, `body` the text.
		 */
		RecordContent: {
			title: string;
			platform?: string | null;
			status?: string | null;
			url?: string | null;
			body?: string | null;
			agent_id?: string | null;
			metadata?: {
				[key: string]: unknown;
			} | null;
		} & {
			[key: string]: unknown;
		};
		/**
		 * RecordDecision
		 * @description A decision that the agent made and may learn from: no decision of guard's.
		 */
		RecordDecision: {
			decision: string;
			context?: string | {
				[key: string]: unknown;
			} | null;
			reasoning?: string | null;
			outcome?: string | null;
			confidence?: number | null;
			tags?: string[] | null;
			agent_id?: string | null;
			metadata?: {
				[key: string]: unknown;
			} | null;
		} & {
			[key: string]: unknown;
		};
		/**
		 * RecordIdea
		 * @description `score` is 0 to 100, the higher the better.
		 */
		RecordIdea: {
			title: string;
			description?: string | null;
			category?: string | null;
			score?: number | null;
			status?: string | null;
			source?: string | null;
			agent_id?: string | null;
			metadata?: {
				[key: string]: unknown;
			} | null;
		} & {
			[key: string]: unknown;
		};
		/**
		 * RecordInteraction
		 * @description Something that happened between the agent and a person.
		 */
		RecordInteraction: {
			summary: string;
			contact_name?: string | null;
			contact_id?: string | null;
			direction?: string | null;
			platform?: string | null;
			type?: string | null;
			agent_id?: string | null;
			metadata?: {
				[key: string]: unknown;
			} | null;
		} & {
			[key: string]: unknown;
		};
		/**
		 * RecordPreference
		 * @description `type` says which of the others is required: the member of its name.
		 */
		RecordPreference: {
			type: components["schemas"]["PreferenceType"];
			observation?: string | null;
			preference?: string | null;
			mood?: string | null;
			approach?: string | null;
			category?: string | null;
			importance?: number | string | null;
			confidence?: number | null;
			energy?: number | string | null;
			notes?: string | null;
			context?: string | null;
			success?: boolean | null;
			agent_id?: string | null;
			metadata?: {
				[key: string]: unknown;
			} | null;
		} & {
			[key: string]: unknown;
		};
		/**
		 * RecordPurchase
		 * @description `provider` is a provider's id, name or origin; one that is not known yet is registered. `spend_amount` is in
		 *     `currency`, `cost_estimate` in US dollars.
		 */
		RecordPurchase: {
			provider: string;
			/** @description what the agent wanted */
			declared_goal: string;
			purchase_reason: string;
			context_gap: string;
			expected_value: string;
			spend_amount?: number | null;
			/** @description what it cost */
			cost_estimate?: number | null;
			currency?: string | null;
			payment_method?: string | null;
			risk_score?: number | null;
			/** @description the session it belongs to */
			session_id?: string | null;
			/** @description the session in which that one was begun */
			parent_session_id?: string | null;
			/** @description who acts */
			agent_id?: string | null;
			/** @description whatever the agent added */
			metadata?: {
				[key: string]: unknown;
			} | null;
		} & {
			[key: string]: unknown;
		};
		/**
		 * RecordRecommendationEvents
		 * @description `events`, or one event itself. Members of an event that are not named here are ignored.
		 */
		RecordRecommendationEvents: {
			events?: components["schemas"]["RecommendationSaid"][] | null;
			/** @description the recommendation */
			recommendation_id?: string | null;
			/** @description fetched, applied or overridden */
			event_type?: components["schemas"]["RecommendationEventType"] | null;
			/** @description the action that it was said of, if any */
			action_id?: string | null;
			/** @description whatever the agent added */
			details?: {
				[key: string]: unknown;
			} | null;
		};
		/**
		 * RecordedAssumption
		 * @description `warnings` say where the assumption reads like a prompt injection; it is kept all the same.
		 */
		RecordedAssumption: {
			assumption: components["schemas"]["Assumption"];
			/** @description id of the assumption */
			assumption_id: string;
			warnings: string[];
		};
		/**
		 * RecordedPreference
		 * @description Of the records the one of `type` is there; `id` is its id.
		 */
		RecordedPreference: {
			type: components["schemas"]["PreferenceType"];
			id: string;
			observation?: components["schemas"]["Observation"];
			preference?: components["schemas"]["Preference"];
			mood?: components["schemas"]["Mood"];
			approach?: components["schemas"]["Approach"];
		};
		/** RecordedRecommendationEvents */
		RecordedRecommendationEvents: {
			events: components["schemas"]["RecommendationEvent"][];
			recorded: number;
		};
		/**
		 * RecordedScan
		 * @description A scan that found something, as it is recorded; the text itself is with what it belongs to (`subject_kind`,
		 *     `subject_id`), in the member that `field` names. `length` is how many characters it has. `action_id` is there for
		 *     what belongs to an action.
		 */
		RecordedScan: {
			/** @description the organization that the row belongs to */
			org_id: string;
			/** @description id of the scan */
			scan_id: string;
			/** @description guard_decision, message, handoff, assumption, or scan for a text by itself */
			subject_kind: components["schemas"]["SubjectKind"];
			/** @description id of what the text belongs to; of a text by itself that of the scan */
			subject_id: string;
			/** @description the action that the subject belongs to, if any */
			action_id: string | null;
			/** @description whose text it was */
			agent_id: string | null;
			/** @description the member of the subject that held it */
			field: string;
			/** @description where the text came from, as it was scanned */
			source: string;
			/** @description SHA-256 of the text, sha256: and hex */
			text_digest: string;
			/** @description length of the text */
			length: number;
			/** @description allow, warn or block */
			recommendation: components["schemas"]["ScanRecommendation"];
			/** @description none, low, medium, high or critical */
			risk_level: components["schemas"]["RiskLevel"];
			/** @description sum of the weights of what was found, as the source makes them count */
			score: number;
			/** @description whether an operator allows this text */
			allowed: boolean;
			/** @description whether a part was beyond what is decoded */
			unread: boolean;
			/** @description the rules that it was scanned with */
			version: string;
			/** @description how many findings */
			findings_count: number;
			/** @description how many of them are critical */
			critical_count: number;
			/** @description categories of the findings, the heaviest first */
			categories: string[];
			/** @description what was found, the heaviest first */
			findings: components["schemas"]["InjectionFinding"][];
			/** @description id of the key that brought the text */
			created_by: string;
			/**
			 * Format: date-time
			 * @description when it was recorded
			 */
			created_at: string;
		};
		/**
		 * RefusedConnection
		 * @description `index` counts the connections of the request from 0.
		 */
		RefusedConnection: {
			index: number;
			/** @description the provider */
			provider: string | null;
			error: string;
		};
		/**
		 * RegisterAgent
		 * @description An agent outside to whom work may be given; `agent_id` is who registers it.
		 */
		RegisterAgent: {
			name: string;
			description?: string | null;
			provider?: string | null;
			endpoint?: string | null;
			/** @description Default: `"active"`. */
			status?: string | null;
			tags?: string[] | null;
			agent_id?: string | null;
			metadata?: {
				[key: string]: unknown;
			} | null;
		} & {
			[key: string]: unknown;
		};
		/**
		 * RegisterIdentity
		 * @description `public_key` is an SPKI PEM ("BEGIN PUBLIC KEY"). It replaces the key that the agent had.
		 */
		RegisterIdentity: {
			/** @description the agent whose key it is */
			agent_id: string;
			/** @description the key as an SPKI PEM */
			public_key: string;
			/** @description how the agent signs: RSASSA-PKCS1-v1_5 or Ed25519 Default: `"RSASSA-PKCS1-v1_5"`. */
			algorithm?: components["schemas"]["Algorithm"] | null;
		};
		/**
		 * RegisterOpenLoop
		 * @description `owner` is who should take care of it, in whatever words the agent has for that.
		 */
		RegisterOpenLoop: {
			/** @description the action that left it open */
			action_id: string;
			/** @description followup, question, dependency, approval, review, handoff or other */
			loop_type: components["schemas"]["LoopType"];
			/** @description what is open */
			description: string;
			/** @description low, medium, high or critical */
			priority?: components["schemas"]["LoopPriority"] | null;
			/** @description who should take care of it */
			owner?: string | null;
			/** @description id of the loop */
			loop_id?: string | null;
			/** @description who acted */
			agent_id?: string | null;
			/** @description whatever the agent added */
			metadata?: {
				[key: string]: unknown;
			} | null;
		};
		/**
		 * RegisterRoutingAgent
		 * @description `capabilities` are its skills, `max_concurrent` how many tasks it does at a time. `endpoint` is kept, not
		 *     called. A name that is registered already is the same agent, available again.
		 */
		RegisterRoutingAgent: {
			/** @description what it is called */
			name: string;
			/** @description its skills */
			capabilities?: string[] | null;
			/** @description how many tasks it does at a time Default: `3`. */
			max_concurrent?: number | null;
			/** @description where it says it can be reached; never called */
			endpoint?: string | null;
		};
		/** RegisteredAgent */
		RegisteredAgent: {
			name: string;
			description: string | null;
			provider: string | null;
			endpoint: string | null;
			status: string;
			tags: string[] | null;
			agent_id: string | null;
			metadata: {
				[key: string]: unknown;
			} | null;
			org_id: string;
			registered_agent_id: string;
			created_by: string;
			/** Format: date-time */
			created_at: string;
			/** Format: date-time */
			updated_at: string;
		};
		/** RegisteredAgentAnswer */
		RegisteredAgentAnswer: {
			registered_agent: components["schemas"]["RegisteredAgent"];
			registered_agent_id: string;
		};
		/** RegisteredAgents */
		RegisteredAgents: {
			total: number;
			next_cursor: string | null;
			registered_agents: components["schemas"]["RegisteredAgent"][];
		};
		/** RegisteredLoop */
		RegisteredLoop: {
			loop: components["schemas"]["OpenLoop"];
			/** @description id of the loop */
			loop_id: string;
		};
		/**
		 * ReliabilityBin
		 * @description Actions whose prediction lies above `low` and up to `high` (the first bin has its `low`, too): what they stated
		 *     on average and what share came true, with Wilson's 95% interval. All are shares, 0 to 1. `stopped` actions of the
		 *     bin, and those `cancelled` while they ran, have no outcome; if none, or all, of them had come true, the share would
		 *     be `least` or `most`.
		 */
		ReliabilityBin: {
			low: number;
			high: number;
			n: number;
			mean_predicted: number;
			observed: number;
			observed_low: number;
			observed_high: number;
			simulated: number;
			stopped: number;
			least: number | null;
			most: number | null;
			cancelled: number;
		};
		/**
		 * RemoveFlowLabels
		 * @description `reason` is why these labels need not hold any more, such as a file that turned out to be the house's own. With
		 *     `if_told`, the session's `told` as it was read, a label that was put on since then is not taken off
		 *     (`flow_changed`).
		 */
		RemoveFlowLabels: {
			/** @description labels that hold */
			labels: string[];
			reason: string;
			if_told?: number | null;
		};
		/**
		 * RemovedLabel
		 * @description A label that an operator took off: why, whose key (`by`), and when.
		 */
		RemovedLabel: {
			label: string;
			reason: string;
			by: string;
			/** Format: date-time */
			at: string;
		};
		/**
		 * RenderPrompt
		 * @description The active version of `template_id`, or the version that `version_id` names, active or not. `record` keeps that
		 *     it was rendered, with the names of the variables and without their values.
		 */
		RenderPrompt: {
			/** @description the prompt */
			template_id?: string | null;
			/** @description the version that was rendered */
			version_id?: string | null;
			variables?: {
				[key: string]: unknown;
			} | null;
			/** @description the action that it was rendered for, if any */
			action_id?: string | null;
			/** @description the agent that it was rendered for */
			agent_id?: string | null;
			record?: boolean | null;
		};
		/**
		 * RenderedPrompt
		 * @description `parameters` are the placeholders found in the content; `missing` those of them that had no value and stand in
		 *     the text as they were. `run_id` is None unless the run was recorded.
		 */
		RenderedPrompt: {
			rendered: string;
			/** @description the prompt */
			template_id: string;
			/** @description the version that was rendered */
			version_id: string;
			/** @description number of that version within the prompt */
			version: number;
			model_hint: string;
			parameters: string[];
			/** @description placeholders that had no value */
			missing: string[];
			/** @description id of the run */
			run_id: string | null;
		};
		/**
		 * ReplayedFlow
		 * @description A flow policy on the traces that decisions recorded. It applies to `n` live decisions, of which `decided` could
		 *     be decided: it asks about `asked` of these, the share `rate`, with an interval of 95% that takes the decisions of a
		 *     session as one of `clusters`. Of `no_trace` nobody knows where a value came from, and `read_otherwise` looked at
		 *     other values than the packs that are asked about, or at ones from an answer that these take for something else; none
		 *     of these counts as one that passes.
		 *
		 *     It stops `sessions_stopped` of `sessions`; in `sessions_unknown` more it asks about nothing that is known and not
		 *     all is. `stops` are the first stops of the newest 50. What follows a stop may have gone otherwise.
		 */
		ReplayedFlow: {
			index: number;
			policy_id: string | null;
			name: string;
			n: number;
			decided: number;
			asked: number;
			no_trace: number;
			read_otherwise: number;
			rate: number | null;
			low: number | null;
			high: number | null;
			clusters: number;
			status: string;
			sessions: number;
			sessions_stopped: number;
			sessions_unknown: number;
			sessions_low: number;
			sessions_high: number;
			sessions_status: components["schemas"]["BacktestStatus"];
			stops: components["schemas"]["FlowStop"][];
		};
		/**
		 * ReplayedOutcomes
		 * @description The change, by what became of the actions.
		 *
		 *     `known` actions were completed or failed: `completed` and `failed`; those are what the portions are of. All others
		 *     (`unknown`: never tried, stopped, cancelled or still open) tell nothing. `failures_stopped` and `work_stopped`
		 *     would be blocked and were not; `failures_asked` and `work_asked` would wait for a person and did not;
		 *     `failures_released` and `work_released` were asked about, or blocked and ran all the same, and would go through.
		 *     `unknown_stopped`, `unknown_asked` and `unknown_released` are the same of the unknown ones: each may be a failure or
		 *     good work, so between `failures_released.n` and that plus `unknown_released` failures would go through.
		 */
		ReplayedOutcomes: {
			known: number;
			unknown: number;
			failed: number;
			completed: number;
			failures_stopped: components["schemas"]["Portion"];
			failures_asked: components["schemas"]["Portion"];
			failures_released: components["schemas"]["Portion"];
			work_stopped: components["schemas"]["Portion"];
			work_asked: components["schemas"]["Portion"];
			work_released: components["schemas"]["Portion"];
			unknown_stopped: number;
			unknown_asked: number;
			unknown_released: number;
		};
		/**
		 * ReplayedPolicy
		 * @description `matched` decisions, which it may share with others; an observed one matches and decides nothing. `index` is its
		 *     place in what was asked.
		 */
		ReplayedPolicy: {
			index: number;
			policy_id: string | null;
			name: string;
			policy_type: string;
			mode: components["schemas"]["Mode"];
			matched: number;
		};
		/**
		 * ReplayedVerdict
		 * @description `agent_id` and `action_type` are null where the decision has none, or is a frame's that says nothing of them.
		 */
		ReplayedVerdict: {
			decision_id: string;
			agent_id: string | null;
			action_type: string | null;
			/** Format: date-time */
			occurred_at: string;
			before: components["schemas"]["Decision"];
			after: components["schemas"]["Decision"];
		};
		/**
		 * Report
		 * @description `report` is the whole text, Markdown or JSON.
		 */
		Report: {
			report: string;
			format: components["schemas"]["ReportFormat"];
			/** Format: date-time */
			generated_at: string;
		};
		/**
		 * ReportConnections
		 * @description Each connection is an object with `provider` (up to 128 characters), and may have `auth_type` (api_key),
		 *     `plan_name`, `status` (active) and `metadata` (up to 10,000 bytes).
		 */
		ReportConnections: {
			connections: unknown[];
			/** @description the agent */
			agent_id?: string | null;
		};
		/**
		 * ReportFormat
		 * @enum {string}
		 */
		ReportFormat: "json" | "md";
		/**
		 * ReportMemoryHealth
		 * @description `health` is a score of 0 to 100, or an object with whatever is measured.
		 */
		ReportMemoryHealth: {
			health: {
				[key: string]: unknown;
			} | number;
			entities?: unknown[] | null;
			topics?: unknown[] | null;
			agent_id?: string | null;
		} & {
			[key: string]: unknown;
		};
		/**
		 * ReportOutcome
		 * @description `failed` takes an `error_message`, `partial` a `progress` that says how far it came.
		 */
		ReportOutcome: {
			status: string;
			/** @description what came out */
			summary?: string | null;
			/** @description why it failed */
			error_message?: string | null;
			/** @description how far it came */
			progress?: {
				[key: string]: unknown;
			} | null;
		};
		/**
		 * ReportTokenUsage
		 * @description `cost_estimate` in US dollars; `context_used` of `context_max` are the tokens of the context window.
		 */
		ReportTokenUsage: {
			/** @description what was sent to the model */
			tokens_in: number;
			/** @description what the model answered */
			tokens_out: number;
			/** @description which model */
			model?: string | null;
			/** @description who runs the model */
			provider?: string | null;
			/** @description what it is thought to have cost */
			cost_estimate?: number | null;
			/** @description how much of the context window was taken */
			context_used?: number | null;
			/** @description how large the context window is */
			context_max?: number | null;
			/** @description the action it was for, if named */
			action_id?: string | null;
			/** @description the session it was in, if named */
			session_id?: string | null;
			/** @description the session in which that one was begun */
			parent_session_id?: string | null;
			/** @description who used them */
			agent_id?: string | null;
			metadata?: {
				[key: string]: unknown;
			} | null;
		} & {
			[key: string]: unknown;
		};
		/**
		 * ReportedConnections
		 * @description `created` is how many were kept, new ones and those that were there; `errors` names the others.
		 */
		ReportedConnections: {
			connections: components["schemas"]["AgentConnection"][];
			errors: components["schemas"]["RefusedConnection"][];
			created: number;
		};
		/** ReportedOutcome */
		ReportedOutcome: {
			outcome: components["schemas"]["Outcome"];
			action: components["schemas"]["Action"];
			/** @description the action that ended */
			action_id: string;
		};
		/**
		 * ResolveFeedback
		 * @description `resolved` false takes it up again. `resolved_by` is a name of the caller's choice; the key's own without it.
		 */
		ResolveFeedback: {
			/** @description who, as they call themselves */
			resolved_by?: string | null;
			/** @description whether somebody has seen to it Default: `true`. */
			resolved?: boolean | null;
		};
		/**
		 * ResolveMessageThread
		 * @description `summary` says what came of it. A resolved thread stays resolved; resolving it again may change the summary.
		 */
		ResolveMessageThread: {
			/** @description id of the thread */
			thread_id: string;
			/** @description Default: `"resolved"`. */
			status?: "resolved" | null;
			/** @description what came of it */
			summary?: string | null;
		};
		/**
		 * ResolveOpenLoop
		 * @description `resolution` is required when the loop is resolved.
		 */
		ResolveOpenLoop: {
			status: components["schemas"]["LoopEnd"];
			/** @description how it was resolved, or why it was cancelled */
			resolution?: string | null;
		};
		/** ResolvedMessageThread */
		ResolvedMessageThread: {
			thread: components["schemas"]["MessageThread"];
		};
		/**
		 * RevokeGrant
		 * @description `reason` is why it ends.
		 */
		RevokeGrant: {
			/** @description why it was given */
			reason?: string | null;
		};
		/**
		 * RevokeSigningKey
		 * @description The reason is published with the key.
		 */
		RevokeSigningKey: {
			reason: string;
		};
		/** RevokedIdentity */
		RevokedIdentity: {
			identity: components["schemas"]["Identity"];
			revoked: boolean;
		};
		/** RevokedKey */
		RevokedKey: {
			key: components["schemas"]["Key"];
			revoked: boolean;
		};
		/** RevokedSigningKey */
		RevokedSigningKey: {
			key: components["schemas"]["SigningKey"];
			revoked: boolean;
		};
		/**
		 * RiskLevel
		 * @description How bad what was found is, mildest first.
		 * @enum {string}
		 */
		RiskLevel: "none" | "low" | "medium" | "high" | "critical";
		/**
		 * RiskRule
		 * @description `add` points, -100 to 100, where `condition` holds: a text as `metadata.env == "production"`, or a tree.
		 */
		RiskRule: {
			condition: string | {
				[key: string]: unknown;
			};
			add: number;
		};
		/**
		 * RiskTemplate
		 * @description `action_type` is null for a template of every type. `version` counts up from 1 with each change; every version
		 *     stays in the log as the event that made it. `rules` are as they were given.
		 */
		RiskTemplate: {
			/** @description id of the template */
			id: string;
			/** @description the organization that the row belongs to */
			org_id: string;
			/** @description what people call it */
			name: string;
			/** @description what it is for */
			description: string | null;
			/** @description the actions that it rates; empty means every type without a template of its own */
			action_type: string | null;
			/** @description its risk before rules add to it */
			base_risk: number;
			/** @description conditions and the points that they add */
			rules: components["schemas"]["RiskRule"][];
			/** @description active or inactive */
			status: components["schemas"]["TemplateStatus"];
			/** @description how often it was made or changed */
			version: number;
			/**
			 * Format: date-time
			 * @description when it was recorded
			 */
			created_at: string;
			/** @description id of the key that made it */
			created_by: string;
			/**
			 * Format: date-time
			 * @description when it was last changed
			 */
			updated_at: string;
			/** @description id of the key that changed it last */
			updated_by: string;
			/** @description when it was removed */
			deleted_at: string | null;
		};
		/**
		 * RiskTemplates
		 * @description In the order of creation, which decides between templates of one type; `total` counts all that fit.
		 */
		RiskTemplates: {
			templates: components["schemas"]["RiskTemplate"][];
			total: number;
		};
		/**
		 * Role
		 * @description `agent` asks, acts and reports; `operator` also decides; `auditor` reads everything; `admin` does everything.
		 * @enum {string}
		 */
		Role: "agent" | "operator" | "auditor" | "admin";
		/**
		 * RootCause
		 * @description A hint why an action went wrong. `severity` is low, medium or high; `detail` names the rows it stands on.
		 */
		RootCause: {
			type: string;
			severity: string;
			count: number;
			detail: {
				[key: string]: unknown;
			}[];
		};
		/**
		 * Rota
		 * @description The groups of an organization, as they are now.
		 */
		Rota: {
			/** @description the organization that the row belongs to */
			org_id: string;
			/** @description the groups with their members and weekly hours */
			groups: components["schemas"]["OperatorGroup"][];
			/** @description who said so last, by name */
			updated_by: string;
			/** @description id of that key */
			updated_by_key: string;
			/**
			 * Format: date-time
			 * @description when that was said
			 */
			updated_at: string;
			/**
			 * Format: date-time
			 * @description when it was recorded
			 */
			created_at: string;
		};
		/** RotateSigningKey */
		RotateSigningKey: {
			reason?: string | null;
		};
		/**
		 * RotatedSigningKey
		 * @description `key` signs from now on; `retired` is the one before it, None when none was active.
		 */
		RotatedSigningKey: {
			key: components["schemas"]["SigningKey"];
			retired: components["schemas"]["SigningKey"] | null;
		};
		/**
		 * RoutingAgent
		 * @description `agent_id` is its id in routing; `owner_id` the agent whose key registered it, if that key was bound to one.
		 *     `current_load` counts the tasks it has.
		 */
		RoutingAgent: {
			/** @description the organization that the row belongs to */
			org_id: string;
			/** @description its id in routing */
			agent_id: string;
			/** @description what it is called */
			name: string;
			/** @description its skills */
			capabilities: string[];
			/** @description how many tasks it does at a time */
			max_concurrent: number;
			current_load: number;
			/** @description available, busy or offline */
			status: components["schemas"]["RoutingStatus"];
			/** @description where it says it can be reached; never called */
			endpoint: string | null;
			/** @description the agent whose key registered it, if bound to one */
			owner_id: string | null;
			/** @description when it was last given a task */
			last_assigned_at: string | null;
			/** @description id of the key that registered it */
			created_by: string;
			/**
			 * Format: date-time
			 * @description when it was recorded
			 */
			created_at: string;
			/**
			 * Format: date-time
			 * @description when it last changed
			 */
			updated_at: string;
		};
		/** RoutingAgentAnswer */
		RoutingAgentAnswer: {
			agent: components["schemas"]["RoutingAgent"];
			/** @description its id in routing */
			agent_id: string;
		};
		/**
		 * RoutingAgents
		 * @description In the order of their registration.
		 */
		RoutingAgents: {
			agents: components["schemas"]["RoutingAgent"][];
			total: number;
		};
		/**
		 * RoutingHealth
		 * @description `unroutable` names at most 20 waiting tasks whose skills nobody has.
		 */
		RoutingHealth: {
			status: components["schemas"]["RoutingHealthState"];
			agents_available: number;
			pending_tasks: number;
			unroutable_tasks: number;
			unroutable: string[];
			/** Format: date-time */
			checked_at: string;
		};
		/**
		 * RoutingHealthState
		 * @description `degraded`: tasks wait; `unhealthy`: tasks wait that no registered agent could do.
		 * @enum {string}
		 */
		RoutingHealthState: "healthy" | "degraded" | "unhealthy";
		/**
		 * RoutingStats
		 * @description `capacity` and `load` are of the available agents, in tasks. `average_seconds` is from assignment to completion,
		 *     over the completed tasks; None while there are none.
		 */
		RoutingStats: {
			agents: components["schemas"]["AgentCounts"];
			tasks: components["schemas"]["TaskCounts"];
			capacity: number;
			load: number;
			average_seconds: number | null;
		};
		/**
		 * RoutingStatus
		 * @description `available` takes tasks, `busy` and `offline` take no more; what they have they keep.
		 * @enum {string}
		 */
		RoutingStatus: "available" | "busy" | "offline";
		/**
		 * RoutingTask
		 * @description `assigned_to` is the routing agent that has it, or had it last; `failed_agents` are those that failed it.
		 *     `retry_count` counts failures, `error` is the last one. `submitted_by` is the agent whose key submitted it, if that
		 *     key was bound to one.
		 */
		RoutingTask: {
			/** @description the organization that the row belongs to */
			org_id: string;
			/** @description id of the task */
			task_id: string;
			/** @description what it is called */
			title: string;
			/** @description what is to be done */
			description: string | null;
			/** @description what whoever does it must be able to do */
			required_skills: string[];
			/** @description low, normal, high, urgent or critical */
			urgency: components["schemas"]["Urgency"];
			/** @description how long one agent may take */
			timeout_seconds: number;
			/** @description how often it is given away again */
			max_retries: number;
			/** @description how often it has failed */
			retry_count: number;
			/** @description what the submitter wants called; never called */
			callback_url: string | null;
			/** @description pending, assigned, completed or failed */
			status: components["schemas"]["TaskStatus"];
			/** @description the routing agent that has it, or had it last */
			assigned_to: string | null;
			/** @description routing agents that failed it */
			failed_agents: string[];
			/** @description what came of it */
			result: unknown;
			/** @description why it failed last */
			error: string | null;
			/** @description the agent whose key submitted it, if bound to one */
			submitted_by: string | null;
			/** @description id of the key that submitted it */
			created_by: string;
			/**
			 * Format: date-time
			 * @description when it was recorded
			 */
			created_at: string;
			/**
			 * Format: date-time
			 * @description when it last changed
			 */
			updated_at: string;
			/** @description when the agent was given it */
			assigned_at: string | null;
			/** @description when it ended, well or not */
			completed_at: string | null;
		};
		/**
		 * RoutingTaskAnswer
		 * @description `agent` is who has the task, None while it waits or once it has ended.
		 */
		RoutingTaskAnswer: {
			task: components["schemas"]["RoutingTask"];
			/** @description id of the task */
			task_id: string;
			agent: components["schemas"]["RoutingAgent"] | null;
		};
		/** RoutingTasks */
		RoutingTasks: {
			tasks: components["schemas"]["RoutingTask"][];
			total: number;
			next_cursor: string | null;
		};
		/**
		 * RuleChange
		 * @description `change_id` is the id of what was changed and the number of its event within the organization. `id` and `name`
		 *     are of what was changed, as it is after. `by` is the key that did it (or system), with its name where it has one.
		 *     `version` is the organization's of its policies, or a template's own; null for profiles. `members` are those that
		 *     differ, all of a new one, and none of one that was removed.
		 */
		RuleChange: {
			change_id: string;
			kind: components["schemas"]["RuleKind"];
			id: string;
			name: string;
			what: components["schemas"]["ChangeWhat"];
			/** Format: date-time */
			at: string;
			by: string;
			by_name: string | null;
			version: number | null;
			members: components["schemas"]["ChangedMember"][];
		};
		/**
		 * RuleChanges
		 * @description The newest first; `total` counts all that fit.
		 */
		RuleChanges: {
			changes: components["schemas"]["RuleChange"][];
			total: number;
		};
		/**
		 * RuleKind
		 * @description What was changed.
		 * @enum {string}
		 */
		RuleKind: "policy" | "risk_template" | "scoring_profile" | "scoring_dimension";
		/**
		 * RunStatus
		 * @description `interrupted`: the service stopped while the run was going on; what it had scored stays.
		 * @enum {string}
		 */
		RunStatus: "running" | "completed" | "failed" | "interrupted";
		/** RunsOfTemplate */
		RunsOfTemplate: {
			/** @description the prompt */
			template_id: string;
			/** @description the prompt's present name */
			template_name: string;
			total_runs: number;
			avg_length: number;
		};
		/** RunsOfVersion */
		RunsOfVersion: {
			/** @description the prompt */
			template_id: string;
			/** @description the prompt's name when it was rendered */
			template_name: string;
			/** @description the version that was rendered */
			version_id: string;
			/** @description number of that version within the prompt */
			version: number;
			total_runs: number;
			avg_length: number;
		};
		/**
		 * Runtime
		 * @description Where the agent runs, which says how far guard can reach (the specification's runtime profiles).
		 * @enum {string}
		 */
		Runtime: "sdk_service" | "coding_assistant" | "coding_agent" | "evidence_import";
		/**
		 * RuntimeProfile
		 * @description How one kind of runtime is governed: approval and evidence behaviour only, not where it is hosted.
		 */
		RuntimeProfile: {
			runtime: components["schemas"]["Runtime"];
			name: string;
			governance_range: string;
			surface_path: string;
			approval: string;
			evidence: string;
		};
		/**
		 * SaveSharedDoc
		 * @description A document that every agent of the organization reads and may replace, by its name.
		 */
		SaveSharedDoc: {
			name: string;
			content: string;
			agent_id?: string | null;
			metadata?: {
				[key: string]: unknown;
			} | null;
		} & {
			[key: string]: unknown;
		};
		/**
		 * SaveSnippet
		 * @description A name that is there already gets the new code.
		 */
		SaveSnippet: {
			name: string;
			code: string;
			description?: string | null;
			language?: string | null;
			tags?: string[] | null;
			agent_id?: string | null;
			metadata?: {
				[key: string]: unknown;
			} | null;
		} & {
			[key: string]: unknown;
		};
		/**
		 * ScaleOperator
		 * @description How a rule of a scale looks at the value.
		 * @enum {string}
		 */
		ScaleOperator: "lt" | "lte" | "gt" | "gte" | "eq" | "between" | "contains";
		/**
		 * ScaleRule
		 * @description `value` is `[low, high]` for `between`; `score` is 0 to 100.
		 */
		ScaleRule: {
			label: string;
			operator: components["schemas"]["ScaleOperator"];
			value: boolean | number | string | (number)[];
			score: number;
		};
		/**
		 * ScaleSuggestion
		 * @description `sample_size` actions have the metric, `simulated` of them made by a simulator. `intervals` has the two ends of
		 *     each percentile's 95% interval. `suggested_scale` and `suggested_weight` fit a scoring profile's dimension. The
		 *     actions lie in `clusters` (`basis` says of what), which the intervals respect; the median is worth that of
		 *     `n_effective` independent actions. With one cluster intervals reach over all values: nothing tells chance.
		 */
		ScaleSuggestion: {
			metric: components["schemas"]["CalibrationMetric"];
			data_source: string;
			lower_is_better: boolean;
			sample_size: number;
			simulated: number;
			distribution: components["schemas"]["MetricDistribution"];
			intervals: {
				[key: string]: number[];
			};
			suggested_scale: components["schemas"]["SuggestedStep"][];
			suggested_weight: number;
			clusters: number | null;
			n_effective: number | null;
			basis: string | null;
		};
		/**
		 * ScanContent
		 * @description With `store` what was found is recorded for the audit trail, never the text: as the event `secrets.found`.
		 */
		ScanContent: {
			text: string;
			destination?: string | null;
			agent_id?: string | null;
			/** @description Default: `false`. */
			store?: boolean | null;
		};
		/**
		 * ScanPromptInjection
		 * @description `source` says where the text came from, such as user_input, system_prompt, tool_output or web_page: the same
		 *     words weigh more where somebody else brought them. With `store` false nothing is recorded whatever is found.
		 */
		ScanPromptInjection: {
			text: string;
			/** @description where the text came from, as it was scanned Default: `"user_input"`. */
			source?: string | null;
			/** @description whose text it was */
			agent_id?: string | null;
			/** @description Default: `true`. */
			store?: boolean | null;
		};
		/**
		 * ScanRecommendation
		 * @description What to do with a text, mildest first.
		 * @enum {string}
		 */
		ScanRecommendation: "allow" | "warn" | "block";
		/**
		 * ScoreBucket
		 * @description `excellent` from 0.8 on, `acceptable` from 0.5 on, else `poor`.
		 */
		ScoreBucket: {
			bucket: string;
			count: number;
			/** @description mean of its scores */
			avg_score: number | null;
		};
		/** ScoreDay */
		ScoreDay: {
			n: number;
			mean: number | null;
			mean_low: number;
			mean_high: number;
			min: number | null;
			max: number | null;
			sd: number | null;
			passed: number;
			pass_rate: number | null;
			pass_low: number;
			pass_high: number;
			simulated: number;
			/** Format: date */
			date: string;
			count: number;
			/** @description mean of its scores */
			avg_score: number | null;
		};
		/**
		 * ScoreSummary
		 * @description `n` scores; `sd` is the sample's (n - 1). What n scores cannot tell is null. `simulated` counts those among
		 *     them that judge actions which a simulator made up.
		 */
		ScoreSummary: {
			n: number;
			mean: number | null;
			mean_low: number;
			mean_high: number;
			min: number | null;
			max: number | null;
			sd: number | null;
			passed: number;
			pass_rate: number | null;
			pass_low: number;
			pass_high: number;
			simulated: number;
		};
		/**
		 * ScoreWithProfile
		 * @description `action` scores one, `actions` many; exactly one of them. Each is an object, or the id of a recorded action. Of
		 *     an object these members count: action_id, agent_id, action_type, duration_ms, cost_estimate, tokens_total (or
		 *     tokens_in and tokens_out, or prompt_tokens and completion_tokens), risk_score, confidence, eval_score (0-1) and
		 *     metadata; a condition looks at all. `metadata` beside the action is kept with the score.
		 */
		ScoreWithProfile: {
			/** @description the profile that gave it */
			profile_id: string;
			action?: {
				[key: string]: unknown;
			} | string | null;
			actions?: ({
				[key: string]: unknown;
			} | string)[] | null;
			/** @description whatever was added */
			metadata?: {
				[key: string]: unknown;
			} | null;
		};
		/**
		 * Scorer
		 * @description `config` is complete: every default is filled in.
		 */
		Scorer: {
			/** @description id of the scorer */
			id: string;
			/** @description the organization that the row belongs to */
			org_id: string;
			/** @description what people call it */
			name: string;
			/** @description regex, contains, numeric_range or expression */
			scorer_type: components["schemas"]["ScorerType"];
			/** @description how it judges, defaults filled in */
			config: {
				[key: string]: unknown;
			};
			/** @description what it is for */
			description: string | null;
			/**
			 * Format: date-time
			 * @description when it was recorded
			 */
			created_at: string;
			/** @description id of the key that made it */
			created_by: string;
			/**
			 * Format: date-time
			 * @description when it was last changed
			 */
			updated_at: string;
			/** @description id of the key that changed it last */
			updated_by: string;
			/** @description when it was removed */
			deleted_at: string | null;
		};
		/**
		 * ScorerChange
		 * @description Members to change; the others stay. Another type needs its own `config`. Scores already given stay as they
		 *     are.
		 */
		ScorerChange: {
			/** @description what people call it */
			name?: string | null;
			scorer_type?: string | null;
			config?: unknown;
			/** @description what it is for */
			description?: string | null;
		};
		/** ScorerStats */
		ScorerStats: {
			n: number;
			mean: number | null;
			mean_low: number;
			mean_high: number;
			min: number | null;
			max: number | null;
			sd: number | null;
			passed: number;
			pass_rate: number | null;
			pass_low: number;
			pass_high: number;
			simulated: number;
			/** @description name of the scorer */
			scorer_name: string;
			total_scores: number;
			/** @description mean of its scores */
			avg_score: number | null;
		};
		/**
		 * ScorerType
		 * @description What a scorer looks at; the module says how each is configured.
		 * @enum {string}
		 */
		ScorerType: "regex" | "contains" | "numeric_range" | "expression";
		/**
		 * Scorers
		 * @description The newest first. `llm_available` is always false: the service asks no model.
		 */
		Scorers: {
			scorers: components["schemas"]["Scorer"][];
			llm_available: boolean;
		};
		/**
		 * ScoresView
		 * @description The scores themselves, or what they add up to.
		 * @enum {string}
		 */
		ScoresView: "scores" | "stats";
		/**
		 * ScoringDimension
		 * @description One thing that a profile measures.
		 */
		ScoringDimension: {
			/** @description id of the dimension */
			id: string;
			/** @description the organization that the row belongs to */
			org_id: string;
			/** @description the profile that it belongs to */
			profile_id: string;
			/** @description what people call it */
			name: string;
			/** @description what it is for */
			description: string | null;
			/** @description what it takes of an action */
			data_source: components["schemas"]["DataSource"];
			/** @description the field or the condition that the source needs */
			data_config: {
				[key: string]: unknown;
			};
			/** @description the rules that turn a value into a score */
			scale: components["schemas"]["ScaleRule"][];
			/** @description how much it counts among the dimensions of its profile */
			weight: number;
			/** @description its place among them */
			sort_order: number;
			/**
			 * Format: date-time
			 * @description when it was recorded
			 */
			created_at: string;
			/** @description id of the key that made it */
			created_by: string;
			/**
			 * Format: date-time
			 * @description when it was last changed
			 */
			updated_at: string;
			/** @description id of the key that changed it last */
			updated_by: string;
		};
		/**
		 * ScoringDimensionChange
		 * @description Members to change; those left out stay. Null empties `description`, `data_config` and `scale`; the others cannot
		 *     be null.
		 */
		ScoringDimensionChange: {
			/** @description what people call it */
			name?: string;
			data_source?: string;
			/** @description how much it counts among the dimensions of its profile */
			weight?: number;
			/** @description what it is for */
			description?: string | null;
			/** @description the field or the condition that the source needs */
			data_config?: {
				[key: string]: unknown;
			} | null;
			scale?: {
				[key: string]: unknown;
			}[] | null;
			/** @description its place among them */
			sort_order?: number;
		};
		/**
		 * ScoringProfile
		 * @description A profile with its dimensions in order.
		 */
		ScoringProfile: {
			/** @description id of the profile */
			id: string;
			/** @description the organization that the row belongs to */
			org_id: string;
			/** @description what people call it */
			name: string;
			/** @description what it is for */
			description: string | null;
			/** @description the kind of action that it is meant for; empty means any */
			action_type: string | null;
			/** @description weighted_average, minimum or geometric_mean */
			composite_method: components["schemas"]["CompositeMethod"];
			/** @description whatever was added */
			metadata: {
				[key: string]: unknown;
			};
			/** @description active, inactive or archived */
			status: components["schemas"]["ProfileStatus"];
			/**
			 * Format: date-time
			 * @description when it was recorded
			 */
			created_at: string;
			/** @description id of the key that made it */
			created_by: string;
			/**
			 * Format: date-time
			 * @description when it was last changed
			 */
			updated_at: string;
			/** @description id of the key that changed it last */
			updated_by: string;
			dimensions: components["schemas"]["ScoringDimension"][];
		};
		/**
		 * ScoringProfileChange
		 * @description Members to change; those left out stay. Null empties `description`, `action_type` and `metadata`; the others
		 *     cannot be null.
		 */
		ScoringProfileChange: {
			/** @description what people call it */
			name?: string;
			/** @description what it is for */
			description?: string | null;
			/** @description the kind of action that it is meant for; empty means any */
			action_type?: string | null;
			composite_method?: string;
			status?: string;
			/** @description whatever was added */
			metadata?: {
				[key: string]: unknown;
			} | null;
		};
		/**
		 * ScoringProfiles
		 * @description The newest first.
		 */
		ScoringProfiles: {
			profiles: components["schemas"]["ScoringProfile"][];
			total: number;
			next_cursor: string | null;
		};
		/** SearchKnowledge */
		SearchKnowledge: {
			query: string;
			/** @description how many at most, 1 to 200 Default: `5`. */
			limit?: number | null;
		};
		/**
		 * SecretFinding
		 * @description `matched` tells it without the secret: how many characters it has, and the first four where every secret of its
		 *     kind begins like that.
		 */
		SecretFinding: {
			pattern: string;
			category: string;
			severity: string;
			position: number;
			end: number;
			matched: string;
		};
		/**
		 * SectionResult
		 * @description `synced` counts the items that are kept now, whether this call kept them or an earlier one. `errors` names at
		 *     most 100 of those that are not, and `failed` counts them all.
		 */
		SectionResult: {
			synced: number;
			failed: number;
			errors: components["schemas"]["SyncError"][];
		};
		/**
		 * SendMessage
		 * @description `from_agent_id` is who sends it; a key that is bound to an agent may leave it out. `to_agent_id` (also `to`) is
		 *     the agent it goes to; left out, "broadcast" or "all" it goes to every agent. `action_id` is the action it is about.
		 *     `thread_id` is an open message thread. `doc_ref` is where more is to be found.
		 */
		SendMessage: {
			/** @description the agent that sent it */
			from_agent_id?: string | null;
			/** @description the agent it went to; empty for a broadcast to all */
			to_agent_id?: string | null;
			/** @description action, info, lesson, question or status Default: `"info"`. */
			message_type?: components["schemas"]["MessageType"] | null;
			/** @description what it is about, in its sender's words */
			subject?: string | null;
			/** @description what it says */
			body: string;
			/** @description the message thread it is in */
			thread_id?: string | null;
			/** @description whether its sender called it urgent Default: `false`. */
			urgent?: boolean | null;
			/** @description where more is to be found */
			doc_ref?: string | null;
			/** @description the action it is about */
			action_id?: string | null;
			attachments?: components["schemas"]["NewAttachment"][] | null;
		};
		/**
		 * SentMessage
		 * @description `warnings` say where the message reads like a prompt injection; it was sent all the same.
		 */
		SentMessage: {
			message: components["schemas"]["Message"];
			message_id: string;
			warnings: string[];
		};
		/**
		 * Sentiment
		 * @description Told by the rating: 4 and more is positive, 2 and less negative. In between, and without one, by the comment's
		 *     words.
		 * @enum {string}
		 */
		Sentiment: "positive" | "negative" | "neutral";
		/** Session */
		Session: {
			workspace: string | null;
			branch: string | null;
			status: string;
			agent_id: string | null;
			metadata: {
				[key: string]: unknown;
			} | null;
			org_id: string;
			session_id: string;
			green_level: string | number | null;
			branch_freshness: string | null;
			commits_behind: number | null;
			blocked_reason: string | null;
			created_by: string;
			/** Format: date-time */
			created_at: string;
			/** Format: date-time */
			updated_at: string;
		};
		/** SessionAnswer */
		SessionAnswer: {
			session: components["schemas"]["Session"];
			session_id: string;
		};
		/**
		 * SessionEvent
		 * @description `n` is the event's number in the organization's log, `subject` the id of what it is about, `actor` the id of
		 *     the key that caused it.
		 */
		SessionEvent: {
			n: number;
			type: string;
			subject: string;
			action_id: string | null;
			actor: string;
			/** Format: date-time */
			created_at: string;
		};
		/**
		 * SessionEvents
		 * @description The newest 1000, in order; `total` counts all.
		 */
		SessionEvents: {
			events: components["schemas"]["SessionEvent"][];
			total: number;
		};
		/** Sessions */
		Sessions: {
			total: number;
			next_cursor: string | null;
			sessions: components["schemas"]["Session"][];
		};
		/** SetRecommendationActive */
		SetRecommendationActive: {
			/** @description whether it is shown */
			active: boolean;
		};
		/**
		 * SetRota
		 * @description All groups: what is not among them is no group any more. At most 16,000 bytes as JSON.
		 */
		SetRota: {
			/** @description the groups with their members and weekly hours */
			groups: components["schemas"]["OperatorGroup"][];
		};
		/**
		 * SetTriage
		 * @description A new plan. `action_types` are the strata. `room` is how many harmful actions of each type may pass while `alpha`
		 *     of what passed of it is less; where it is not given, `alpha` of 1,000, 10 at least and 50 at most, or more where a
		 *     small `delta` wants it. `least_audited` is the least share of what could pass that is asked anyway, `horizon_hours`
		 *     after how long nobody will know any more how a request turned out.
		 */
		SetTriage: {
			/** @description the types of actions that may pass, as names are compared */
			action_types: string[];
			/** @description the share of what passes of each that may be harmful */
			alpha: number;
			/** @description the probability that it is more in any of them Default: `0.05`. */
			delta?: number | null;
			/** @description how many harmful ones of each may pass while that share is fewer */
			room?: number | null;
			/** @description the risks below which it may pass, lowest first Default: `[20.0, 35.0, 50.0, 65.0]`. */
			thresholds?: number[] | null;
			/** @description the least share that is asked anyway Default: `0.1`. */
			least_audited?: number | null;
			/** @description after how long nobody will know how it turned out Default: `168`. */
			horizon_hours?: number | null;
			/** @description why it was given */
			reason?: string | null;
		};
		/**
		 * Severity
		 * @enum {string}
		 */
		Severity: "red" | "amber";
		/**
		 * SharedDoc
		 * @description `version` counts how often the content has changed, from 1.
		 */
		SharedDoc: {
			name: string;
			content: string;
			agent_id: string | null;
			metadata: {
				[key: string]: unknown;
			} | null;
			org_id: string;
			doc_id: string;
			version: number;
			created_by: string;
			/** Format: date-time */
			created_at: string;
			/** Format: date-time */
			updated_at: string;
		};
		/** SharedDocAnswer */
		SharedDocAnswer: {
			doc: components["schemas"]["SharedDoc"];
			doc_id: string;
		};
		/** SharedDocs */
		SharedDocs: {
			total: number;
			next_cursor: string | null;
			docs: components["schemas"]["SharedDoc"][];
		};
		/**
		 * Shift
		 * @description Each of these days from `start` to `end`, which is on the day after where it is not later than `start`.
		 */
		Shift: {
			days: components["schemas"]["Weekday"][];
			/** @description a time of the day, HH:MM */
			start: string;
			/** @description a time of the day, HH:MM */
			end: string;
		};
		/**
		 * Signal
		 * @description `label` says it in a line, `detail` in a sentence, `help` what to do. `since` is when what it is about began: the
		 *     latest of what was counted, or when the action, the loop or the assumption began.
		 */
		Signal: {
			/** @description what is wrong */
			type: components["schemas"]["SignalType"];
			/** @description red or amber, when it came on */
			severity: components["schemas"]["Severity"];
			/** @description what is wrong, in a line */
			label: string;
			/** @description what is wrong, in a sentence */
			detail: string;
			/** @description what to do about it */
			help: string;
			/** @description the agent it concerns */
			agent_id: string | null;
			/** @description the action it concerns */
			action_id: string | null;
			/** @description the open loop it concerns */
			loop_id: string | null;
			/** @description the assumption it concerns */
			assumption_id: string | null;
			/**
			 * Format: date-time
			 * @description when what it is about began
			 */
			since: string;
		};
		/** SignalCounts */
		SignalCounts: {
			red: number;
			amber: number;
			total: number;
		};
		/**
		 * SignalDay
		 * @description How often a type came on for an agent on one day (UTC).
		 */
		SignalDay: {
			/** Format: date */
			day: string;
			type: components["schemas"]["SignalType"];
			agent_id: string | null;
			n: number;
		};
		/**
		 * SignalHistory
		 * @description Signals that came on from `since` to `until`: in all, by type, by agent, by both, each with the most frequent
		 *     first. `by_agent` and `by_type_and_agent` have 100 at most; `days` the latest 5,000, in order; `not_shown` says how
		 *     many more there are of each. What a simulator made up and what was imported has no signals, and is not among the
		 *     actions.
		 */
		SignalHistory: {
			window: string;
			/** Format: date-time */
			since: string;
			/** Format: date-time */
			until: string;
			all: components["schemas"]["SignalRate"];
			by_type: components["schemas"]["SignalRate"][];
			by_agent: components["schemas"]["SignalRate"][];
			by_type_and_agent: components["schemas"]["SignalRate"][];
			days: components["schemas"]["SignalDay"][];
			not_shown: {
				[key: string]: number;
			};
		};
		/**
		 * SignalRate
		 * @description How often signals came on: `n` in all, of `agents` different agents, last at `last_at`. `per_100` is for a
		 *     hundred live actions (of the same agent, where there is one), which can bring about several signals each, with
		 *     Garwood's 95% interval; the three are None where `status` is `insufficient_data` and not `ok`.
		 */
		SignalRate: {
			type: components["schemas"]["SignalType"] | null;
			agent_id: string | null;
			n: number;
			red: number;
			amber: number;
			agents: number;
			last_at: string | null;
			actions: number;
			per_100: number | null;
			per_100_low: number | null;
			per_100_high: number | null;
			status: string;
		};
		/**
		 * SignalType
		 * @description What is wrong; the settings say from when on.
		 *
		 *     - `autonomy_spike`: an agent acts more often within an hour than people can follow.
		 *     - `high_impact_low_oversight`: something of high risk that cannot be taken back is running without a scope.
		 *     - `repeated_failures`: an agent fails again and again within a day.
		 *     - `stale_loop`: what an action left open stays open.
		 *     - `assumption_drift`: what an agent believes turns out wrong, several times within a week.
		 *     - `stale_assumption`: nobody has looked whether an assumption holds.
		 *     - `stale_running_action`: an action runs and runs.
		 *     - `agent_silent`: an agent that used to send heartbeats sends none.
		 *     - `outcome_without_approval`: an outcome was reported although nobody had allowed the action.
		 * @enum {string}
		 */
		SignalType: "autonomy_spike" | "high_impact_low_oversight" | "repeated_failures" | "stale_loop" | "assumption_drift" | "stale_assumption" | "stale_running_action" | "agent_silent" | "outcome_without_approval";
		/**
		 * Signals
		 * @description The worst ten of each type, red ones first. `counts` are of what is shown; `not_shown` says how many more there
		 *     are of a type.
		 */
		Signals: {
			signals: components["schemas"]["Signal"][];
			counts: components["schemas"]["SignalCounts"];
			not_shown: {
				[key: string]: number;
			};
			/** Format: date-time */
			lastUpdated: string;
		};
		/**
		 * Signer
		 * @description Whether the key behind the bundle is in a key set that the reader trusts.
		 * @enum {string}
		 */
		Signer: "trusted" | "unknown";
		/**
		 * SigningKey
		 * @description The public part of a key. It signs from `not_before` until `not_after`, which is earlier than planned for a key
		 *     that was replaced. `reason` is why it was retired or revoked. `created_by` and the others are ids of keys, or
		 *     `system`.
		 */
		SigningKey: {
			org_id: string;
			kid: string;
			x: string;
			status: components["schemas"]["SigningKeyStatus"];
			/** Format: date-time */
			not_before: string;
			/** Format: date-time */
			not_after: string;
			/** Format: date-time */
			created_at: string;
			created_by: string;
			retired_at: string | null;
			retired_by: string | null;
			revoked_at: string | null;
			revoked_by: string | null;
			reason: string | null;
			/** Format: date-time */
			updated_at: string;
		};
		/**
		 * SigningKeyStatus
		 * @description `active` signs. `retired` was replaced and `expired` is out of its time: both keep what they signed. Nothing
		 *     counts that a `revoked` one signed.
		 * @enum {string}
		 */
		SigningKeyStatus: "active" | "retired" | "expired" | "revoked";
		/**
		 * SigningKeys
		 * @description In the order in which they were made.
		 */
		SigningKeys: {
			keys: components["schemas"]["SigningKey"][];
		};
		/**
		 * Snippet
		 * @description `use_count` counts `use_snippet`.
		 */
		Snippet: {
			name: string;
			code: string;
			description: string | null;
			language: string | null;
			tags: string[] | null;
			agent_id: string | null;
			metadata: {
				[key: string]: unknown;
			} | null;
			org_id: string;
			snippet_id: string;
			use_count: number;
			last_used_at: string | null;
			created_by: string;
			/** Format: date-time */
			created_at: string;
			/** Format: date-time */
			updated_at: string;
		};
		/** SnippetAnswer */
		SnippetAnswer: {
			snippet: components["schemas"]["Snippet"];
			snippet_id: string;
		};
		/** Snippets */
		Snippets: {
			total: number;
			next_cursor: string | null;
			snippets: components["schemas"]["Snippet"][];
		};
		/**
		 * Snooze
		 * @description What one key has put off: a row for each key and action, as it is now.
		 */
		Snooze: {
			/** @description the organization that the row belongs to */
			org_id: string;
			/** @description id of the row */
			snooze_id: string;
			/** @description the action that waits */
			action_id: string;
			/** @description the approval that it waits for */
			approval_id: string;
			/** @description who wants to act */
			agent_id: string | null;
			/** @description what kind of action */
			action_type: string;
			/** @description the operator by name */
			snoozed_by: string;
			/** @description id of that key; to every other one nothing is put off */
			snoozed_by_key: string;
			/** @description until when it was put off; empty once it was brought back */
			until: string | null;
			/**
			 * Format: date-time
			 * @description when it is back: then, or before it expires, or when it was brought back
			 */
			returns_at: string;
			/**
			 * Format: date-time
			 * @description when the operator said so last
			 */
			updated_at: string;
			/**
			 * Format: date-time
			 * @description when it was recorded
			 */
			created_at: string;
		};
		/**
		 * SnoozeAction
		 * @description `until` lies ahead; None brings the request back at once.
		 */
		SnoozeAction: {
			/** @description until when it was put off; empty once it was brought back */
			until?: string | null;
		};
		/** SnoozeDetail */
		SnoozeDetail: {
			snooze: components["schemas"]["Snooze"];
		};
		/**
		 * Snoozes
		 * @description A page, newest first. `next_cursor` is None on the last page; `lastUpdated` is the service's time.
		 */
		Snoozes: {
			snoozes: components["schemas"]["Snooze"][];
			total: number;
			/** Format: date-time */
			lastUpdated: string;
			next_cursor: string | null;
		};
		/**
		 * Source
		 * @description `live`: the agent is waiting. `import`: it happened before and is recorded as history. `simulated`: it never
		 *     happened; a simulator made it, and everything that shows it says so.
		 * @enum {string}
		 */
		Source: "live" | "import" | "simulated";
		/**
		 * StateMeaning
		 * @description A state as people read it: what it is called, what it means, what to do next.
		 */
		StateMeaning: {
			state: components["schemas"]["ReadinessState"];
			title: string;
			meaning: string;
			next_step: string;
		};
		/**
		 * StatisticalRisk
		 * @description What the last 30 days of the same agent and action type add to the risk (`adjustment`, points).
		 *
		 *     `failure_rate` is 0 to 1, `velocity` the number of actions in the last hour; `avg_historical_risk` is None without
		 *     history.
		 */
		StatisticalRisk: {
			adjustment: number;
			failure_rate: number;
			total_actions: number;
			avg_historical_risk: number | null;
			velocity: number;
		};
		/**
		 * SubjectKind
		 * @description What a scanned text belongs to. `scan`: nothing that is recorded; somebody asked about the text alone.
		 * @enum {string}
		 */
		SubjectKind: "guard_decision" | "message" | "handoff" | "assumption" | "scan";
		/**
		 * SubmitFeedback
		 * @description A rating from 1 to 5, a comment, or both. `agent_id` is whom it is about; feedback on an action is about the
		 *     action's agent. `source` says through what it was given, such as `sdk` or `user`.
		 */
		SubmitFeedback: {
			/** @description how good it was; empty when only a comment was given */
			rating?: number | null;
			/** @description what was said */
			comment?: string | null;
			/** @description the action it is about, if any */
			action_id?: string | null;
			/** @description the agent it is about */
			agent_id?: string | null;
			/** @description what it belongs to, as its giver says */
			category?: string | null;
			tags?: string[] | null;
			/** @description whatever came with it */
			metadata?: {
				[key: string]: unknown;
			} | null;
			/** @description through what it was given, such as sdk or user */
			source?: string | null;
		};
		/**
		 * SubmitRoutingTask
		 * @description `timeout_seconds` count from the assignment. `max_retries` is how often it is given away again after a failure.
		 *     `callback_url` is kept and never called: a webhook on `task.completed` says it, signed and retried.
		 */
		SubmitRoutingTask: {
			/** @description what it is called */
			title: string;
			/** @description what is to be done */
			description?: string | null;
			/** @description what whoever does it must be able to do */
			required_skills?: string[] | null;
			/** @description low, normal, high, urgent or critical Default: `"normal"`. */
			urgency?: components["schemas"]["Urgency"] | null;
			/** @description how long one agent may take Default: `3600`. */
			timeout_seconds?: number | null;
			/** @description how often it is given away again Default: `2`. */
			max_retries?: number | null;
			/** @description what the submitter wants called; never called */
			callback_url?: string | null;
		};
		/**
		 * SuggestedGrant
		 * @description An agent's type of action that people always allowed; see `assent_analytics.grants`. `max_risk` is the greatest
		 *     risk that was allowed. No condition is proposed: `unbound` are the names of arguments that the newest requests had
		 *     (at most 200 of them), and a grant of the type alone leaves each open, and others, too.
		 */
		SuggestedGrant: {
			agent_id: string;
			action_type: string;
			approved: number;
			ran: number;
			failed: number;
			/** @description covered ones that did not run, or had not ended */
			no_outcome: number;
			clusters: number;
			failures_high: number;
			max_risk: number;
			unbound: string[];
		};
		/**
		 * SuggestedGrants
		 * @description What was asked about most comes first. What a live grant for the agent and type exists for is not among them.
		 */
		SuggestedGrants: {
			/** Format: date-time */
			since: string;
			suggestions: components["schemas"]["SuggestedGrant"][];
		};
		/**
		 * SuggestedStep
		 * @description One step of a scale: the first whose `operator` holds gives `score`, 0 to 100.
		 */
		SuggestedStep: {
			label: string;
			operator: string;
			value: number;
			score: number;
		};
		/** SwitchedRecommendation */
		SwitchedRecommendation: {
			recommendation: components["schemas"]["RecommendationSwitch"];
		};
		/**
		 * SyncError
		 * @description An item that was not kept: its place in the section, the code of the problem and what was wrong.
		 */
		SyncError: {
			index: number;
			code: string;
			error: string;
		};
		/**
		 * SyncKnowledgeCollection
		 * @description Nothing to say.
		 */
		SyncKnowledgeCollection: Record<string, never>;
		/**
		 * SyncResult
		 * @description A result for each section that was sent.
		 */
		SyncResult: {
			results: {
				[key: string]: components["schemas"]["SectionResult"];
			};
			total_synced: number;
			total_errors: number;
			duration_ms: number;
		};
		/**
		 * SyncState
		 * @description Every section is what the operation of one such thing takes, many times: `actions` what `create_action` and
		 *     `update_outcome` take, `decisions` and `learning` what `record_decision` does, `goals` what `create_goal` does.
		 *
		 *     Items are looked at one by one, so that one that is wrong does not lose the others. `memory` is one object, and
		 *     `preferences` has `observations`, `preferences`, `moods` and `approaches`. `agent_id` counts for every item that
		 *     names none.
		 */
		SyncState: {
			agent_id?: string | null;
			connections?: unknown[] | null;
			actions?: unknown[] | null;
			decisions?: unknown[] | null;
			goals?: unknown[] | null;
			memory?: {
				[key: string]: unknown;
			} | null;
			learning?: unknown[] | null;
			content?: unknown[] | null;
			inspiration?: unknown[] | null;
			context_points?: unknown[] | null;
			context_threads?: unknown[] | null;
			handoffs?: unknown[] | null;
			preferences?: {
				[key: string]: unknown[];
			} | null;
			snippets?: unknown[] | null;
			relationships?: unknown[] | null;
			capabilities?: unknown[] | null;
		};
		/**
		 * SyncedKnowledge
		 * @description `synced` counts the items that were pending.
		 */
		SyncedKnowledge: {
			collection: components["schemas"]["KnowledgeCollection"];
			collection_id: string;
			synced: number;
		};
		/**
		 * TableDay
		 * @description A day (UTC) of a table by its own time. `version` is another one as soon as any row of the day was added,
		 *     changed or taken away.
		 */
		TableDay: {
			/** Format: date */
			date: string;
			rows: number;
			version: string;
		};
		/**
		 * TableDays
		 * @description The days of a table that have rows, in order, right at `as_of` or later. `state` stands for all that was recorded
		 *     when they were looked at, and `unchanged` says that it is still the one given as `unless`; `days` is empty then.
		 *     `layout` is another one when the same rows come to look otherwise; `columns` are names and types, as the dictionary
		 *     has them.
		 */
		TableDays: {
			table: string;
			window: string;
			/** Format: date-time */
			as_of: string;
			time: string;
			key: string;
			layout: string;
			columns: {
				[key: string]: string;
			};
			state: string;
			unchanged: boolean;
			days: components["schemas"]["TableDay"][];
		};
		/** TagCount */
		TagCount: {
			tag: string;
			count: number;
		};
		/** TaskCounts */
		TaskCounts: {
			total: number;
			pending: number;
			assigned: number;
			completed: number;
			failed: number;
		};
		/**
		 * TaskStatus
		 * @description `pending` waits for an agent; `failed` means that no retry is left.
		 * @enum {string}
		 */
		TaskStatus: "pending" | "assigned" | "completed" | "failed";
		/**
		 * TellFlow
		 * @description Either `user_text`, what the user said, or `tool` with what it answered: `result` is a text or any JSON, and
		 *     `arguments` are the names of those that it was called with, which tell what kind of tool it is. `cut` says that the
		 *     text or the answer is not all of it. `labels` are put on the session, such as `customer_data`; each must be one that
		 *     a flow policy declares. With `action_id`, one of the session's own, it is erased with that action.
		 */
		TellFlow: {
			/** @description the session, as its program names it */
			session_id: string;
			/** @description the session in which it was begun */
			parent_session_id?: string | null;
			/** @description for whom it was first told */
			agent_id?: string | null;
			user_text?: string | null;
			tool?: string | null;
			arguments?: string[] | null;
			result?: unknown;
			/** @description Default: `false`. */
			cut?: boolean | null;
			/** @description labels that hold */
			labels?: string[] | null;
			action_id?: string | null;
		};
		/**
		 * TemplateStatus
		 * @description Only an `active` template takes part in decisions.
		 * @enum {string}
		 */
		TemplateStatus: "active" | "inactive";
		/**
		 * TestPolicies
		 * @description Try `context` on the organization's policies, or on `policies`; nothing is recorded.
		 *
		 *     Without a context every policy is checked by itself, as published clients ask for.
		 */
		TestPolicies: {
			context?: {
				[key: string]: unknown;
			} | null;
			policies?: components["schemas"]["PolicyDraft"][] | null;
		};
		/**
		 * TestedWebhook
		 * @description `success` says that the receiver answered 2xx; `delivery` says what happened instead.
		 */
		TestedWebhook: {
			success: boolean;
			delivery: components["schemas"]["WebhookDelivery"];
		};
		/**
		 * Thread
		 * @description `id` is `thread_id` once more, as published clients know it.
		 */
		Thread: {
			/** @description the organization that the row belongs to */
			org_id: string;
			id: string;
			/** @description id of the thread */
			thread_id: string;
			/** @description whose thread it is */
			agent_id: string | null;
			/** @description what it is about */
			name: string;
			/** @description what came of it */
			summary: string | null;
			/** @description active, or closed: it takes no more entries */
			status: components["schemas"]["ThreadStatus"];
			/** @description id of the key that began it */
			created_by: string;
			/** @description when it was closed, none while it is active */
			closed_at: string | null;
			/**
			 * Format: date-time
			 * @description when it was recorded
			 */
			created_at: string;
			/**
			 * Format: date-time
			 * @description when it was last opened, closed or summed up
			 */
			updated_at: string;
		};
		/**
		 * ThreadDetail
		 * @description `entries` are in the order in which they were written; `total` counts all of the thread's.
		 */
		ThreadDetail: {
			thread: components["schemas"]["Thread"];
			entries: components["schemas"]["ThreadEntry"][];
			total: number;
		};
		/**
		 * ThreadEntry
		 * @description `id` is `entry_id` once more.
		 */
		ThreadEntry: {
			/** @description the organization that the row belongs to */
			org_id: string;
			id: string;
			/** @description id of the entry */
			entry_id: string;
			/** @description the thread it belongs to */
			thread_id: string;
			/** @description who wrote it */
			agent_id: string | null;
			/** @description what it says */
			content: string;
			/** @description note, milestone, or another word of the agent's own */
			entry_type: string;
			/** @description id of the key that wrote it */
			created_by: string;
			/**
			 * Format: date-time
			 * @description when it was recorded
			 */
			created_at: string;
		};
		/**
		 * ThreadStatus
		 * @description Only an active thread takes entries.
		 * @enum {string}
		 */
		ThreadStatus: "active" | "closed";
		/** Threads */
		Threads: {
			threads: components["schemas"]["Thread"][];
			total: number;
			/** Format: date-time */
			lastUpdated: string;
			next_cursor: string | null;
		};
		/** TokenReports */
		TokenReports: {
			total: number;
			next_cursor: string | null;
			usage: components["schemas"]["TokenUsage"][];
		};
		/** TokenUsage */
		TokenUsage: {
			/** @description what was sent to the model */
			tokens_in: number;
			/** @description what the model answered */
			tokens_out: number;
			/** @description which model */
			model: string | null;
			/** @description who runs the model */
			provider: string | null;
			/** @description what it is thought to have cost */
			cost_estimate: number | null;
			/** @description how much of the context window was taken */
			context_used: number | null;
			/** @description how large the context window is */
			context_max: number | null;
			/** @description the action it was for, if named */
			action_id: string | null;
			/** @description the session it was in, if named */
			session_id: string | null;
			/** @description the session in which that one was begun */
			parent_session_id: string | null;
			/** @description who used them */
			agent_id: string | null;
			metadata: {
				[key: string]: unknown;
			} | null;
			/** @description the organization that the row belongs to */
			org_id: string;
			/** @description id of the report */
			usage_id: string;
			created_by: string;
			/**
			 * Format: date-time
			 * @description when it was recorded
			 */
			created_at: string;
			/** Format: date-time */
			updated_at: string;
		};
		/** TokenUsageAnswer */
		TokenUsageAnswer: {
			usage: components["schemas"]["TokenUsage"];
			/** @description id of the report */
			usage_id: string;
		};
		/**
		 * Trace
		 * @description `parent_chain` starts with the parent; related actions are of the same agent within the hour. `proof` is null
		 *     until a signed tree head covers the action.
		 */
		Trace: {
			assumptions: components["schemas"]["AssumptionTrace"];
			loops: components["schemas"]["LoopTrace"];
			parent_chain: components["schemas"]["Action"][];
			sub_actions: components["schemas"]["Action"][];
			related_actions: components["schemas"]["Action"][];
			changes: components["schemas"]["Change"][];
			root_cause_indicators: components["schemas"]["RootCause"][];
			messages: components["schemas"]["MessageTrace"];
			proof: components["schemas"]["ProofTrace"] | null;
		};
		/**
		 * Transitions
		 * @description For each decision before, how many have become which; the diagonal is what stayed.
		 */
		Transitions: {
			allow: components["schemas"]["DecisionCounts"];
			warn: components["schemas"]["DecisionCounts"];
			require_approval: components["schemas"]["DecisionCounts"];
			block: components["schemas"]["DecisionCounts"];
		};
		/**
		 * Triage
		 * @description `plan` is the one that is on, None while triage is off; then there are no strata.
		 */
		Triage: {
			plan: components["schemas"]["TriagePlan"] | null;
			strata: components["schemas"]["TriageStratum"][];
			/** Format: date-time */
			at: string;
		};
		/**
		 * TriageAlarm
		 * @description Why an epoch ended: `audits` of what could pass in it, `harmful` of them; `passed` of all epochs, of which so
		 *     many are `known_harmful` and at most `bound` harmful, where `budget` are accepted; `says` has it in words.
		 */
		TriageAlarm: {
			kind: components["schemas"]["TriageAlarmKind"];
			/** @description after how many new beginnings */
			epoch: number;
			threshold: number;
			audits: number;
			harmful: number;
			passed: number;
			known_harmful: number;
			bound: number;
			budget: number;
			says: string;
		};
		/**
		 * TriageAlarmKind
		 * @description `bound`: what passed may be more harmful than is accepted. `change`: more than alpha is harmful lately. `found`:
		 *     so many that passed are known to be harmful.
		 * @enum {string}
		 */
		TriageAlarmKind: "bound" | "change" | "found";
		/**
		 * TriagePlan
		 * @description A plan as it is now; one that was stopped lets nothing pass any more.
		 */
		TriagePlan: {
			/** @description the organization that the row belongs to */
			org_id: string;
			/** @description id of the plan */
			plan_id: string;
			/** @description the types of actions that may pass, as names are compared */
			action_types: string[];
			/** @description the share of what passes of each that may be harmful */
			alpha: number;
			/** @description the probability that it is more in any of them */
			delta: number;
			/** @description how many harmful ones of each may pass while that share is fewer */
			room: number;
			/** @description the risks below which it may pass, lowest first */
			thresholds: number[];
			/** @description the least share that is asked anyway */
			least_audited: number;
			/** @description after how long nobody will know how it turned out */
			horizon_hours: number;
			/** @description why it was given */
			reason: string | null;
			/**
			 * Format: date-time
			 * @description when it was recorded
			 */
			created_at: string;
			/** @description id of the key that gave it */
			created_by: string;
			/** @description who gave it, by the key's name then */
			created_by_name: string;
			/** @description when it was stopped or another one took its place */
			stopped_at: string | null;
			/** @description id of the key that stopped it */
			stopped_by: string | null;
		};
		/**
		 * TriageState
		 * @description `learning`: nothing is certified yet. `passing`: something passes. `waiting`: everything is asked until audits
		 *     are known, or for good where none are pending. `fallen_back`: an alarm came, and nothing is certified since.
		 * @enum {string}
		 */
		TriageState: "learning" | "passing" | "waiting" | "fallen_back";
		/**
		 * TriageStratum
		 * @description How one stratum stands. `asked` counts its requests that people were asked, `audited` those of them that could
		 *     have passed. `tested` audits of this epoch are known to certificates, `tested_harmful` of them; `needed` further
		 *     ones, none of them harmful, certify the next threshold (None where all are). `passed` of all epochs, at most `bound`
		 *     of them harmful, where `budget` are accepted, and `known_harmful` are known. `says` has it in words.
		 */
		TriageStratum: {
			action_type: string;
			state: components["schemas"]["TriageState"];
			threshold: number | null;
			audit_share: number;
			asked: number;
			audited: number;
			passed: number;
			known_harmful: number;
			bound: number;
			budget: number;
			/** @description after how many new beginnings */
			epoch: number;
			tested: number;
			tested_harmful: number;
			pending: number;
			needed: number | null;
			alarms: components["schemas"]["TriageAlarm"][];
			says: string;
		};
		/**
		 * UnaskedType
		 * @description Actions of one type that ran and ended without anybody being asked; the ends as in AskedGroup.
		 */
		UnaskedType: {
			name: string | null;
			ended: number;
			failed: number;
			failed_share: number | null;
			failed_low: number | null;
			failed_high: number | null;
			clusters: number;
			simulated: number;
			advice: components["schemas"]["AskingAdvice"];
		};
		/**
		 * UnknownType
		 * @description A type that agents asked guard about and that is not among the known ones. `agents` are up to ten of them.
		 */
		UnknownType: {
			action_type: string;
			count: number;
			/** Format: date-time */
			last_seen: string;
			agents: string[];
		};
		/**
		 * UpdateCapability
		 * @description What is left out stays as it is.
		 */
		UpdateCapability: {
			name?: string | null;
			description?: string | null;
			category?: string | null;
			risk_level?: string | null;
			status?: string | null;
			endpoint?: string | null;
			input_schema?: {
				[key: string]: unknown;
			} | null;
			output_schema?: {
				[key: string]: unknown;
			} | null;
			tags?: string[] | null;
			metadata?: {
				[key: string]: unknown;
			} | null;
		} & {
			[key: string]: unknown;
		};
		/**
		 * UpdateComplianceSchedule
		 * @description What is left out stays as it is.
		 */
		UpdateComplianceSchedule: {
			/** @description the frameworks in each export */
			frameworks?: string[] | null;
			/** @description when, as five fields of crontab in UTC */
			cron_expression?: string | null;
			/** @description what people call it */
			name?: string | null;
			format?: string | null;
			window_days?: number | null;
			/** @description whether reports name records */
			include_evidence?: boolean | null;
			/** @description whether reports say how to come by what is missing */
			include_remediation?: boolean | null;
			/** @description whether reports have what earlier exports counted */
			include_trends?: boolean | null;
			/** @description whether it makes exports */
			enabled?: boolean | null;
		};
		/**
		 * UpdateGoal
		 * @description What is left out stays as it is.
		 */
		UpdateGoal: {
			title?: string | null;
			description?: string | null;
			category?: string | null;
			status?: string | null;
			progress?: number | null;
			target_date?: string | null;
			metadata?: {
				[key: string]: unknown;
			} | null;
		} & {
			[key: string]: unknown;
		};
		/**
		 * UpdateKnowledgeCollection
		 * @description What is left out stays as it is.
		 */
		UpdateKnowledgeCollection: {
			name?: string | null;
			description?: string | null;
			source_type?: string | null;
			tags?: string[] | null;
			metadata?: {
				[key: string]: unknown;
			} | null;
		} & {
			[key: string]: unknown;
		};
		/**
		 * UpdateModelStrategy
		 * @description What is left out stays as it is, members of `config` too.
		 */
		UpdateModelStrategy: {
			name?: string | null;
			config?: {
				[key: string]: unknown;
			} | null;
			description?: string | null;
			metadata?: {
				[key: string]: unknown;
			} | null;
		} & {
			[key: string]: unknown;
		};
		/**
		 * UpdateOrganization
		 * @description Members to change. A `slug` is taken for good and may only be repeated. `explore_below` is the risk below which
		 *     policies with `explore` do the other thing now and then; 0, as it begins, is never.
		 */
		UpdateOrganization: {
			/** @description what people call it */
			name?: string | null;
			/** @description short name, unique within the service */
			slug?: string | null;
			/** @description the risk below which its policies may explore; 0: none does */
			explore_below?: number | null;
		};
		/**
		 * UpdateOutcome
		 * @description What came of an action. At least one member; a changed final status is kept as a correction.
		 */
		UpdateOutcome: {
			/** @description running, pending, pending_approval, completed, failed, cancelled or blocked */
			status?: components["schemas"]["ActionStatus"] | null;
			/** @description what came out */
			output_summary?: string | null;
			/** @description what else it changed */
			side_effects?: string[] | null;
			/** @description what it made */
			artifacts_created?: string[] | null;
			/** @description why it failed, or why it was denied */
			error_message?: string | null;
			/** @description when it ended */
			timestamp_end?: string | null;
			/** @description how long it took */
			duration_ms?: number | null;
			/** @description what it cost */
			cost_estimate?: number | null;
			/** @description tokens read by the model */
			tokens_in?: number | null;
			/** @description tokens written by the model */
			tokens_out?: number | null;
			/** @description the model behind the agent */
			model?: string | null;
			/** @description whatever the agent added */
			metadata?: {
				[key: string]: unknown;
			} | null;
			close_if_running?: boolean | null;
			occurred_at?: string | null;
			/** @description live, import, or simulated: a simulator made it up */
			source?: components["schemas"]["Source"] | null;
		};
		/**
		 * UpdatePromptTemplate
		 * @description Members to change; the others stay.
		 */
		UpdatePromptTemplate: {
			/** @description what people call it */
			name?: string | null;
			/** @description what it is for */
			description?: string | null;
			/** @description what it belongs to */
			category?: string | null;
		};
		/**
		 * UpdateProvider
		 * @description What is left out stays as it is.
		 */
		UpdateProvider: {
			name?: string | null;
			origin?: string | null;
			description?: string | null;
			category?: string | null;
			status?: string | null;
			tags?: string[] | null;
			metadata?: {
				[key: string]: unknown;
			} | null;
		} & {
			[key: string]: unknown;
		};
		/**
		 * UpdateRegisteredAgent
		 * @description What is left out stays as it is.
		 */
		UpdateRegisteredAgent: {
			name?: string | null;
			description?: string | null;
			provider?: string | null;
			endpoint?: string | null;
			status?: string | null;
			tags?: string[] | null;
			metadata?: {
				[key: string]: unknown;
			} | null;
		} & {
			[key: string]: unknown;
		};
		/**
		 * UpdateRiskTemplate
		 * @description Members to change; the others stay. An empty `action_type` makes it a template for every type; `rules` are
		 *     replaced as a whole. What has changed in truth raises the template's version.
		 */
		UpdateRiskTemplate: {
			/** @description what people call it */
			name?: string | null;
			/** @description what it is for */
			description?: string | null;
			/** @description the actions that it rates; empty means every type without a template of its own */
			action_type?: string | null;
			/** @description its risk before rules add to it */
			base_risk?: number | null;
			/** @description conditions and the points that they add */
			rules?: components["schemas"]["RiskRule"][] | null;
			/** @description active or inactive */
			status?: components["schemas"]["TemplateStatus"] | null;
		};
		/** UpdateRoutingAgentStatus */
		UpdateRoutingAgentStatus: {
			/** @description available, busy or offline */
			status: components["schemas"]["RoutingStatus"];
		};
		/**
		 * UpdateSession
		 * @description What is left out stays as it is. `commits_behind` counts commits of the main branch that this one lacks.
		 */
		UpdateSession: {
			status?: string | null;
			workspace?: string | null;
			branch?: string | null;
			green_level?: string | number | null;
			branch_freshness?: string | null;
			commits_behind?: number | null;
			blocked_reason?: string | null;
			metadata?: {
				[key: string]: unknown;
			} | null;
		} & {
			[key: string]: unknown;
		};
		/**
		 * UpdateWebhook
		 * @description What is left out stays. `active` true begins anew with what is recorded from then on, as other `events` do.
		 */
		UpdateWebhook: {
			url?: string | null;
			events?: string[] | null;
			active?: boolean | null;
			description?: string | null;
			quiet_from?: string | null;
			quiet_until?: string | null;
			time_zone?: string | null;
			digest_minutes?: number | null;
		};
		/**
		 * UpdateWorkflowTemplate
		 * @description What is left out stays as it is. Other `steps` make another version.
		 */
		UpdateWorkflowTemplate: {
			name?: string | null;
			description?: string | null;
			objective?: string | null;
			steps?: {
				[key: string]: unknown;
			}[] | null;
			variables?: {
				[key: string]: unknown;
			} | unknown[] | null;
			model_strategy_id?: string | null;
			status?: string | null;
			tags?: string[] | null;
			metadata?: {
				[key: string]: unknown;
			} | null;
		} & {
			[key: string]: unknown;
		};
		/** UpdatedAction */
		UpdatedAction: {
			action: components["schemas"]["Action"];
		};
		/**
		 * Urgency
		 * @description Which of the waiting tasks is assigned first.
		 * @enum {string}
		 */
		Urgency: "low" | "normal" | "high" | "urgent" | "critical";
		/**
		 * UseSnippet
		 * @description Nothing to say.
		 */
		UseSnippet: Record<string, never>;
		/**
		 * ValidateAssumption
		 * @description `validated` false means that the assumption turned out wrong; then `invalidated_reason` is required.
		 */
		ValidateAssumption: {
			/** @description whether somebody looked and it held */
			validated: boolean;
			/** @description why it was wrong */
			invalidated_reason?: string | null;
		};
		/**
		 * ValueInterval
		 * @description From `least` to `most` by what is known and not, which is one number where all is; from `low` to `high` with
		 *     chance (95%), null where nothing tells it.
		 */
		ValueInterval: {
			least: number;
			most: number;
			low: number | null;
			high: number | null;
		};
		/**
		 * ValueStatus
		 * @description `few_clusters`: the intervals rest on fewer than 10 clusters. `not_identified`: for some decisions nobody saw
		 *     what the policy would do, and only bounds are known. `insufficient_data`: no decisions, or one cluster.
		 * @enum {string}
		 */
		ValueStatus: "ok" | "few_clusters" | "not_identified" | "insufficient_data";
		/**
		 * VelocityAnswer
		 * @description `velocity` in the order of agents; `total` counts all of them.
		 */
		VelocityAnswer: {
			velocity: components["schemas"]["LearningVelocity"][];
			total: number;
			/** Format: date-time */
			since: string;
			/** Format: date-time */
			until: string;
		};
		/**
		 * Verdict
		 * @description What an operator says.
		 * @enum {string}
		 */
		Verdict: "allow" | "deny";
		/**
		 * Verification
		 * @description What the signature of a creation amounted to. `unknown_key`: the agent has no identity. `replayed`: the
		 *     signature is good and came before, so it proves nothing. `revoked`: the agent's identity was revoked.
		 * @enum {string}
		 */
		Verification: "unsigned" | "verified" | "unknown_key" | "replayed" | "revoked";
		/**
		 * VerifyProof
		 * @description Exactly one of `action_id` (its proof is made and checked against the log, the policies and the tables as they
		 *     are) and `bundle` (one that somebody holds, checked against the log as it is). `since` is the text of a tree head
		 *     that the caller kept.
		 */
		VerifyProof: {
			action_id?: string | null;
			bundle?: {
				[key: string]: unknown;
			} | null;
			since?: string | null;
		};
		/**
		 * Webhook
		 * @description `id` is `webhook_id`, for published clients. `secret` is whole in the answer that made it and masked ever after.
		 *
		 *     `retrying` counts deliveries that failed and are tried again. `failing_since` is set while nothing gets through;
		 *     `disabled_reason` says why a webhook is not active. Of a notice `url` is the beginning of its address alone, and it
		 *     has no secret.
		 */
		Webhook: {
			id: string;
			org_id: string;
			webhook_id: string;
			url: string;
			description: string | null;
			events: string[];
			active: boolean;
			secret: string;
			retrying: number;
			failing_since: string | null;
			disabled_at: string | null;
			disabled_reason: string | null;
			rotated_at: string | null;
			/** Format: date-time */
			created_at: string;
			created_by: string;
			/** Format: date-time */
			updated_at: string;
			notice: boolean;
			quiet_from: string;
			quiet_until: string;
			time_zone: string;
			digest_minutes: number;
		};
		/**
		 * WebhookDeliveries
		 * @description Newest first.
		 */
		WebhookDeliveries: {
			deliveries: components["schemas"]["WebhookDelivery"][];
			next_cursor: string | null;
		};
		/**
		 * WebhookDelivery
		 * @description One event on its way to one webhook. `id` is `delivery_id`, which the receiver sees as `webhook-id`. A notice may
		 *     tell several events at once, from number `first_n` to `event_n`; `event` is then `digest`.
		 *
		 *     `event_n` is the event's number within the organization, None for a test. `response_status`, `response_excerpt` (of
		 *     failures, at most 500 characters), `error` and `duration_ms` are the last attempt's.
		 */
		WebhookDelivery: {
			id: string;
			org_id: string;
			delivery_id: string;
			webhook_id: string;
			event: string;
			event_n: number | null;
			status: components["schemas"]["DeliveryStatus"];
			attempts: number;
			response_status: number | null;
			response_excerpt: string | null;
			error: string | null;
			duration_ms: number;
			next_attempt_at: string | null;
			/** Format: date-time */
			created_at: string;
			/** Format: date-time */
			updated_at: string;
			first_n: number | null;
		};
		/** WebhookDetail */
		WebhookDetail: {
			webhook: components["schemas"]["Webhook"];
		};
		/**
		 * Webhooks
		 * @description In the order of their creation.
		 */
		Webhooks: {
			webhooks: components["schemas"]["Webhook"][];
		};
		/**
		 * WeekActions
		 * @description Actions begun in the week. `by_status` adds up to the number of all.
		 */
		WeekActions: {
			all: components["schemas"]["WeekCount"];
			by_status: {
				[key: string]: number;
			};
			success: components["schemas"]["WeekRate"];
			simulated: number;
		};
		/**
		 * WeekAlerts
		 * @description Drift alerts raised in the week, but for those that were deleted.
		 */
		WeekAlerts: {
			all: components["schemas"]["WeekCount"];
			unacknowledged: number;
			by_severity: {
				[key: string]: number;
			};
			by_metric: {
				[key: string]: number;
			};
			simulated: number;
		};
		/**
		 * WeekApprovals
		 * @description Approvals asked in the week, and what has become of them by now. `approved` is of the `decided`, `expired` of all
		 *     that were asked; `withdrawn` counts those whose question was taken back; the quantiles are over the `decided` ones,
		 *     from asking to deciding.
		 */
		WeekApprovals: {
			asked: components["schemas"]["WeekCount"];
			decided: components["schemas"]["WeekCount"];
			awaiting: number;
			approved: components["schemas"]["WeekRate"];
			expired: components["schemas"]["WeekRate"];
			p50: components["schemas"]["WeekQuantile"];
			p95: components["schemas"]["WeekQuantile"];
			simulated: number;
			withdrawn: number;
		};
		/**
		 * WeekCost
		 * @description US dollars, of the `n` actions that say their cost. `mean_low` and `mean_high` are Student's 95% interval of the
		 *     mean of all; None of fewer than two.
		 */
		WeekCost: {
			n: number;
			total: number;
			mean: number | null;
			mean_low: number | null;
			mean_high: number | null;
			before_n: number;
			before_total: number;
			before_mean: number | null;
		};
		/**
		 * WeekCount
		 * @description `ratio` is n / before with its 95% interval; None where nothing, or no end of it, can be said.
		 */
		WeekCount: {
			n: number;
			before: number;
			ratio: number | null;
			ratio_low: number | null;
			ratio_high: number | null;
		};
		/**
		 * WeekDecisions
		 * @description Guard's decisions: the shares of the four add up to 1. `require_approval` is how often it asked.
		 */
		WeekDecisions: {
			all: components["schemas"]["WeekCount"];
			allow: components["schemas"]["WeekRate"];
			warn: components["schemas"]["WeekRate"];
			require_approval: components["schemas"]["WeekRate"];
			block: components["schemas"]["WeekRate"];
			simulated: number;
		};
		/**
		 * WeekFirst
		 * @description An agent or an action type that acted for the first time; `n` actions in the week.
		 */
		WeekFirst: {
			name: string;
			/** Format: date-time */
			first_seen: string;
			n: number;
		};
		/**
		 * WeekQuantile
		 * @description In seconds. `low` and `high` are the ends of a 95% interval that supposes no distribution; None where too few
		 *     values enclose it on that side.
		 */
		WeekQuantile: {
			value: number | null;
			low: number | null;
			high: number | null;
			before: number | null;
		};
		/**
		 * WeekRate
		 * @description `rate` is count / n, 0 to 1, with Wilson's 95% interval (0 to 1 when n is 0). `difference` is rate - before_rate
		 *     with Newcombe's 95% interval; the three are None where `status` is `insufficient_data` and not `ok`.
		 *
		 *     These intervals take rows as independent. Where rows say what they belong to, both weeks lie in `clusters` (`basis`
		 *     says of what), worth `n_effective` independent rows: `clustered_low` to `clustered_high` is the rate's interval over
		 *     these, `clustered_difference_low` to `clustered_difference_high` that of the difference, None where they tell
		 *     nothing of chance.
		 */
		WeekRate: {
			count: number;
			n: number;
			rate: number | null;
			low: number;
			high: number;
			before_count: number;
			before_n: number;
			before_rate: number | null;
			difference: number | null;
			difference_low: number | null;
			difference_high: number | null;
			status: string;
			clusters: number | null;
			basis: string | null;
			n_effective: number | null;
			clustered_low: number | null;
			clustered_high: number | null;
			clustered_difference_low: number | null;
			clustered_difference_high: number | null;
		};
		/**
		 * WeekRisk
		 * @description An agent or an action type: the `n` of its actions that have a risk score, their mean with Student's 95% interval
		 *     (0 to 100 for a single one), and the highest.
		 */
		WeekRisk: {
			name: string;
			n: number;
			mean: number;
			low: number;
			high: number;
			highest: number;
			simulated: number;
		};
		/**
		 * WeekSignals
		 * @description Signals that came on in the week. `per_100` is for a hundred live actions, with Garwood's 95% interval; None
		 *     where `status` is `insufficient_data`.
		 */
		WeekSignals: {
			all: components["schemas"]["WeekCount"];
			by_type: {
				[key: string]: components["schemas"]["WeekCount"];
			};
			actions: number;
			per_100: number | null;
			per_100_low: number | null;
			per_100_high: number | null;
			status: string;
		};
		/**
		 * Weekday
		 * @enum {string}
		 */
		Weekday: "monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday";
		/**
		 * WeeklyDigest
		 * @description The week from `since` up to `until` (outside), beside the one from `before_since` up to `before_until`, as long
		 *     and seven days earlier. A week that is under way is not `complete`; the one before is cut at the same hour. Agents
		 *     and types by risk are the five whose mean risk is surely highest: by the lower end of its interval.
		 */
		WeeklyDigest: {
			week: string | null;
			/** Format: date-time */
			since: string;
			/** Format: date-time */
			until: string;
			/** Format: date-time */
			before_since: string;
			/** Format: date-time */
			before_until: string;
			complete: boolean;
			agent_id: string | null;
			actions: components["schemas"]["WeekActions"];
			decisions: components["schemas"]["WeekDecisions"];
			approvals: components["schemas"]["WeekApprovals"];
			cost: components["schemas"]["WeekCost"];
			agents_by_risk: components["schemas"]["WeekRisk"][];
			types_by_risk: components["schemas"]["WeekRisk"][];
			new_agents: components["schemas"]["WeekFirst"][];
			new_types: components["schemas"]["WeekFirst"][];
			drift_alerts: components["schemas"]["WeekAlerts"];
			signals: components["schemas"]["WeekSignals"];
		};
		/**
		 * WithdrawAction
		 * @description `reason` is why nobody waits for the approval any more; operators read it.
		 */
		WithdrawAction: {
			reason?: string | null;
		};
		/**
		 * WithdrawnAction
		 * @description The action is cancelled, and its approval withdrawn.
		 */
		WithdrawnAction: {
			action: components["schemas"]["Action"];
			approval: components["schemas"]["Approval"];
		};
		/**
		 * WorkflowTemplate
		 * @description `version` counts how often the steps have changed, from 1.
		 */
		WorkflowTemplate: {
			name: string;
			description: string | null;
			objective: string | null;
			steps: {
				[key: string]: unknown;
			}[] | null;
			variables: {
				[key: string]: unknown;
			} | unknown[] | null;
			model_strategy_id: string | null;
			status: string;
			tags: string[] | null;
			agent_id: string | null;
			metadata: {
				[key: string]: unknown;
			} | null;
			org_id: string;
			/** @description id of the workflow template */
			template_id: string;
			version: number;
			duplicated_from: string | null;
			created_by: string;
			/** Format: date-time */
			created_at: string;
			/** Format: date-time */
			updated_at: string;
		};
		/** WorkflowTemplateAnswer */
		WorkflowTemplateAnswer: {
			template: components["schemas"]["WorkflowTemplate"];
			/** @description id of the workflow template */
			template_id: string;
		};
		/** WorkflowTemplates */
		WorkflowTemplates: {
			total: number;
			next_cursor: string | null;
			templates: components["schemas"]["WorkflowTemplate"][];
		};
		/**
		 * WorkspaceReadiness
		 * @description The readiness summary. `checked_at` is the service's time of this very answer; `simulated` counts the actions
		 *     of the last 7 days that a simulator made. `known_types` is None where no active policy knows types, or the tables do
		 *     not answer.
		 */
		WorkspaceReadiness: {
			state: components["schemas"]["ReadinessState"];
			title: string;
			meaning: string;
			next_step: string;
			/** Format: date-time */
			checked_at: string;
			checks: components["schemas"]["ReadinessCheck"][];
			shares: components["schemas"]["ReadinessShare"][];
			last_test: components["schemas"]["LastTest"] | null;
			profiles: components["schemas"]["RuntimeProfile"][];
			states: components["schemas"]["StateMeaning"][];
			simulated: number;
			known_types: components["schemas"]["KnownTypesSummary"] | null;
		};
	};
	responses: never;
	parameters: {
		action_id: string;
		agent_id: string;
		alert_id: string;
		assumption_id: string;
		capability_id: string;
		change_id: string;
		collection_id: string;
		dimension_id: string;
		doc_id: string;
		export_id: string;
		feedback_id: string;
		flow_id: string;
		goal_id: string;
		grant_id: string;
		key_id: string;
		kid: string;
		loop_id: string;
		message_id: string;
		org_id: string;
		pairing_id: string;
		policy_id: string;
		profile_id: string;
		provider_id: string;
		question_id: string;
		recommendation_id: string;
		registered_agent_id: string;
		run_id: string;
		schedule_id: string;
		scorer_id: string;
		session_id: string;
		snippet_id: string;
		strategy_id: string;
		table: string;
		task_id: string;
		template_id: string;
		text_digest: string;
		thread_id: string;
		version_id: string;
		webhook_id: string;
	};
	requestBodies: never;
	headers: never;
	pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
	get_guard_decisions: {
		parameters: {
			query?: {
				agent_id?: string;
				action_type?: string;
				decision?: components["schemas"]["Decision"];
				source?: components["schemas"]["Source"];
				days?: number;
				limit?: number;
				offset?: number;
				cursor?: string;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["GuardDecisions"];
				};
			};
		};
	};
	guard: {
		parameters: {
			query?: {
				include_signals?: boolean;
				record?: boolean;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** @description Further members are kept with the call. At most 1000000 bytes. */
		requestBody: {
			content: {
				"application/json": components["schemas"]["GuardContext"];
			};
		};
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["GuardResult"];
				};
			};
		};
	};
	get_actions: {
		parameters: {
			query?: {
				agent_id?: string;
				swarm_id?: string;
				status?: components["schemas"]["ActionStatus"];
				exclude_status?: components["schemas"]["ActionStatus"];
				action_type?: string;
				decision?: components["schemas"]["Decision"];
				decision_id?: string;
				session_id?: string;
				source?: components["schemas"]["Source"];
				risk_min?: number;
				days?: number;
				limit?: number;
				offset?: number;
				cursor?: string;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["Actions"];
				};
			};
		};
	};
	create_action: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** @description Further members are kept with the call. At most 1000000 bytes. */
		requestBody: {
			content: {
				"application/json": components["schemas"]["CreateAction"];
			};
		};
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["CreatedAction"];
				};
			};
			201: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["CreatedAction"];
				};
			};
			202: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["CreatedAction"];
				};
			};
		};
	};
	get_action: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				action_id: components["parameters"]["action_id"];
			};
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["ActionDetail"];
				};
			};
		};
	};
	update_outcome: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				action_id: components["parameters"]["action_id"];
			};
			cookie?: never;
		};
		/** @description Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`). At most 1000000 bytes. */
		requestBody?: {
			content: {
				"application/json": components["schemas"]["UpdateOutcome"];
			};
		};
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["UpdatedAction"];
				};
			};
		};
	};
	approve_action: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				action_id: components["parameters"]["action_id"];
			};
			cookie?: never;
		};
		/** @description Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`). At most 1000000 bytes. */
		requestBody: {
			content: {
				"application/json": components["schemas"]["ApproveAction"];
			};
		};
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["ApprovedAction"];
				};
			};
		};
	};
	withdraw_action: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				action_id: components["parameters"]["action_id"];
			};
			cookie?: never;
		};
		/** @description Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`). At most 1000000 bytes. */
		requestBody?: {
			content: {
				"application/json": components["schemas"]["WithdrawAction"];
			};
		};
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["WithdrawnAction"];
				};
			};
		};
	};
	get_approvals: {
		parameters: {
			query?: {
				state?: components["schemas"]["ApprovalState"];
				exclude_state?: components["schemas"]["ApprovalState"];
				agent_id?: string;
				action_type?: string;
				days?: number;
				limit?: number;
				offset?: number;
				cursor?: string;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["Approvals"];
				};
			};
		};
	};
	ask_question: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				action_id: components["parameters"]["action_id"];
			};
			cookie?: never;
		};
		/** @description Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`). At most 1000000 bytes. */
		requestBody: {
			content: {
				"application/json": components["schemas"]["AskQuestion"];
			};
		};
		responses: {
			201: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["QuestionDetail"];
				};
			};
		};
	};
	answer_question: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				question_id: components["parameters"]["question_id"];
			};
			cookie?: never;
		};
		/** @description Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`). At most 1000000 bytes. */
		requestBody: {
			content: {
				"application/json": components["schemas"]["AnswerQuestion"];
			};
		};
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["QuestionDetail"];
				};
			};
		};
	};
	get_questions: {
		parameters: {
			query?: {
				action_id?: string;
				agent_id?: string;
				state?: components["schemas"]["QuestionState"];
				limit?: number;
				offset?: number;
				cursor?: string;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["Questions"];
				};
			};
		};
	};
	claim_action: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				action_id: components["parameters"]["action_id"];
			};
			cookie?: never;
		};
		/** @description Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`). At most 1000000 bytes. */
		requestBody: {
			content: {
				"application/json": components["schemas"]["ClaimAction"];
			};
		};
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["ClaimedAction"];
				};
			};
		};
	};
	preview_grant: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** @description Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`). At most 1000000 bytes. */
		requestBody: {
			content: {
				"application/json": components["schemas"]["PreviewGrant"];
			};
		};
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["GrantPreview"];
				};
			};
		};
	};
	suggest_grants: {
		parameters: {
			query?: {
				days?: number;
				least?: number;
				most_failures?: number;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["SuggestedGrants"];
				};
			};
		};
	};
	list_grants: {
		parameters: {
			query?: {
				state?: components["schemas"]["GrantState"];
				action_type?: string;
				agent_id?: string;
				limit?: number;
				offset?: number;
				cursor?: string;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["Grants"];
				};
			};
		};
	};
	create_grant: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** @description Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`). At most 1000000 bytes. */
		requestBody: {
			content: {
				"application/json": components["schemas"]["CreateGrant"];
			};
		};
		responses: {
			201: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["GrantDetail"];
				};
			};
		};
	};
	get_grant: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				grant_id: components["parameters"]["grant_id"];
			};
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["GrantUses"];
				};
			};
		};
	};
	revoke_grant: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				grant_id: components["parameters"]["grant_id"];
			};
			cookie?: never;
		};
		/** @description Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`). At most 1000000 bytes. */
		requestBody?: {
			content: {
				"application/json": components["schemas"]["RevokeGrant"];
			};
		};
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["GrantDetail"];
				};
			};
		};
	};
	draft_grant: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				action_id: components["parameters"]["action_id"];
			};
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["GrantDraft"];
				};
			};
		};
	};
	erase_action: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				action_id: components["parameters"]["action_id"];
			};
			cookie?: never;
		};
		/** @description Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`). At most 1000000 bytes. */
		requestBody: {
			content: {
				"application/json": components["schemas"]["EraseAction"];
			};
		};
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["Erasure"];
				};
			};
		};
	};
	get_action_outcome: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				action_id: components["parameters"]["action_id"];
			};
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["Outcome"];
				};
			};
		};
	};
	report_action_outcome: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				action_id: components["parameters"]["action_id"];
			};
			cookie?: never;
		};
		/** @description Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`). At most 1000000 bytes. */
		requestBody: {
			content: {
				"application/json": components["schemas"]["ReportOutcome"];
			};
		};
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["ReportedOutcome"];
				};
			};
		};
	};
	get_action_trace: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				action_id: components["parameters"]["action_id"];
			};
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["ActionTrace"];
				};
			};
		};
	};
	get_action_graph: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				action_id: components["parameters"]["action_id"];
			};
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["ActionGraph"];
				};
			};
		};
	};
	add_comment: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				action_id: components["parameters"]["action_id"];
			};
			cookie?: never;
		};
		/** @description Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`). At most 1000000 bytes. */
		requestBody: {
			content: {
				"application/json": components["schemas"]["AddComment"];
			};
		};
		responses: {
			201: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["CommentDetail"];
				};
			};
		};
	};
	get_comments: {
		parameters: {
			query?: {
				action_id?: string;
				agent_id?: string;
				limit?: number;
				offset?: number;
				cursor?: string;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["Comments"];
				};
			};
		};
	};
	snooze_action: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				action_id: components["parameters"]["action_id"];
			};
			cookie?: never;
		};
		/** @description Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`). At most 1000000 bytes. */
		requestBody?: {
			content: {
				"application/json": components["schemas"]["SnoozeAction"];
			};
		};
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["SnoozeDetail"];
				};
			};
		};
	};
	get_snoozes: {
		parameters: {
			query?: {
				action_id?: string;
				snoozed_by_key?: string;
				current?: boolean;
				limit?: number;
				offset?: number;
				cursor?: string;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["Snoozes"];
				};
			};
		};
	};
	assign_action: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				action_id: components["parameters"]["action_id"];
			};
			cookie?: never;
		};
		/** @description Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`). At most 1000000 bytes. */
		requestBody?: {
			content: {
				"application/json": components["schemas"]["AssignAction"];
			};
		};
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["AssignmentDetail"];
				};
			};
		};
	};
	get_assignments: {
		parameters: {
			query?: {
				action_id?: string;
				assigned_to_key?: string;
				current?: boolean;
				limit?: number;
				offset?: number;
				cursor?: string;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["Assignments"];
				};
			};
		};
	};
	get_escalations: {
		parameters: {
			query?: {
				action_id?: string;
				current?: boolean;
				limit?: number;
				offset?: number;
				cursor?: string;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["Escalations"];
				};
			};
		};
	};
	get_triage: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["Triage"];
				};
			};
		};
	};
	set_triage: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** @description Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`). At most 1000000 bytes. */
		requestBody: {
			content: {
				"application/json": components["schemas"]["SetTriage"];
			};
		};
		responses: {
			201: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["Triage"];
				};
			};
		};
	};
	stop_triage: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["Triage"];
				};
			};
		};
	};
	get_flows: {
		parameters: {
			query?: {
				session_id?: string;
				agent_id?: string;
				limit?: number;
				offset?: number;
				cursor?: string;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["Flows"];
				};
			};
		};
	};
	tell_flow: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** @description Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`). At most 6100000 bytes. */
		requestBody: {
			content: {
				"application/json": components["schemas"]["TellFlow"];
			};
		};
		responses: {
			201: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["FlowAnswer"];
				};
			};
		};
	};
	remove_flow_labels: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				flow_id: components["parameters"]["flow_id"];
			};
			cookie?: never;
		};
		/** @description Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`). At most 1000000 bytes. */
		requestBody: {
			content: {
				"application/json": components["schemas"]["RemoveFlowLabels"];
			};
		};
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["FlowAnswer"];
				};
			};
		};
	};
	get_flow_steps: {
		parameters: {
			query?: {
				limit?: number;
				cursor?: string;
			};
			header?: never;
			path: {
				flow_id: components["parameters"]["flow_id"];
			};
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["FlowSteps"];
				};
			};
		};
	};
	get_assumptions: {
		parameters: {
			query?: {
				action_id?: string;
				agent_id?: string;
				validated?: boolean;
				invalidated?: boolean;
				drift?: boolean;
				limit?: number;
				offset?: number;
				cursor?: string;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["Assumptions"];
				};
			};
		};
	};
	record_assumption: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** @description Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`). At most 1000000 bytes. */
		requestBody: {
			content: {
				"application/json": components["schemas"]["RecordAssumption"];
			};
		};
		responses: {
			201: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["RecordedAssumption"];
				};
			};
		};
	};
	get_assumption: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				assumption_id: components["parameters"]["assumption_id"];
			};
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["AssumptionDetail"];
				};
			};
		};
	};
	validate_assumption: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				assumption_id: components["parameters"]["assumption_id"];
			};
			cookie?: never;
		};
		/** @description Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`). At most 1000000 bytes. */
		requestBody: {
			content: {
				"application/json": components["schemas"]["ValidateAssumption"];
			};
		};
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["AssumptionDetail"];
				};
			};
		};
	};
	get_open_loops: {
		parameters: {
			query?: {
				status?: components["schemas"]["LoopStatus"];
				loop_type?: components["schemas"]["LoopType"];
				priority?: components["schemas"]["LoopPriority"];
				action_id?: string;
				agent_id?: string;
				limit?: number;
				offset?: number;
				cursor?: string;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["Loops"];
				};
			};
		};
	};
	register_open_loop: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** @description Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`). At most 1000000 bytes. */
		requestBody: {
			content: {
				"application/json": components["schemas"]["RegisterOpenLoop"];
			};
		};
		responses: {
			201: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["RegisteredLoop"];
				};
			};
		};
	};
	get_open_loop: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				loop_id: components["parameters"]["loop_id"];
			};
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["LoopDetail"];
				};
			};
		};
	};
	resolve_open_loop: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				loop_id: components["parameters"]["loop_id"];
			};
			cookie?: never;
		};
		/** @description Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`). At most 1000000 bytes. */
		requestBody: {
			content: {
				"application/json": components["schemas"]["ResolveOpenLoop"];
			};
		};
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["LoopDetail"];
				};
			};
		};
	};
	get_signals: {
		parameters: {
			query?: {
				agent_id?: string;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["Signals"];
				};
			};
		};
	};
	heartbeat: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** @description Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`). At most 1000000 bytes. */
		requestBody?: {
			content: {
				"application/json": components["schemas"]["Heartbeat"];
			};
		};
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["HeartbeatReceived"];
				};
			};
		};
	};
	get_agents: {
		parameters: {
			query?: {
				agent_id?: string;
				status?: components["schemas"]["AgentPresence"];
				with_actions?: boolean;
				limit?: number;
				offset?: number;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["Agents"];
				};
			};
		};
	};
	get_connections: {
		parameters: {
			query?: {
				agent_id?: string;
				provider?: string;
				limit?: number;
				offset?: number;
				cursor?: string;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["AgentConnections"];
				};
			};
		};
	};
	report_connections: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** @description Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`). At most 1000000 bytes. */
		requestBody: {
			content: {
				"application/json": components["schemas"]["ReportConnections"];
			};
		};
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["ReportedConnections"];
				};
			};
		};
	};
	get_handoffs: {
		parameters: {
			query?: {
				agent_id?: string;
				latest?: boolean;
				session_date?: string;
				since?: string;
				until?: string;
				limit?: number;
				offset?: number;
				cursor?: string;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["Handoffs"];
				};
			};
		};
	};
	create_handoff: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** @description Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`). At most 1000000 bytes. */
		requestBody: {
			content: {
				"application/json": components["schemas"]["CreateHandoff"];
			};
		};
		responses: {
			201: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["CreatedHandoff"];
				};
			};
		};
	};
	get_threads: {
		parameters: {
			query?: {
				agent_id?: string;
				status?: components["schemas"]["ThreadStatus"];
				name?: string;
				limit?: number;
				offset?: number;
				cursor?: string;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["Threads"];
				};
			};
		};
	};
	create_thread: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** @description Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`). At most 1000000 bytes. */
		requestBody: {
			content: {
				"application/json": components["schemas"]["CreateThread"];
			};
		};
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["CreatedThread"];
				};
			};
			201: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["CreatedThread"];
				};
			};
		};
	};
	get_thread: {
		parameters: {
			query?: {
				limit?: number;
				offset?: number;
			};
			header?: never;
			path: {
				thread_id: components["parameters"]["thread_id"];
			};
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["ThreadDetail"];
				};
			};
		};
	};
	close_thread: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				thread_id: components["parameters"]["thread_id"];
			};
			cookie?: never;
		};
		/** @description Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`). At most 1000000 bytes. */
		requestBody?: {
			content: {
				"application/json": components["schemas"]["ChangeThread"];
			};
		};
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["ChangedThread"];
				};
			};
		};
	};
	add_thread_entry: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				thread_id: components["parameters"]["thread_id"];
			};
			cookie?: never;
		};
		/** @description Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`). At most 1000000 bytes. */
		requestBody: {
			content: {
				"application/json": components["schemas"]["AddThreadEntry"];
			};
		};
		responses: {
			201: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["AddedThreadEntry"];
				};
			};
		};
	};
	get_key_points: {
		parameters: {
			query?: {
				agent_id?: string;
				category?: string;
				session_date?: string;
				importance_min?: number;
				limit?: number;
				offset?: number;
				cursor?: string;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["KeyPoints"];
				};
			};
		};
	};
	capture_key_point: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** @description Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`). At most 1000000 bytes. */
		requestBody: {
			content: {
				"application/json": components["schemas"]["CaptureKeyPoint"];
			};
		};
		responses: {
			201: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["CapturedKeyPoint"];
				};
			};
		};
	};
	get_messages: {
		parameters: {
			query?: {
				agent_id?: string;
				direction?: components["schemas"]["Direction"];
				message_type?: components["schemas"]["MessageType"];
				unread?: boolean;
				thread_id?: string;
				limit?: number;
				offset?: number;
				cursor?: string;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["Messages"];
				};
			};
		};
	};
	send_message: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** @description Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`). At most 22000000 bytes. */
		requestBody: {
			content: {
				"application/json": components["schemas"]["SendMessage"];
			};
		};
		responses: {
			201: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["SentMessage"];
				};
			};
		};
	};
	mark_messages: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** @description Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`). At most 1000000 bytes. */
		requestBody: {
			content: {
				"application/json": components["schemas"]["MarkMessages"];
			};
		};
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["MarkedMessages"];
				};
			};
		};
	};
	get_message: {
		parameters: {
			query?: {
				agent_id?: string;
			};
			header?: never;
			path: {
				message_id: components["parameters"]["message_id"];
			};
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["MessageDetail"];
				};
			};
		};
	};
	get_message_threads: {
		parameters: {
			query?: {
				agent_id?: string;
				status?: components["schemas"]["MessageThreadStatus"];
				limit?: number;
				offset?: number;
				cursor?: string;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["MessageThreads"];
				};
			};
		};
	};
	create_message_thread: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** @description Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`). At most 1000000 bytes. */
		requestBody: {
			content: {
				"application/json": components["schemas"]["CreateMessageThread"];
			};
		};
		responses: {
			201: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["CreatedMessageThread"];
				};
			};
		};
	};
	resolve_message_thread: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** @description Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`). At most 1000000 bytes. */
		requestBody: {
			content: {
				"application/json": components["schemas"]["ResolveMessageThread"];
			};
		};
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["ResolvedMessageThread"];
				};
			};
		};
	};
	get_attachment: {
		parameters: {
			query?: {
				id?: string;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"image/png": unknown;
					"image/jpeg": unknown;
					"image/gif": unknown;
					"image/webp": unknown;
					"application/pdf": unknown;
					"text/plain": unknown;
					"text/markdown": unknown;
					"text/csv": unknown;
					"application/json": unknown;
				};
			};
		};
	};
	get_policies: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["Policies"];
				};
			};
		};
	};
	create_policy: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** @description Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`). At most 1000000 bytes. */
		requestBody: {
			content: {
				"application/json": components["schemas"]["PolicyDraft"];
			};
		};
		responses: {
			201: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["PolicyDetail"];
				};
			};
		};
	};
	get_policy: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				policy_id: components["parameters"]["policy_id"];
			};
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["PolicyDetail"];
				};
			};
		};
	};
	delete_policy: {
		parameters: {
			query?: {
				id?: string;
				if_version?: number;
			};
			header?: never;
			path: {
				policy_id: components["parameters"]["policy_id"];
			};
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["DeletedPolicy"];
				};
			};
		};
	};
	update_policy: {
		parameters: {
			query?: {
				id?: string;
			};
			header?: never;
			path: {
				policy_id: components["parameters"]["policy_id"];
			};
			cookie?: never;
		};
		/** @description Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`). At most 1000000 bytes. */
		requestBody?: {
			content: {
				"application/json": components["schemas"]["PolicyChange"];
			};
		};
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["PolicyDetail"];
				};
			};
		};
	};
	import_policies: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** @description Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`). At most 2000000 bytes. */
		requestBody?: {
			content: {
				"application/json": components["schemas"]["ImportPolicies"];
			};
		};
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["ImportedPolicies"];
				};
			};
		};
	};
	test_policies: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** @description Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`). At most 1000000 bytes. */
		requestBody?: {
			content: {
				"application/json": components["schemas"]["TestPolicies"];
			};
		};
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["PolicyTest"];
				};
			};
		};
	};
	accept_action_type: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** @description Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`). At most 1000000 bytes. */
		requestBody: {
			content: {
				"application/json": components["schemas"]["AcceptActionType"];
			};
		};
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["AcceptedActionType"];
				};
			};
		};
	};
	backtest: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** @description Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`). At most 1000000 bytes. */
		requestBody?: {
			content: {
				"application/json": components["schemas"]["BacktestRequest"];
			};
		};
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["Backtest"];
				};
			};
		};
	};
	get_rule_changes: {
		parameters: {
			query?: {
				kind?: components["schemas"]["RuleKind"];
				id?: string;
				limit?: number;
				offset?: number;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["RuleChanges"];
				};
			};
		};
	};
	before_after: {
		parameters: {
			query?: {
				window?: string;
				agent_id?: string;
				source?: components["schemas"]["Source"];
			};
			header?: never;
			path: {
				change_id: components["parameters"]["change_id"];
			};
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["BeforeAfter"];
				};
			};
		};
	};
	get_observed_decisions: {
		parameters: {
			query?: {
				window?: string;
				since?: string;
				until?: string;
				policy_id?: string;
				agent_id?: string;
				session_id?: string;
				source?: components["schemas"]["Source"];
				limit?: number;
				offset?: number;
				cursor?: string;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["ObservedDecisions"];
				};
			};
		};
	};
	evaluate_policy: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** @description Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`). At most 1000000 bytes. */
		requestBody?: {
			content: {
				"application/json": components["schemas"]["EvaluatePolicy"];
			};
		};
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["PolicyEvaluation"];
				};
			};
		};
	};
	get_scorers: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["Scorers"];
				};
			};
		};
	};
	create_scorer: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** @description Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`). At most 1000000 bytes. */
		requestBody: {
			content: {
				"application/json": components["schemas"]["CreateScorer"];
			};
		};
		responses: {
			201: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["Scorer"];
				};
			};
		};
	};
	get_scorer: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				scorer_id: components["parameters"]["scorer_id"];
			};
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["Scorer"];
				};
			};
		};
	};
	delete_scorer: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				scorer_id: components["parameters"]["scorer_id"];
			};
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["DeletedScorer"];
				};
			};
		};
	};
	update_scorer: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				scorer_id: components["parameters"]["scorer_id"];
			};
			cookie?: never;
		};
		/** @description Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`). At most 1000000 bytes. */
		requestBody?: {
			content: {
				"application/json": components["schemas"]["ScorerChange"];
			};
		};
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["Scorer"];
				};
			};
		};
	};
	get_scores: {
		parameters: {
			query?: {
				action_id?: string;
				agent_id?: string;
				scorer_name?: string;
				scorer_id?: string;
				run_id?: string;
				evaluated_by?: string;
				min_score?: number;
				max_score?: number;
				limit?: number;
				offset?: number;
				cursor?: string;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["EvalScores"];
				};
			};
		};
	};
	create_score: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** @description Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`). At most 1000000 bytes. */
		requestBody: {
			content: {
				"application/json": components["schemas"]["CreateScore"];
			};
		};
		responses: {
			201: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["EvalScore"];
				};
			};
		};
	};
	get_eval_runs: {
		parameters: {
			query?: {
				status?: components["schemas"]["RunStatus"];
				scorer_id?: string;
				limit?: number;
				offset?: number;
				cursor?: string;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["EvalRuns"];
				};
			};
		};
	};
	create_eval_run: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** @description Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`). At most 1000000 bytes. */
		requestBody: {
			content: {
				"application/json": components["schemas"]["CreateEvalRun"];
			};
		};
		responses: {
			201: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["EvalRun"];
				};
			};
		};
	};
	get_eval_run: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				run_id: components["parameters"]["run_id"];
			};
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["EvalRunDetail"];
				};
			};
		};
	};
	get_eval_stats: {
		parameters: {
			query?: {
				agent_id?: string;
				scorer_name?: string;
				scorer_id?: string;
				run_id?: string;
				days?: number;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["EvalStats"];
				};
			};
		};
	};
	get_learning_velocity: {
		parameters: {
			query?: {
				agent_id?: string;
				lookback_days?: number;
				period?: components["schemas"]["LearningPeriod"];
				limit?: number;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["VelocityAnswer"];
				};
			};
		};
	};
	compute_learning_velocity: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** @description Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`). At most 1000000 bytes. */
		requestBody?: {
			content: {
				"application/json": components["schemas"]["ComputeVelocity"];
			};
		};
		responses: {
			201: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["ComputedVelocity"];
				};
			};
		};
	};
	get_learning_curves: {
		parameters: {
			query?: {
				agent_id?: string;
				action_type?: string;
				lookback_days?: number;
				by?: components["schemas"]["CurveStep"];
				limit?: number;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["CurvesAnswer"];
				};
			};
		};
	};
	compute_learning_curves: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** @description Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`). At most 1000000 bytes. */
		requestBody?: {
			content: {
				"application/json": components["schemas"]["ComputeCurves"];
			};
		};
		responses: {
			201: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["ComputedCurves"];
				};
			};
		};
	};
	get_learning_analytics_summary: {
		parameters: {
			query?: {
				agent_id?: string;
				lookback_days?: number;
				period?: components["schemas"]["LearningPeriod"];
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["LearningSummary"];
				};
			};
		};
	};
	get_maturity_levels: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["MaturityLevels"];
				};
			};
		};
	};
	get_lessons: {
		parameters: {
			query?: {
				agent_id?: string;
				action_type?: string;
				limit?: number;
				lookback_days?: number;
				min_samples?: number;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["Lessons"];
				};
			};
		};
	};
	get_recommendations: {
		parameters: {
			query?: {
				agent_id?: string;
				action_type?: string;
				limit?: number;
				include_inactive?: boolean;
				track_events?: boolean;
				include_metrics?: boolean;
				lookback_days?: number;
				min_samples?: number;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["Recommendations"];
				};
			};
		};
	};
	rebuild_recommendations: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** @description Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`). At most 1000000 bytes. */
		requestBody?: {
			content: {
				"application/json": components["schemas"]["RebuildRecommendations"];
			};
		};
		responses: {
			201: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["Recommendations"];
				};
			};
		};
	};
	get_recommendation: {
		parameters: {
			query?: {
				lookback_days?: number;
				min_samples?: number;
			};
			header?: never;
			path: {
				recommendation_id: components["parameters"]["recommendation_id"];
			};
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["RecommendationDetail"];
				};
			};
		};
	};
	set_recommendation_active: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				recommendation_id: components["parameters"]["recommendation_id"];
			};
			cookie?: never;
		};
		/** @description Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`). At most 1000000 bytes. */
		requestBody: {
			content: {
				"application/json": components["schemas"]["SetRecommendationActive"];
			};
		};
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["SwitchedRecommendation"];
				};
			};
		};
	};
	record_recommendation_events: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** @description Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`). At most 1000000 bytes. */
		requestBody?: {
			content: {
				"application/json": components["schemas"]["RecordRecommendationEvents"];
			};
		};
		responses: {
			201: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["RecordedRecommendationEvents"];
				};
			};
		};
	};
	get_recommendation_metrics: {
		parameters: {
			query?: {
				agent_id?: string;
				action_type?: string;
				limit?: number;
				include_inactive?: boolean;
				lookback_days?: number;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["RecommendationReport"];
				};
			};
		};
	};
	list_drift_alerts: {
		parameters: {
			query?: {
				agent_id?: string;
				action_type?: string;
				metric?: string;
				severity?: components["schemas"]["DriftSeverity"];
				acknowledged?: boolean;
				established?: boolean;
				source?: components["schemas"]["Source"];
				limit?: number;
				offset?: number;
				cursor?: string;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["DriftAlerts"];
				};
			};
		};
	};
	detect_drift: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** @description Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`). At most 1000000 bytes. */
		requestBody?: {
			content: {
				"application/json": components["schemas"]["DetectDrift"];
			};
		};
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["DetectedDrift"];
				};
			};
		};
	};
	get_drift_alert: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				alert_id: components["parameters"]["alert_id"];
			};
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["DriftAlert"];
				};
			};
		};
	};
	delete_drift_alert: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				alert_id: components["parameters"]["alert_id"];
			};
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["DeletedDriftAlert"];
				};
			};
		};
	};
	acknowledge_drift_alert: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				alert_id: components["parameters"]["alert_id"];
			};
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["DriftAlert"];
				};
			};
		};
	};
	get_drift_stats: {
		parameters: {
			query?: {
				agent_id?: string;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["DriftStats"];
				};
			};
		};
	};
	get_drift_metrics: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["DriftMetrics"];
				};
			};
		};
	};
	get_drift_snapshots: {
		parameters: {
			query?: {
				agent_id?: string;
				action_type?: string;
				metric?: string;
				window?: string;
				source?: components["schemas"]["Source"];
				limit?: number;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["DriftSnapshots"];
				};
			};
		};
	};
	compare_drift: {
		parameters: {
			query?: {
				baseline?: string;
				recent?: string;
				agent_id?: string;
				action_type?: string;
				metric?: string;
				source?: components["schemas"]["Source"];
				limit?: number;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["DriftComparison"];
				};
			};
		};
	};
	list_scoring_profiles: {
		parameters: {
			query?: {
				action_type?: string;
				status?: string;
				limit?: number;
				offset?: number;
				cursor?: string;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["ScoringProfiles"];
				};
			};
		};
	};
	create_scoring_profile: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** @description Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`). At most 1000000 bytes. */
		requestBody: {
			content: {
				"application/json": components["schemas"]["CreateScoringProfile"];
			};
		};
		responses: {
			201: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["ScoringProfile"];
				};
			};
		};
	};
	get_scoring_profile: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				profile_id: components["parameters"]["profile_id"];
			};
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["ScoringProfile"];
				};
			};
		};
	};
	delete_scoring_profile: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				profile_id: components["parameters"]["profile_id"];
			};
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["DeletedScoringProfile"];
				};
			};
		};
	};
	update_scoring_profile: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				profile_id: components["parameters"]["profile_id"];
			};
			cookie?: never;
		};
		/** @description Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`). At most 1000000 bytes. */
		requestBody?: {
			content: {
				"application/json": components["schemas"]["ScoringProfileChange"];
			};
		};
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["ScoringProfile"];
				};
			};
		};
	};
	add_scoring_dimension: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				profile_id: components["parameters"]["profile_id"];
			};
			cookie?: never;
		};
		/** @description Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`). At most 1000000 bytes. */
		requestBody: {
			content: {
				"application/json": components["schemas"]["AddScoringDimension"];
			};
		};
		responses: {
			201: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["ScoringDimension"];
				};
			};
		};
	};
	delete_scoring_dimension: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				profile_id: components["parameters"]["profile_id"];
				dimension_id: components["parameters"]["dimension_id"];
			};
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["DeletedScoringDimension"];
				};
			};
		};
	};
	update_scoring_dimension: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				profile_id: components["parameters"]["profile_id"];
				dimension_id: components["parameters"]["dimension_id"];
			};
			cookie?: never;
		};
		/** @description Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`). At most 1000000 bytes. */
		requestBody?: {
			content: {
				"application/json": components["schemas"]["ScoringDimensionChange"];
			};
		};
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["ScoringDimension"];
				};
			};
		};
	};
	get_profile_scores: {
		parameters: {
			query?: {
				profile_id?: string;
				agent_id?: string;
				action_id?: string;
				batch_id?: string;
				view?: components["schemas"]["ScoresView"];
				limit?: number;
				offset?: number;
				cursor?: string;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["ProfileScores"] | components["schemas"]["ProfileScoreStats"];
				};
			};
		};
	};
	score_with_profile: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** @description Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`). At most 10000000 bytes. */
		requestBody: {
			content: {
				"application/json": components["schemas"]["ScoreWithProfile"];
			};
		};
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["ProfileScored"] | components["schemas"]["BatchScored"];
				};
			};
		};
	};
	list_risk_templates: {
		parameters: {
			query?: {
				action_type?: string;
				status?: components["schemas"]["TemplateStatus"];
				limit?: number;
				offset?: number;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["RiskTemplates"];
				};
			};
		};
	};
	create_risk_template: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** @description Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`). At most 1000000 bytes. */
		requestBody: {
			content: {
				"application/json": components["schemas"]["CreateRiskTemplate"];
			};
		};
		responses: {
			201: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["RiskTemplate"];
				};
			};
		};
	};
	get_risk_template: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				template_id: components["parameters"]["template_id"];
			};
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["RiskTemplate"];
				};
			};
		};
	};
	delete_risk_template: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				template_id: components["parameters"]["template_id"];
			};
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["DeletedRiskTemplate"];
				};
			};
		};
	};
	update_risk_template: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				template_id: components["parameters"]["template_id"];
			};
			cookie?: never;
		};
		/** @description Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`). At most 1000000 bytes. */
		requestBody?: {
			content: {
				"application/json": components["schemas"]["UpdateRiskTemplate"];
			};
		};
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["RiskTemplate"];
				};
			};
		};
	};
	auto_calibrate: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** @description Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`). At most 1000000 bytes. */
		requestBody?: {
			content: {
				"application/json": components["schemas"]["AutoCalibrate"];
			};
		};
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["AutoCalibration"];
				};
			};
		};
	};
	get_calibration: {
		parameters: {
			query?: {
				window?: string;
				agent_id?: string;
				action_type?: string;
				bins?: number;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["CalibrationReport"];
				};
			};
		};
	};
	get_halt: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["Halt"];
				};
			};
		};
	};
	halt: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** @description Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`). At most 1000000 bytes. */
		requestBody: {
			content: {
				"application/json": components["schemas"]["HaltRequest"];
			};
		};
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["Halt"];
				};
			};
		};
	};
	resume: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["Halt"];
				};
			};
		};
	};
	get_keys: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["Keys"];
				};
			};
		};
	};
	create_key: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** @description Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`). At most 1000000 bytes. */
		requestBody: {
			content: {
				"application/json": components["schemas"]["CreateKey"];
			};
		};
		responses: {
			201: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["CreatedKey"];
				};
			};
		};
	};
	get_key: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				key_id: components["parameters"]["key_id"];
			};
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["KeyDetail"];
				};
			};
		};
	};
	revoke_key: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				key_id: components["parameters"]["key_id"];
			};
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["RevokedKey"];
				};
			};
		};
	};
	get_own_key: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["Key"];
				};
			};
		};
	};
	get_operators: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["Operators"];
				};
			};
		};
	};
	get_rota: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["Duty"];
				};
			};
		};
	};
	set_rota: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** @description Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`). At most 1000000 bytes. */
		requestBody: {
			content: {
				"application/json": components["schemas"]["SetRota"];
			};
		};
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["Duty"];
				};
			};
		};
	};
	get_org: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["Organizations"];
				};
			};
		};
	};
	create_org: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** @description Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`). At most 1000000 bytes. */
		requestBody: {
			content: {
				"application/json": components["schemas"]["CreateOrganization"];
			};
		};
		responses: {
			201: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["CreatedOrganization"];
				};
			};
		};
	};
	get_org_by_id: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				org_id: components["parameters"]["org_id"];
			};
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["OrganizationDetail"];
				};
			};
		};
	};
	update_org: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				org_id: components["parameters"]["org_id"];
			};
			cookie?: never;
		};
		/** @description Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`). At most 1000000 bytes. */
		requestBody?: {
			content: {
				"application/json": components["schemas"]["UpdateOrganization"];
			};
		};
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["OrganizationDetail"];
				};
			};
		};
	};
	get_org_keys: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				org_id: components["parameters"]["org_id"];
			};
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["Keys"];
				};
			};
		};
	};
	list_feedback: {
		parameters: {
			query?: {
				action_id?: string;
				agent_id?: string;
				category?: string;
				sentiment?: components["schemas"]["Sentiment"];
				resolved?: boolean;
				limit?: number;
				offset?: number;
				cursor?: string;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["FeedbackList"];
				};
			};
		};
	};
	submit_feedback: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** @description Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`). At most 1000000 bytes. */
		requestBody?: {
			content: {
				"application/json": components["schemas"]["SubmitFeedback"];
			};
		};
		responses: {
			201: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["Feedback"];
				};
			};
		};
	};
	get_feedback_stats: {
		parameters: {
			query?: {
				agent_id?: string;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["FeedbackStats"];
				};
			};
		};
	};
	get_feedback: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				feedback_id: components["parameters"]["feedback_id"];
			};
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["Feedback"];
				};
			};
		};
	};
	delete_feedback: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				feedback_id: components["parameters"]["feedback_id"];
			};
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["DeletedFeedback"];
				};
			};
		};
	};
	resolve_feedback: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				feedback_id: components["parameters"]["feedback_id"];
			};
			cookie?: never;
		};
		/** @description Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`). At most 1000000 bytes. */
		requestBody?: {
			content: {
				"application/json": components["schemas"]["ResolveFeedback"];
			};
		};
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["Feedback"];
				};
			};
		};
	};
	list_prompt_templates: {
		parameters: {
			query?: {
				category?: string;
				limit?: number;
				offset?: number;
				cursor?: string;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["PromptTemplates"];
				};
			};
		};
	};
	create_prompt_template: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** @description Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`). At most 1000000 bytes. */
		requestBody: {
			content: {
				"application/json": components["schemas"]["CreatePromptTemplate"];
			};
		};
		responses: {
			201: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["PromptTemplate"];
				};
			};
		};
	};
	get_prompt_template: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				template_id: components["parameters"]["template_id"];
			};
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["PromptTemplate"];
				};
			};
		};
	};
	delete_prompt_template: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				template_id: components["parameters"]["template_id"];
			};
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["DeletedPromptTemplate"];
				};
			};
		};
	};
	update_prompt_template: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				template_id: components["parameters"]["template_id"];
			};
			cookie?: never;
		};
		/** @description Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`). At most 1000000 bytes. */
		requestBody?: {
			content: {
				"application/json": components["schemas"]["UpdatePromptTemplate"];
			};
		};
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["PromptTemplate"];
				};
			};
		};
	};
	list_prompt_versions: {
		parameters: {
			query?: {
				limit?: number;
				offset?: number;
				cursor?: string;
			};
			header?: never;
			path: {
				template_id: components["parameters"]["template_id"];
			};
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["PromptVersions"];
				};
			};
		};
	};
	create_prompt_version: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				template_id: components["parameters"]["template_id"];
			};
			cookie?: never;
		};
		/** @description Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`). At most 1000000 bytes. */
		requestBody: {
			content: {
				"application/json": components["schemas"]["CreatePromptVersion"];
			};
		};
		responses: {
			201: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["PromptVersion"];
				};
			};
		};
	};
	get_prompt_version: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				template_id: components["parameters"]["template_id"];
				version_id: components["parameters"]["version_id"];
			};
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["PromptVersion"];
				};
			};
		};
	};
	activate_prompt_version: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				template_id: components["parameters"]["template_id"];
				version_id: components["parameters"]["version_id"];
			};
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["PromptVersion"];
				};
			};
		};
	};
	render_prompt: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** @description Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`). At most 1000000 bytes. */
		requestBody?: {
			content: {
				"application/json": components["schemas"]["RenderPrompt"];
			};
		};
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["RenderedPrompt"];
				};
			};
		};
	};
	list_prompt_runs: {
		parameters: {
			query?: {
				template_id?: string;
				version_id?: string;
				action_id?: string;
				agent_id?: string;
				limit?: number;
				offset?: number;
				cursor?: string;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["PromptRuns"];
				};
			};
		};
	};
	get_prompt_stats: {
		parameters: {
			query?: {
				template_id?: string;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["PromptStats"];
				};
			};
		};
	};
	get_data_dictionary: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["DataDictionary"];
				};
			};
		};
	};
	get_table: {
		parameters: {
			query?: {
				window?: string;
				since?: string;
				until?: string;
				format?: string;
				columns?: string;
				agent_id?: string;
				action_type?: string;
				source?: components["schemas"]["Source"];
				status?: string;
				decision?: components["schemas"]["Decision"];
				spreadsheet?: boolean;
			};
			header?: never;
			path: {
				table: components["parameters"]["table"];
			};
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/vnd.apache.arrow.stream": unknown;
					"application/vnd.apache.parquet": unknown;
					"application/x-ndjson": unknown;
					"text/csv": unknown;
				};
			};
		};
	};
	get_table_days: {
		parameters: {
			query?: {
				window?: string;
				unless?: string;
			};
			header?: never;
			path: {
				table: components["parameters"]["table"];
			};
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["TableDays"];
				};
			};
		};
	};
	get_pcaa_health: {
		parameters: {
			query?: {
				window?: string;
				agent_id?: string;
				action_type?: string;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["PcaaHealth"];
				};
			};
		};
	};
	get_pcaa_gaps: {
		parameters: {
			query?: {
				window?: string;
				agent_id?: string;
				action_type?: string;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["PcaaGaps"];
				};
			};
		};
	};
	get_pcaa_action: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				action_id: components["parameters"]["action_id"];
			};
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["PcaaAction"];
				};
			};
		};
	};
	get_approval_insight: {
		parameters: {
			query?: {
				window?: string;
				agent_id?: string;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["ApprovalInsight"];
				};
			};
		};
	};
	get_decision_mix: {
		parameters: {
			query?: {
				window?: string;
				agent_id?: string;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["DecisionMix"];
				};
			};
		};
	};
	get_signal_history: {
		parameters: {
			query?: {
				window?: string;
				agent_id?: string;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["SignalHistory"];
				};
			};
		};
	};
	get_asking_worth: {
		parameters: {
			query?: {
				window?: string;
				agent_id?: string;
				tolerated?: number;
				source?: components["schemas"]["Source"];
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["AskingWorth"];
				};
			};
		};
	};
	get_digest: {
		parameters: {
			query?: {
				week?: string;
				agent_id?: string;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["WeeklyDigest"];
				};
			};
		};
	};
	sync_state: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** @description Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`). At most 10000000 bytes. */
		requestBody?: {
			content: {
				"application/json": components["schemas"]["SyncState"];
			};
		};
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["SyncResult"];
				};
			};
		};
	};
	get_activity_logs: {
		parameters: {
			query?: {
				action?: string;
				actor_id?: string;
				resource_type?: string;
				resource_id?: string;
				before?: string;
				after?: string;
				limit?: number;
				offset?: number;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["ActivityLogs"];
				};
			};
		};
	};
	list_frameworks: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["Frameworks"];
				};
			};
		};
	};
	map_compliance: {
		parameters: {
			query: {
				framework: string;
				window?: string;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["ComplianceMap"];
				};
			};
		};
	};
	analyze_gaps: {
		parameters: {
			query: {
				framework: string;
				window?: string;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["ComplianceGaps"];
				};
			};
		};
	};
	get_compliance_report: {
		parameters: {
			query: {
				framework: string;
				format?: string;
				window?: string;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["ComplianceReport"];
				};
			};
		};
	};
	get_compliance_evidence: {
		parameters: {
			query?: {
				window?: string;
				framework?: string;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["ComplianceEvidence"];
				};
			};
		};
	};
	get_proof_report: {
		parameters: {
			query?: {
				format?: string;
				window?: string;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["Report"];
				};
			};
		};
	};
	list_compliance_exports: {
		parameters: {
			query?: {
				schedule_id?: string;
				limit?: number;
				offset?: number;
				cursor?: string;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["ComplianceExports"];
				};
			};
		};
	};
	create_compliance_export: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** @description Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`). At most 1000000 bytes. */
		requestBody: {
			content: {
				"application/json": components["schemas"]["CreateComplianceExport"];
			};
		};
		responses: {
			201: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["ComplianceExportDetail"];
				};
			};
		};
	};
	get_compliance_export: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				export_id: components["parameters"]["export_id"];
			};
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["ComplianceExportDetail"];
				};
			};
		};
	};
	delete_compliance_export: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				export_id: components["parameters"]["export_id"];
			};
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["DeletedComplianceExport"];
				};
			};
		};
	};
	download_compliance_export: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				export_id: components["parameters"]["export_id"];
			};
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["ComplianceBundle"];
				};
			};
		};
	};
	list_compliance_schedules: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["ComplianceSchedules"];
				};
			};
		};
	};
	create_compliance_schedule: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** @description Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`). At most 1000000 bytes. */
		requestBody: {
			content: {
				"application/json": components["schemas"]["CreateComplianceSchedule"];
			};
		};
		responses: {
			201: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["ComplianceScheduleDetail"];
				};
			};
		};
	};
	get_compliance_schedule: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				schedule_id: components["parameters"]["schedule_id"];
			};
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["ComplianceScheduleDetail"];
				};
			};
		};
	};
	delete_compliance_schedule: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				schedule_id: components["parameters"]["schedule_id"];
			};
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["DeletedComplianceSchedule"];
				};
			};
		};
	};
	update_compliance_schedule: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				schedule_id: components["parameters"]["schedule_id"];
			};
			cookie?: never;
		};
		/** @description Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`). At most 1000000 bytes. */
		requestBody?: {
			content: {
				"application/json": components["schemas"]["UpdateComplianceSchedule"];
			};
		};
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["ComplianceScheduleDetail"];
				};
			};
		};
	};
	get_compliance_trends: {
		parameters: {
			query?: {
				framework?: string;
				limit?: number;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["ComplianceTrends"];
				};
			};
		};
	};
	get_pairings: {
		parameters: {
			query?: {
				status?: components["schemas"]["PairingState"];
				limit?: number;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["Pairings"];
				};
			};
		};
	};
	create_pairing: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** @description Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`). At most 100000 bytes. */
		requestBody: {
			content: {
				"application/json": components["schemas"]["CreatePairing"];
			};
		};
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["CreatedPairing"];
				};
			};
		};
	};
	get_pairing: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				pairing_id: components["parameters"]["pairing_id"];
			};
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["PairingDetail"];
				};
			};
		};
	};
	approve_pairing: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				pairing_id: components["parameters"]["pairing_id"];
			};
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["ApprovedPairing"];
				};
			};
		};
	};
	get_identities: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["Identities"];
				};
			};
		};
	};
	register_identity: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** @description Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`). At most 100000 bytes. */
		requestBody: {
			content: {
				"application/json": components["schemas"]["RegisterIdentity"];
			};
		};
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["IdentityDetail"];
				};
			};
		};
	};
	get_identity: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				agent_id: components["parameters"]["agent_id"];
			};
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["IdentityDetail"];
				};
			};
		};
	};
	revoke_identity: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				agent_id: components["parameters"]["agent_id"];
			};
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["RevokedIdentity"];
				};
			};
		};
	};
	get_readiness: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["WorkspaceReadiness"];
				};
			};
		};
	};
	test_connection: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** @description Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`). At most 1000000 bytes. */
		requestBody?: {
			content: {
				"application/json": components["schemas"]["CheckConnection"];
			};
		};
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["ConnectionTest"];
				};
			};
		};
	};
	get_injection_scans: {
		parameters: {
			query?: {
				agent_id?: string;
				subject_kind?: components["schemas"]["SubjectKind"];
				subject_id?: string;
				action_id?: string;
				recommendation?: components["schemas"]["ScanRecommendation"];
				days?: number;
				limit?: number;
				offset?: number;
				cursor?: string;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["InjectionScans"];
				};
			};
		};
	};
	scan_prompt_injection: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** @description Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`). At most 6100000 bytes. */
		requestBody: {
			content: {
				"application/json": components["schemas"]["ScanPromptInjection"];
			};
		};
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["InjectionScan"];
				};
			};
		};
	};
	get_allowed_texts: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["AllowedTexts"];
				};
			};
		};
	};
	allow_text: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** @description Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`). At most 6100000 bytes. */
		requestBody: {
			content: {
				"application/json": components["schemas"]["AllowText"];
			};
		};
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["AllowedTextAnswer"];
				};
			};
			201: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["AllowedTextAnswer"];
				};
			};
		};
	};
	remove_allowed_text: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				text_digest: components["parameters"]["text_digest"];
			};
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["AllowedTextAnswer"];
				};
			};
		};
	};
	scan_content: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** @description Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`). At most 6000000 bytes. */
		requestBody: {
			content: {
				"application/json": components["schemas"]["ScanContent"];
			};
		};
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["ContentScan"];
				};
			};
		};
	};
	get_webhooks: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["Webhooks"];
				};
			};
		};
	};
	create_webhook: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** @description Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`). At most 1000000 bytes. */
		requestBody: {
			content: {
				"application/json": components["schemas"]["CreateWebhook"];
			};
		};
		responses: {
			201: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["CreatedWebhook"];
				};
			};
		};
	};
	get_webhook: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				webhook_id: components["parameters"]["webhook_id"];
			};
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["WebhookDetail"];
				};
			};
		};
	};
	delete_webhook: {
		parameters: {
			query?: {
				id?: string;
			};
			header?: never;
			path: {
				webhook_id: components["parameters"]["webhook_id"];
			};
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["DeletedWebhook"];
				};
			};
		};
	};
	update_webhook: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				webhook_id: components["parameters"]["webhook_id"];
			};
			cookie?: never;
		};
		/** @description Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`). At most 1000000 bytes. */
		requestBody?: {
			content: {
				"application/json": components["schemas"]["UpdateWebhook"];
			};
		};
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["WebhookDetail"];
				};
			};
		};
	};
	rotate_webhook_secret: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				webhook_id: components["parameters"]["webhook_id"];
			};
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["CreatedWebhook"];
				};
			};
		};
	};
	test_webhook: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				webhook_id: components["parameters"]["webhook_id"];
			};
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["TestedWebhook"];
				};
			};
		};
	};
	get_webhook_deliveries: {
		parameters: {
			query?: {
				status?: components["schemas"]["DeliveryStatus"];
				limit?: number;
				offset?: number;
				cursor?: string;
			};
			header?: never;
			path: {
				webhook_id: components["parameters"]["webhook_id"];
			};
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["WebhookDeliveries"];
				};
			};
		};
	};
	open_notice: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** @description Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`). At most 1000000 bytes. */
		requestBody: {
			content: {
				"application/json": components["schemas"]["OpenNotice"];
			};
		};
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["OpenedNotice"];
				};
			};
		};
	};
	get_governance_proof: {
		parameters: {
			query?: {
				action_id?: string;
				format?: components["schemas"]["ProofFormat"];
				since?: number;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["ProofSnapshot"] | components["schemas"]["ProofBundle"];
				};
			};
		};
	};
	verify_governance_proof: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** @description Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`). At most 50000000 bytes. */
		requestBody?: {
			content: {
				"application/json": components["schemas"]["VerifyProof"];
			};
		};
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["ProofVerification"];
				};
			};
		};
	};
	export_proof: {
		parameters: {
			query?: {
				action_id?: string;
				bundle_id?: string;
				since?: number;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/vnd.svc.proof.v1+json": unknown;
				};
			};
		};
	};
	get_log_head: {
		parameters: {
			query?: {
				size?: number;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["LogHead"];
				};
			};
		};
	};
	get_inclusion_proof: {
		parameters: {
			query: {
				n: number;
				size?: number;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["InclusionProof"];
				};
			};
		};
	};
	get_consistency_proof: {
		parameters: {
			query: {
				from: number;
				to?: number;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["ConsistencyProof"];
				};
			};
		};
	};
	get_signing_keys: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["SigningKeys"];
				};
			};
		};
	};
	rotate_signing_key: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** @description Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`). At most 1000000 bytes. */
		requestBody?: {
			content: {
				"application/json": components["schemas"]["RotateSigningKey"];
			};
		};
		responses: {
			201: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["RotatedSigningKey"];
				};
			};
		};
	};
	revoke_signing_key: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				kid: components["parameters"]["kid"];
			};
			cookie?: never;
		};
		/** @description Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`). At most 1000000 bytes. */
		requestBody: {
			content: {
				"application/json": components["schemas"]["RevokeSigningKey"];
			};
		};
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["RevokedSigningKey"];
				};
			};
		};
	};
	get_jwks: {
		parameters: {
			query?: {
				org_id?: string;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["Jwks"];
				};
			};
		};
	};
	get_goals: {
		parameters: {
			query?: {
				agent_id?: string;
				limit?: number;
				offset?: number;
				cursor?: string;
				status?: string;
				category?: string;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["Goals"];
				};
			};
		};
	};
	create_goal: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** @description Further members are kept with the call. At most 256000 bytes. */
		requestBody: {
			content: {
				"application/json": components["schemas"]["CreateGoal"];
			};
		};
		responses: {
			201: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["GoalAnswer"];
				};
			};
		};
	};
	get_goal: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				goal_id: components["parameters"]["goal_id"];
			};
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["GoalAnswer"];
				};
			};
		};
	};
	update_goal: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				goal_id: components["parameters"]["goal_id"];
			};
			cookie?: never;
		};
		/** @description Further members are kept with the call. At most 256000 bytes. */
		requestBody?: {
			content: {
				"application/json": components["schemas"]["UpdateGoal"];
			};
		};
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["GoalAnswer"];
				};
			};
		};
	};
	get_calendar_events: {
		parameters: {
			query?: {
				agent_id?: string;
				limit?: number;
				offset?: number;
				cursor?: string;
				search?: string;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["CalendarEvents"];
				};
			};
		};
	};
	create_calendar_event: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** @description Further members are kept with the call. At most 256000 bytes. */
		requestBody: {
			content: {
				"application/json": components["schemas"]["CreateCalendarEvent"];
			};
		};
		responses: {
			201: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["CalendarEventAnswer"];
				};
			};
		};
	};
	get_content: {
		parameters: {
			query?: {
				agent_id?: string;
				limit?: number;
				offset?: number;
				cursor?: string;
				search?: string;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["Contents"];
				};
			};
		};
	};
	record_content: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** @description Further members are kept with the call. At most 256000 bytes. */
		requestBody: {
			content: {
				"application/json": components["schemas"]["RecordContent"];
			};
		};
		responses: {
			201: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["ContentAnswer"];
				};
			};
		};
	};
	get_interactions: {
		parameters: {
			query?: {
				agent_id?: string;
				limit?: number;
				offset?: number;
				cursor?: string;
				search?: string;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["Interactions"];
				};
			};
		};
	};
	record_interaction: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** @description Further members are kept with the call. At most 256000 bytes. */
		requestBody: {
			content: {
				"application/json": components["schemas"]["RecordInteraction"];
			};
		};
		responses: {
			201: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["InteractionAnswer"];
				};
			};
		};
	};
	get_ideas: {
		parameters: {
			query?: {
				agent_id?: string;
				limit?: number;
				offset?: number;
				cursor?: string;
				search?: string;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["Ideas"];
				};
			};
		};
	};
	record_idea: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** @description Further members are kept with the call. At most 256000 bytes. */
		requestBody: {
			content: {
				"application/json": components["schemas"]["RecordIdea"];
			};
		};
		responses: {
			201: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["IdeaAnswer"];
				};
			};
		};
	};
	get_memory_health: {
		parameters: {
			query?: {
				agent_id?: string;
				limit?: number;
				offset?: number;
				cursor?: string;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["MemoryReports"];
				};
			};
		};
	};
	report_memory_health: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** @description Further members are kept with the call. At most 256000 bytes. */
		requestBody: {
			content: {
				"application/json": components["schemas"]["ReportMemoryHealth"];
			};
		};
		responses: {
			201: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["MemoryHealthAnswer"];
				};
			};
		};
	};
	get_agent_decisions: {
		parameters: {
			query?: {
				agent_id?: string;
				limit?: number;
				offset?: number;
				cursor?: string;
				search?: string;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["AgentDecisions"];
				};
			};
		};
	};
	record_decision: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** @description Further members are kept with the call. At most 256000 bytes. */
		requestBody: {
			content: {
				"application/json": components["schemas"]["RecordDecision"];
			};
		};
		responses: {
			201: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["AgentDecisionAnswer"];
				};
			};
		};
	};
	get_shared_docs: {
		parameters: {
			query?: {
				agent_id?: string;
				limit?: number;
				offset?: number;
				cursor?: string;
				search?: string;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["SharedDocs"];
				};
			};
		};
	};
	save_shared_doc: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** @description Further members are kept with the call. At most 256000 bytes. */
		requestBody: {
			content: {
				"application/json": components["schemas"]["SaveSharedDoc"];
			};
		};
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["SharedDocAnswer"];
				};
			};
			201: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["SharedDocAnswer"];
				};
			};
		};
	};
	get_shared_doc: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				doc_id: components["parameters"]["doc_id"];
			};
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["SharedDocAnswer"];
				};
			};
		};
	};
	get_snippets: {
		parameters: {
			query?: {
				agent_id?: string;
				limit?: number;
				offset?: number;
				cursor?: string;
				search?: string;
				language?: string;
				tag?: string;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["Snippets"];
				};
			};
		};
	};
	save_snippet: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** @description Further members are kept with the call. At most 256000 bytes. */
		requestBody: {
			content: {
				"application/json": components["schemas"]["SaveSnippet"];
			};
		};
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["SnippetAnswer"];
				};
			};
			201: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["SnippetAnswer"];
				};
			};
		};
	};
	get_snippet: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				snippet_id: components["parameters"]["snippet_id"];
			};
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["SnippetAnswer"];
				};
			};
		};
	};
	delete_snippet: {
		parameters: {
			query?: {
				id?: string;
			};
			header?: never;
			path: {
				snippet_id: components["parameters"]["snippet_id"];
			};
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["Deleted"];
				};
			};
		};
	};
	use_snippet: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				snippet_id: components["parameters"]["snippet_id"];
			};
			cookie?: never;
		};
		/** @description Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`). At most 1000000 bytes. */
		requestBody?: {
			content: {
				"application/json": components["schemas"]["UseSnippet"];
			};
		};
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["SnippetAnswer"];
				};
			};
		};
	};
	get_preferences: {
		parameters: {
			query?: {
				type?: components["schemas"]["PreferenceView"];
				agent_id?: string;
				limit?: number;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["Preferences"];
				};
			};
		};
	};
	record_preference: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** @description Further members are kept with the call. At most 256000 bytes. */
		requestBody: {
			content: {
				"application/json": components["schemas"]["RecordPreference"];
			};
		};
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["RecordedPreference"];
				};
			};
			201: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["RecordedPreference"];
				};
			};
		};
	};
	get_token_usage: {
		parameters: {
			query?: {
				agent_id?: string;
				limit?: number;
				offset?: number;
				cursor?: string;
				model?: string;
				session_id?: string;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["TokenReports"];
				};
			};
		};
	};
	report_token_usage: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** @description Further members are kept with the call. At most 256000 bytes. */
		requestBody: {
			content: {
				"application/json": components["schemas"]["ReportTokenUsage"];
			};
		};
		responses: {
			201: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["TokenUsageAnswer"];
				};
			};
		};
	};
	list_sessions: {
		parameters: {
			query?: {
				agent_id?: string;
				limit?: number;
				offset?: number;
				cursor?: string;
				status?: string;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["Sessions"];
				};
			};
		};
	};
	create_session: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** @description Further members are kept with the call. At most 256000 bytes. */
		requestBody?: {
			content: {
				"application/json": components["schemas"]["CreateSession"];
			};
		};
		responses: {
			201: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["SessionAnswer"];
				};
			};
		};
	};
	get_session: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				session_id: components["parameters"]["session_id"];
			};
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["SessionAnswer"];
				};
			};
		};
	};
	update_session: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				session_id: components["parameters"]["session_id"];
			};
			cookie?: never;
		};
		/** @description Further members are kept with the call. At most 256000 bytes. */
		requestBody?: {
			content: {
				"application/json": components["schemas"]["UpdateSession"];
			};
		};
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["SessionAnswer"];
				};
			};
		};
	};
	get_session_events: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				session_id: components["parameters"]["session_id"];
			};
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["SessionEvents"];
				};
			};
		};
	};
	list_workflow_templates: {
		parameters: {
			query?: {
				agent_id?: string;
				limit?: number;
				offset?: number;
				cursor?: string;
				status?: string;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["WorkflowTemplates"];
				};
			};
		};
	};
	create_workflow_template: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** @description Further members are kept with the call. At most 256000 bytes. */
		requestBody: {
			content: {
				"application/json": components["schemas"]["CreateWorkflowTemplate"];
			};
		};
		responses: {
			201: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["WorkflowTemplateAnswer"];
				};
			};
		};
	};
	get_workflow_template: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				template_id: components["parameters"]["template_id"];
			};
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["WorkflowTemplateAnswer"];
				};
			};
		};
	};
	update_workflow_template: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				template_id: components["parameters"]["template_id"];
			};
			cookie?: never;
		};
		/** @description Further members are kept with the call. At most 256000 bytes. */
		requestBody?: {
			content: {
				"application/json": components["schemas"]["UpdateWorkflowTemplate"];
			};
		};
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["WorkflowTemplateAnswer"];
				};
			};
		};
	};
	duplicate_workflow_template: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				template_id: components["parameters"]["template_id"];
			};
			cookie?: never;
		};
		/** @description Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`). At most 1000000 bytes. */
		requestBody?: {
			content: {
				"application/json": components["schemas"]["DuplicateWorkflowTemplate"];
			};
		};
		responses: {
			201: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["WorkflowTemplateAnswer"];
				};
			};
		};
	};
	launch_workflow_template: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				template_id: components["parameters"]["template_id"];
			};
			cookie?: never;
		};
		/** @description Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`). At most 1000000 bytes. */
		requestBody?: {
			content: {
				"application/json": components["schemas"]["LaunchWorkflowTemplate"];
			};
		};
		responses: {
			201: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["LaunchedWorkflow"];
				};
			};
			202: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["LaunchedWorkflow"];
				};
			};
		};
	};
	list_model_strategies: {
		parameters: {
			query?: {
				agent_id?: string;
				limit?: number;
				offset?: number;
				cursor?: string;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["ModelStrategies"];
				};
			};
		};
	};
	create_model_strategy: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** @description Further members are kept with the call. At most 256000 bytes. */
		requestBody: {
			content: {
				"application/json": components["schemas"]["CreateModelStrategy"];
			};
		};
		responses: {
			201: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["ModelStrategyAnswer"];
				};
			};
		};
	};
	get_model_strategy: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				strategy_id: components["parameters"]["strategy_id"];
			};
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["ModelStrategyAnswer"];
				};
			};
		};
	};
	delete_model_strategy: {
		parameters: {
			query?: {
				id?: string;
			};
			header?: never;
			path: {
				strategy_id: components["parameters"]["strategy_id"];
			};
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["Deleted"];
				};
			};
		};
	};
	update_model_strategy: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				strategy_id: components["parameters"]["strategy_id"];
			};
			cookie?: never;
		};
		/** @description Further members are kept with the call. At most 256000 bytes. */
		requestBody?: {
			content: {
				"application/json": components["schemas"]["UpdateModelStrategy"];
			};
		};
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["ModelStrategyAnswer"];
				};
			};
		};
	};
	list_knowledge_collections: {
		parameters: {
			query?: {
				agent_id?: string;
				limit?: number;
				offset?: number;
				cursor?: string;
				source_type?: string;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["KnowledgeCollections"];
				};
			};
		};
	};
	create_knowledge_collection: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** @description Further members are kept with the call. At most 256000 bytes. */
		requestBody: {
			content: {
				"application/json": components["schemas"]["CreateKnowledgeCollection"];
			};
		};
		responses: {
			201: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["KnowledgeCollectionAnswer"];
				};
			};
		};
	};
	get_knowledge_collection: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				collection_id: components["parameters"]["collection_id"];
			};
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["KnowledgeCollectionAnswer"];
				};
			};
		};
	};
	update_knowledge_collection: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				collection_id: components["parameters"]["collection_id"];
			};
			cookie?: never;
		};
		/** @description Further members are kept with the call. At most 256000 bytes. */
		requestBody?: {
			content: {
				"application/json": components["schemas"]["UpdateKnowledgeCollection"];
			};
		};
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["KnowledgeCollectionAnswer"];
				};
			};
		};
	};
	list_knowledge_collection_items: {
		parameters: {
			query?: {
				agent_id?: string;
				limit?: number;
				offset?: number;
				cursor?: string;
			};
			header?: never;
			path: {
				collection_id: components["parameters"]["collection_id"];
			};
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["KnowledgeItems"];
				};
			};
		};
	};
	add_knowledge_collection_item: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				collection_id: components["parameters"]["collection_id"];
			};
			cookie?: never;
		};
		/** @description Further members are kept with the call. At most 256000 bytes. */
		requestBody: {
			content: {
				"application/json": components["schemas"]["AddKnowledgeItem"];
			};
		};
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["KnowledgeItemAnswer"];
				};
			};
			201: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["KnowledgeItemAnswer"];
				};
			};
		};
	};
	sync_knowledge_collection: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				collection_id: components["parameters"]["collection_id"];
			};
			cookie?: never;
		};
		/** @description Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`). At most 1000000 bytes. */
		requestBody?: {
			content: {
				"application/json": components["schemas"]["SyncKnowledgeCollection"];
			};
		};
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["SyncedKnowledge"];
				};
			};
		};
	};
	search_knowledge_collection: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				collection_id: components["parameters"]["collection_id"];
			};
			cookie?: never;
		};
		/** @description Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`). At most 1000000 bytes. */
		requestBody: {
			content: {
				"application/json": components["schemas"]["SearchKnowledge"];
			};
		};
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["KnowledgeMatches"];
				};
			};
		};
	};
	list_capabilities: {
		parameters: {
			query?: {
				agent_id?: string;
				limit?: number;
				offset?: number;
				cursor?: string;
				category?: string;
				risk_level?: string;
				status?: string;
				search?: string;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["Capabilities"];
				};
			};
		};
	};
	create_capability: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** @description Further members are kept with the call. At most 256000 bytes. */
		requestBody: {
			content: {
				"application/json": components["schemas"]["CreateCapability"];
			};
		};
		responses: {
			201: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["CapabilityAnswer"];
				};
			};
		};
	};
	get_capability: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				capability_id: components["parameters"]["capability_id"];
			};
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["CapabilityAnswer"];
				};
			};
		};
	};
	update_capability: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				capability_id: components["parameters"]["capability_id"];
			};
			cookie?: never;
		};
		/** @description Further members are kept with the call. At most 256000 bytes. */
		requestBody?: {
			content: {
				"application/json": components["schemas"]["UpdateCapability"];
			};
		};
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["CapabilityAnswer"];
				};
			};
		};
	};
	list_registered_agents: {
		parameters: {
			query?: {
				agent_id?: string;
				limit?: number;
				offset?: number;
				cursor?: string;
				status?: string;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["RegisteredAgents"];
				};
			};
		};
	};
	register_agent: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** @description Further members are kept with the call. At most 256000 bytes. */
		requestBody: {
			content: {
				"application/json": components["schemas"]["RegisterAgent"];
			};
		};
		responses: {
			201: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["RegisteredAgentAnswer"];
				};
			};
		};
	};
	get_registered_agent: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				registered_agent_id: components["parameters"]["registered_agent_id"];
			};
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["RegisteredAgentAnswer"];
				};
			};
		};
	};
	update_registered_agent: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				registered_agent_id: components["parameters"]["registered_agent_id"];
			};
			cookie?: never;
		};
		/** @description Further members are kept with the call. At most 256000 bytes. */
		requestBody?: {
			content: {
				"application/json": components["schemas"]["UpdateRegisteredAgent"];
			};
		};
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["RegisteredAgentAnswer"];
				};
			};
		};
	};
	list_agent_capabilities: {
		parameters: {
			query?: {
				agent_id?: string;
				limit?: number;
				offset?: number;
				cursor?: string;
			};
			header?: never;
			path: {
				registered_agent_id: components["parameters"]["registered_agent_id"];
			};
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["AgentCapabilities"];
				};
			};
		};
	};
	add_agent_capability: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				registered_agent_id: components["parameters"]["registered_agent_id"];
			};
			cookie?: never;
		};
		/** @description Further members are kept with the call. At most 256000 bytes. */
		requestBody: {
			content: {
				"application/json": components["schemas"]["AddAgentCapability"];
			};
		};
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["AgentCapabilityAnswer"];
				};
			};
			201: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["AgentCapabilityAnswer"];
				};
			};
		};
	};
	list_providers: {
		parameters: {
			query?: {
				agent_id?: string;
				limit?: number;
				offset?: number;
				cursor?: string;
				status?: string;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["Providers"];
				};
			};
		};
	};
	create_provider: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** @description Further members are kept with the call. At most 256000 bytes. */
		requestBody: {
			content: {
				"application/json": components["schemas"]["CreateProvider"];
			};
		};
		responses: {
			201: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["ProviderAnswer"];
				};
			};
		};
	};
	get_provider: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				provider_id: components["parameters"]["provider_id"];
			};
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["ProviderAnswer"];
				};
			};
		};
	};
	update_provider: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				provider_id: components["parameters"]["provider_id"];
			};
			cookie?: never;
		};
		/** @description Further members are kept with the call. At most 256000 bytes. */
		requestBody?: {
			content: {
				"application/json": components["schemas"]["UpdateProvider"];
			};
		};
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["ProviderAnswer"];
				};
			};
		};
	};
	list_provider_endpoints: {
		parameters: {
			query?: {
				agent_id?: string;
				limit?: number;
				offset?: number;
				cursor?: string;
			};
			header?: never;
			path: {
				provider_id: components["parameters"]["provider_id"];
			};
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["ProviderEndpoints"];
				};
			};
		};
	};
	create_provider_endpoint: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				provider_id: components["parameters"]["provider_id"];
			};
			cookie?: never;
		};
		/** @description Further members are kept with the call. At most 256000 bytes. */
		requestBody: {
			content: {
				"application/json": components["schemas"]["CreateProviderEndpoint"];
			};
		};
		responses: {
			201: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["ProviderEndpointAnswer"];
				};
			};
		};
	};
	list_purchases: {
		parameters: {
			query?: {
				agent_id?: string;
				limit?: number;
				offset?: number;
				cursor?: string;
				provider_id?: string;
				action_id?: string;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["Purchases"];
				};
			};
		};
	};
	record_purchase: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** @description Further members are kept with the call. At most 256000 bytes. */
		requestBody: {
			content: {
				"application/json": components["schemas"]["RecordPurchase"];
			};
		};
		responses: {
			201: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["PurchaseAnswer"];
				};
			};
			202: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["PurchaseAnswer"];
				};
			};
		};
	};
	get_artifacts: {
		parameters: {
			query?: {
				agent_id?: string;
				limit?: number;
				offset?: number;
				cursor?: string;
				artifact_type?: string;
				source_action_id?: string;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["Artifacts"];
				};
			};
		};
	};
	create_artifact: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** @description Further members are kept with the call. At most 256000 bytes. */
		requestBody: {
			content: {
				"application/json": components["schemas"]["CreateArtifact"];
			};
		};
		responses: {
			201: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["ArtifactAnswer"];
				};
			};
		};
	};
	get_daily_digest: {
		parameters: {
			query?: {
				date?: string;
				agent_id?: string;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["Digest"];
				};
			};
		};
	};
	list_routing_agents: {
		parameters: {
			query?: {
				status?: components["schemas"]["RoutingStatus"];
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["RoutingAgents"];
				};
			};
		};
	};
	register_routing_agent: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** @description Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`). At most 1000000 bytes. */
		requestBody: {
			content: {
				"application/json": components["schemas"]["RegisterRoutingAgent"];
			};
		};
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["RoutingAgentAnswer"];
				};
			};
			201: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["RoutingAgentAnswer"];
				};
			};
		};
	};
	get_routing_agent: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				agent_id: components["parameters"]["agent_id"];
			};
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["RoutingAgentAnswer"];
				};
			};
		};
	};
	delete_routing_agent: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				agent_id: components["parameters"]["agent_id"];
			};
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["DeletedRoutingAgent"];
				};
			};
		};
	};
	update_routing_agent_status: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				agent_id: components["parameters"]["agent_id"];
			};
			cookie?: never;
		};
		/** @description Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`). At most 1000000 bytes. */
		requestBody: {
			content: {
				"application/json": components["schemas"]["UpdateRoutingAgentStatus"];
			};
		};
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["RoutingAgentAnswer"];
				};
			};
		};
	};
	list_routing_tasks: {
		parameters: {
			query?: {
				status?: components["schemas"]["TaskStatus"];
				assigned_to?: string;
				limit?: number;
				offset?: number;
				cursor?: string;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["RoutingTasks"];
				};
			};
		};
	};
	submit_routing_task: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** @description Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`). At most 1000000 bytes. */
		requestBody: {
			content: {
				"application/json": components["schemas"]["SubmitRoutingTask"];
			};
		};
		responses: {
			201: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["RoutingTaskAnswer"];
				};
			};
		};
	};
	complete_routing_task: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				task_id: components["parameters"]["task_id"];
			};
			cookie?: never;
		};
		/** @description Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`). At most 1000000 bytes. */
		requestBody?: {
			content: {
				"application/json": components["schemas"]["CompleteRoutingTask"];
			};
		};
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["RoutingTaskAnswer"];
				};
			};
		};
	};
	get_routing_stats: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["RoutingStats"];
				};
			};
		};
	};
	get_routing_health: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["RoutingHealth"];
				};
			};
		};
	};
	health: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["Health"];
				};
			};
		};
	};
	ready: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					"application/json": components["schemas"]["Readiness"];
				};
			};
		};
	};
}
