// The limits of the MCP endpoint (docs/reference/mcp-server.md#8-limits).

export const mcpLimits = {
  /** MCP endpoint: requests per minute of the host, one subject, one client; tool calls at once. */
  mcpRateGlobal: 60,
  mcpRateSubject: 30,
  mcpRateClient: 30,
  mcpRateWindowMs: 60_000,
  mcpConcurrent: 4,
  mcpBodyBytes: 262_144,
  mcpRequestTimeoutMs: 30_000,
  mcpApiTimeoutMs: 15_000,
  mcpTimeoutMaxMs: 600_000,
  /** Subjects, clients and addresses whose windows are remembered; the oldest is forgotten beyond. */
  mcpRateKeys: 5000,
  /** Requests per minute that fail before the caller is known: after these an address is served with a valid credential only. */
  mcpRefusedPerAddress: 20,
  /** Requests per minute without any credential, which every OAuth client begins with, for one address. */
  mcpUnsignedPerAddress: 50,
  /** Credentials per minute that are judged for one address, besides as many as the whole host serves. */
  mcpJudgedPerAddress: 600,
  /** Audit rows per minute of requests without a valid credential: a flood must not fill the disk. */
  mcpRefusalRows: 600,
  mcpAuditKeyMin: 32,
  /** How long a row of the audit may be on its way to the disk before the endpoint refuses requests (decision 018). */
  mcpAuditDelayMs: 10_000,
  /** What is still read of a request that was refused, and for how long. */
  mcpLingerBytes: 1_048_576,
  mcpLingerMs: 1000,
  /** The hub asks whether the MCP server answers: so long, and so many bytes of the answer. */
  mcpCheckMs: 5000,
  mcpCheckBytes: 65_536,
  /** OAuth: tokens and the issuer (docs/reference/wire-contract/7-mcp-http.md#72-one-request). */
  mcpJwtBytes: 16_384,
  mcpClockSkewMs: 30_000,
  mcpIssuerFetchMs: 8000,
  mcpIssuerAnswerBytes: 1_048_576,
  mcpIssuerKeys: 100,
  mcpIssuerCacheMs: 300_000,
  /** Between two fetches that unknown key ids ask for, and after one that failed. */
  mcpIssuerRefreshMs: 10_000,
  mcpIssuerFailureMs: 5000,
  /**
   * The service identity: pause between two checks, and how long the start waits for the hub
   * (docs/reference/wire-contract/7-mcp-http.md#71-start).
   */
  mcpIdentityCheckMs: 3_600_000,
  mcpIdentityRetryMs: 60_000,
  /** How long a client may cache the list of tools. */
  mcpListTtlMs: 300_000,
} as const;
