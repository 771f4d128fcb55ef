// Numbers of AI insights: docs/reference/rest-api.md#8-limits, and the sections 4.10 to 4.13 of
// docs/reference/wire-contract/4-endpoints.md#410-ai-configuration-and-discovery.
export const aiLimits = {
  /** Names that a listing returns, and guardrails. */
  aiModels: 200,
  aiGuardrails: 100,
  /** Characters of settings. */
  aiModelName: 200,
  aiModelArn: 400,
  aiKey: 4096,
  aiEndpoint: 2048,
  aiRegion: 64,
  aiGuardrailId: 2048,
  aiGuardrailVersion: 64,
  /** A listing or a test: its time, and bytes of the answer. */
  aiTestMs: 10_000,
  aiTestBytes: 1_048_576,
  /** A generation: its time, bytes of the answer, of the context and of the whole prompt; tokens of the answer. */
  aiGenerationMs: 30_000,
  aiAnswerBytes: 1_048_576,
  aiContextBytes: 49_152,
  aiPromptBytes: 65_536,
  aiOutputTokens: 2048,
  /** What of the network is sent. */
  aiDevices: 30,
  aiNodes: 10,
  aiNodeDevices: 5,
  aiThreats: 40,
  aiThreatDevices: 5,
  /** Requests that were shown before they are sent: how many, and for how long they can be. */
  aiPreviews: 8,
  aiPreviewMs: 900_000,
  aiMessage: 4000,
  aiPriorAnalysis: 8000,
  aiTurns: 20,
  aiConversations: 100,
  /** Characters of the question that names a conversation. */
  aiTitle: 120,
  aiMessages: 500,
  /** What is stored; of it, aiConversations and aiMessages are shown. */
  aiConversationsStored: 1000,
  aiMessagesStored: 2000,
  /** Minutes that local time may differ from UTC. */
  aiTimezoneMinutes: 840,
  aiUnpricedModels: 20,
  aiEvents: 200,
  aiEventsDefault: 50,
  aiRangeHours: 336,
  aiRangeHoursDefault: 168,
  aiScheduleMs: 30_000,
  aiThreshold: 1000,
  aiDailyLimit: 6,
  aiDailyLimitDefault: 3,
  aiCooldownMinutesMin: 15,
  aiCooldownMinutes: 1440,
  aiCooldownMinutesDefault: 60,
  aiTimezoneName: 100,
} as const;
