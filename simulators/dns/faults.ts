// The named ways the simulated name server misbehaves.

export const dnsFaults = {
  'server-failure': 'Answers SERVFAIL.',
  refused: 'Answers REFUSED.',
  silent: 'Does not answer.',
  'wrong-id': 'Answers with another message id, as one who guesses would.',
  truncated: 'Answers without records and with the truncation bit; nothing listens on TCP.',
  garbage: 'Answers with bytes that are no DNS message.',
  slow: 'Answers after `value` ms (2,000 when absent).',
} as const;

export type DnsFault = keyof typeof dnsFaults;
