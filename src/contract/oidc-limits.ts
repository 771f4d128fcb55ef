// The limits of browser logins (docs/reference/wire-contract/5-behaviours.md#54-browser-oidc).

export const oidcLimits = {
  oidcFlowMs: 600_000,
  oidcFlows: 1000,
  oidcFlowsOfClient: 10,
  oidcFetchMs: 10_000,
  oidcAnswerBytes: 1_048_576,
  oidcCacheMs: 3_600_000,
  oidcSkewMs: 60_000,
} as const;
