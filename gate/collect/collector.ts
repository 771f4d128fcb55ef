// The interface of a collector: an experiment that yields the fields of one evidence item.
import type { ParseArgsOptionsConfig } from 'node:util';
import type { Clock } from '#kernel/time/clock.ts';
import type { GateConfig } from '../config.ts';
import type { Transcript } from './transcript.ts';

export interface CollectContext {
  config: GateConfig;
  clock: Clock;
  /** PEM of a CA trusted in addition to the public ones. */
  ca: string | undefined;
  options: Readonly<Record<string, string | boolean | undefined>>;
  transcript: Transcript;
  signal: AbortSignal;
  /** Prints instructions for the operator to stderr, whether or not it is a terminal. */
  say(text: string): void;
}

export interface Measured {
  fields: Readonly<Record<string, unknown>>;
  /** Reasons why the item must fail even when its fields are correct. */
  objections: readonly string[];
}

export interface Collector {
  name: string;
  summary: string;
  item: string;
  /** Fields retained from an earlier run: another collector measures them. */
  partial?: boolean;
  options: ParseArgsOptionsConfig;
  help: string;
  run(context: CollectContext): Promise<Measured>;
}

/** Options of collectors that sign in at the authorization server. */
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
