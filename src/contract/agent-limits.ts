// The limits of Agents, for limits.ts: enrolment, delivery, reconciliation. docs/reference/rest-api.md#8-limits and
// docs/reference/wire-contract/4-endpoints.md#42-agents have those that callers see.

export const agentLimits = {
  /** Enrolment of Agents (docs/reference/wire-contract/5-behaviours.md#51-enrolment). */
  enrolmentCodes: 20,
  enrolmentCodeMs: 600_000,
  enrolmentCodeFailures: 5,
  /** How long codes and requests that are over are stored. */
  enrolmentRetentionMs: 86_400_000,
  enrolmentRequests: 20,
  enrolmentRequestMs: 600_000,
  /** Failed applications of one address, the time in which they are counted, and addresses that are remembered. */
  enrolmentFailures: 5,
  enrolmentFailureWindowMs: 300_000,
  enrolmentAddresses: 2048,
  claimsPerMinute: 60,
  agentTouchMs: 60_000,
  /** How long a rotated-out bearer opens everything while the new one is not used; after that it opens rotation alone. */
  agentRotationGraceMs: 60_000,
  /** Delivery of Agents (docs/reference/wire-contract/5-behaviours.md#52-ingest-comparison-retention). */
  agentBatchObservations: 200,
  agentBatchBytes: 524_288,
  agentRequestsPerMinute: 30,
  agentIngestConcurrent: 4,
  agentIngestPerAddress: 1500,
  /** How long a batch may take to arrive: it holds one of the places. */
  agentBodyMs: 15_000,
  agentPastMs: 604_800_000,
  agentFutureMs: 86_400_000,
  agentRetentionMs: 604_800_000,
  agentRetentionEveryMs: 3_600_000,
  agentCorrelationMs: 90_000,
  agentReconcileEveryMs: 300_000,
  agentsShown: 1000,
  /** Reconciliation: rows of each list, its longest range, and sessions that are compared. */
  reconciliationRows: 1000,
  reconciliationRowsDefault: 200,
  reconciliationRangeMs: 604_800_000,
  reconciliationSessions: 20_000,
} as const;
