// The numbers of the publication gate, for limits.ts. Sources: docs/reference/mcp-server.md#8-limits and
// docs/reference/wire-contract/8-gate.md#81-environment.

export const gateLimits = {
  /** Evidence of the publication gate, and the longest life of an access token. */
  gateEvidenceAgeMs: 2_592_000_000,
  gateEvidenceAheadMs: 300_000,
  gateTokenLifetimeSeconds: 900,
  /** Unauthenticated requests of the burst, age of a router's last success, time for one request. */
  gateBurst: 70,
  gateRouterAgeMs: 300_000,
  gateTimeoutMs: 10_000,
  gateAnswerBytes: 1_048_576,
  /** A whole run of the gate, and how long a certificate must still be valid: as long as a report stands. */
  gateRunMs: 300_000,
  gateCertificateMs: 86_400_000,
} as const;
