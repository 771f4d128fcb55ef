// What a collector is: an experiment with options of its own, which gives the fields of one evidence item.
import type { ParseArgsOptionsConfig } from 'node:util';
import type { Clock } from '#kernel/clock.ts';
import type { GateConfig } from '../config.ts';
import type { Transcript } from './transcript.ts';

export interface CollectContext {
  config: GateConfig;
  clock: Clock;
  /** PEM of a CA trusted in addition to the public ones. */
  ca: string | undefined;
  /** Options as they were given. */
  options: Readonly<Record<string, string | boolean | undefined>>;
  transcript: Transcript;
  signal: AbortSignal;
  /** Shows a person what to do; on stderr, also when it is no terminal. */
  say(text: string): void;
}

export interface Measured {
  /** Fields of the item, as they were seen. */
  fields: Readonly<Record<string, unknown>>;
  /** Why the item must not pass although its fields may look right; none when nothing stands against it. */
  objections: readonly string[];
}

export interface Collector {
  name: string;
  summary: string;
  /** Key of the evidence item it writes. */
  item: string;
  /** Fields retained from an earlier run: another collector measures them. */
  partial?: boolean;
  options: ParseArgsOptionsConfig;
  /** Lines of the help about its options. */
  help: string;
  run(context: CollectContext): Promise<Measured>;
}

/** Options of everything that signs in at the authorization server. */
export const loginOptions = {
  'client-id': { type: 'string' },
  'client-secret-file': { type: 'string' },
  'callback-port': { type: 'string' },
  automatic: { type: 'boolean' },
} as const satisfies ParseArgsOptionsConfig;

export const loginHelp = `  --client-id ID             client registered for this test; it needs the refresh_token grant (gatehouse-mcp)
  --client-secret-file FILE  its secret, mode 0600, when it is a confidential client
  --callback-port N          port of the callback http://127.0.0.1:N/callback (0: a free one)
  --automatic                follow the redirects without a browser, where the issuer asks nothing of a person
`;
