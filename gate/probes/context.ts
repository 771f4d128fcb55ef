// The context of the probes: the staged endpoint, the issuer, the local hub, the audit store, and the sent requests.
import type { GateConfig } from '../config.ts';
import type { Publication } from '../public-dns.ts';
import type { Address, Answer, Ask, Http } from '../target.ts';
import type { Forger } from './forgeries.ts';
import type { IssuerView } from './issuer-discovery.ts';
import type { ServerView } from './server-view.ts';

/** Names of the requests that the audit is asked about. */
export type ProbeName =
  | 'malformed'
  | 'expired'
  | 'wrong-audience'
  | 'wrong-audience-legacy'
  | 'revoked'
  | 'near-audience'
  | 'audience-list'
  | 'forged-key'
  | 'forged-key-legacy'
  | 'alg-none'
  | 'hs256-pem'
  | 'hs256-der'
  | 'hs256-jwk'
  | 'other-issuer'
  | 'same-keys-issuer'
  | 'jku'
  | 'jwk'
  | 'read'
  | 'read-legacy'
  | 'read-required'
  | 'write-denied'
  | 'write-denied-legacy'
  | 'mismatch'
  | 'unsupported'
  | 'burst';

export interface LimitsShown {
  /** Audit reasons of the requests that were answered with 429 and Retry-After. */
  reasons: ReadonlySet<string>;
  sent: number;
  /** Different people, and different clients, among the tokens. */
  subjects: number;
  clients: number;
  /** Which answer to the burst of requests was not as the rate limit demands; null when all were. */
  problem: string | null;
}

export interface ProbeContext {
  config: GateConfig;
  now(): number;
  /**
   * POST to `/mcp` of the staged endpoint. Rejects when the target does not resolve or does not answer. A 429 is waited
   * out once, unless `name` begins with `burst`.
   */
  mcp(name: string, ask: Ask): Promise<Answer>;
  /** The same from another address of this machine; null when the endpoint is reached from one address only. */
  mcpFromElsewhere(name: string, ask: Ask): Promise<Answer | null>;
  /** Addresses of this machine that the endpoint was reached from. */
  ownAddresses(): Promise<readonly string[]>;
  /** GET of another path there. */
  path(name: string, path: string): Promise<Answer>;
  /** POST to `/mcp`, or GET of another path, at every address of the target; in their order. */
  everywhere(name: string, ask: Ask | string): Promise<Answer[]>;
  /** Name of a tool that only reads and needs no argument. */
  readTool: string;
  /** What the endpoint says about its eras and tools. The profile `resource-server` goes by it. Asked once. */
  server(): Promise<ServerView>;
  /** Ends the sessions that the endpoint has opened for the gate. Resolves to how many got no answer to that. Never rejects. */
  endSessions(): Promise<number>;
  /** A tool call with the read token in which header and body agree: what the refusals are compared with. Sent once. */
  agreeing(): Promise<Answer>;
  /** Whether the name is in public DNS; asked once. */
  publication(): Promise<Publication>;
  /** Addresses of the target. Rejects when it has none, or when the name is published or may be. */
  addresses(): Promise<readonly Address[]>;
  /** PEM of a CA trusted in addition to the public ones. */
  ca: string | undefined;
  hub: Http;
  issuer(): Promise<IssuerView>;
  /** Makes tokens that must be refused, from the read token; its key is made once. */
  forger(): Promise<Forger>;
  /** What a burst with tokens shows of the limits; it is sent once. */
  limitsShown(): Promise<LimitsShown>;
  sent: Map<ProbeName, string>;
  /** Enabled routers of the hub, and the version that server/discover names, once known. */
  seen: { enabledRouters: number; endpointVersion: string };
  /** Reports the progress of a burst, after each answer. */
  onBurst: (sent: number, of: number) => void;
}
