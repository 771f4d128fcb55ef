// The numbers of the publication gate, for limits.ts.

export const gateLimits = {
  /** Evidence of the publication gate, and the longest life of an access token. Specification 2 §5 and §8. */
  gateEvidenceAgeMs: 2_592_000_000,
  gateEvidenceAheadMs: 300_000,
  gateTokenLifetimeSeconds: 900,
  /** Wire contract 8.1: unauthenticated requests of the burst, age of a router's last success, time for one request. */
  gateBurst: 70,
  gateRouterAgeMs: 300_000,
  gateTimeoutMs: 10_000,
  gateAnswerBytes: 1_048_576,
  /** A whole run of the gate, and how long a certificate must still be valid: as long as a report stands. */
  gateRunMs: 300_000,
  gateCertificateMs: 86_400_000,
} as const;
