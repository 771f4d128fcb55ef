// The named ways the simulated push services misbehave.

export const pushFaults = {
  'server-error': 'Answers 500.',
  'too-many': 'Answers 429 and asks to wait `value` seconds (60 when absent).',
  'refused-token': 'Answers 401, as if the token or the address of the webhook were not known any more.',
  'refused-message': 'Answers 400, as if a member of the message were not right.',
  redirect: 'Redirects to another path of its own host.',
  oversized: 'Answers with 2 MB.',
  'taken-unheard': 'Takes the message and ends the connection without an answer.',
} as const;

export type PushFault = keyof typeof pushFaults;
