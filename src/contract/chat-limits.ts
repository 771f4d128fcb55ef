// The limits of the chat workspace and of the delivery of alerts.

export const chatLimits = {
  /** Characters of a bot token, and of the name of a member. */
  chatToken: 512,
  chatName: 256,
  /** Minimum time between alerts for the same device and destination: the largest setting, and the default. */
  chatCooldownMinutes: 1440,
  chatCooldownMinutesDefault: 60,
  /** Time and bytes of an answer of the workspace; pages of members that are searched, and members of a page. */
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
  chatRecordMs: 2_592_000_000,
} as const;
