// The named ways the simulated registries and location service misbehave.

export const lookupFaults = {
  'server-error': 'Answers 500.',
  'too-many': 'Answers 429.',
  html: 'Answers 200 with a web page.',
  truncated: 'Ends the connection in the middle of the answer.',
  oversized: 'Answers with 2 MB.',
  silent: 'Takes the question and does not answer.',
  'redirect-loop': 'Redirects to itself.',
  'clear-text': 'Redirects to an http address of its own host.',
  inside: 'Redirects to an address of a private network.',
} as const;

export type LookupFault = keyof typeof lookupFaults;
