// What the probes share: the staged endpoint, the issuer, the local hub, the audit store, and what was sent so far.
import type { GateConfig } from '../config.ts';
import type { Publication } from '../public-dns.ts';
import type { Address, Answer, Ask, Http } from '../target.ts';
import type { IssuerView } from './issuer.ts';

/** Names of the requests that the audit is asked about. */
export type ProbeName =
  | 'malformed'
  | 'expired'
  | 'wrong-audience'
  | 'revoked'
  | 'read'
  | 'write-denied'
  | 'mismatch'
  | 'unsupported'
  | 'burst';

export interface ProbeContext {
  config: GateConfig;
  now(): number;
  /** POST to `/mcp` of the staged endpoint. Rejects when the target does not resolve or does not answer. */
  mcp(name: string, ask: Ask): Promise<Answer>;
  /** GET of another path there. */
  path(name: string, path: string): Promise<Answer>;
  /** POST to `/mcp`, or GET of another path, at every address of the target; in their order. */
  everywhere(name: string, ask: Ask | string): Promise<Answer[]>;
  /** A tool call with the read token in which header and body agree: what the refusals are compared with. Sent once. */
  agreeing(): Promise<Answer>;
  /** Whether the name is in public DNS; asked once. */
  publication(): Promise<Publication>;
  /** Addresses of the target. Rejects when it has none, or when the name is published or may be. */
  addresses(): Promise<readonly Address[]>;
  /** Bytes of the CA trusted beside the public ones (PEM). */
  ca: string | undefined;
  hub: Http;
  /** Discovery document and keys, fetched once. */
  issuer(): Promise<IssuerView>;
  /** Request ids by probe. */
  sent: Map<ProbeName, string>;
  /** Enabled routers of the hub, once known. */
  seen: { enabledRouters: number };
  /** How many unauthenticated requests the burst may still send; told of each. */
  onBurst: (sent: number, of: number) => void;
}

export function headerOf({ headers }: Answer, name: string): string {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : (value ?? '');
}

/** Parameters of a Bearer challenge (RFC 6750 §3); empty when there is none. */
export function challengeOf(answer: Answer): Readonly<Record<string, string>> {
  const header = headerOf(answer, 'www-authenticate');
  if (!/^\s*bearer\b/i.test(header)) {
    return {};
  }
  return Object.fromEntries(
    [...header.matchAll(/([a-z_]+)="([^"]*)"/gi)].map(([, name = '', value = '']) => [name, value]),
  );
}
