// The limits of the chat workspace and of the delivery of alerts.

export const chatLimits = {
  /** Chat workspace. */
  chatToken: 512,
  chatName: 256,
  chatCooldownMinutes: 1440,
  chatCooldownMinutesDefault: 60,
  chatTimeoutMs: 10_000,
  chatAnswerBytes: 1_048_576,
  chatMemberPages: 5,
  chatMembersPage: 200,
  /** Delivery of alerts: a message a second, five a minute before they are combined, and how long it is tried. */
  chatPaceMs: 1000,
  chatMessagesPerMinute: 5,
  chatMinuteMs: 60_000,
  chatRetryMinMs: 5000,
  chatRetryMaxMs: 600_000,
  chatKeepTryingMs: 604_800_000,
  /** How long delivered messages are stored. */
  chatRecordMs: 2_592_000_000,
} as const;
