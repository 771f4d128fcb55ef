// The limits of destinations of events.

export const destinationLimits = {
  destinations: 10,
  /** Number of the last events of a destination that the API shows. */
  destinationEvents: 50,
  destinationName: 64,
  destinationText: 256,
  destinationHost: 253,
  destinationUrl: 2048,
  destinationSecret: 1024,
  /** Characters of certificates as PEM. */
  destinationCertificates: 65_536,
  destinationRecipients: 20,
  /** How long a test event may take, and how much of an answer is repeated. */
  destinationTestMs: 30_000,
  destinationErrorText: 500,
  /** How far ahead `muteUntil` may lie: less than events are kept. */
  destinationMuteMs: 518_400_000,
} as const;
