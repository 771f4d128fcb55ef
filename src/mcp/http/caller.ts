// The authenticated caller, and the interface of the authentication modes.
import type { IncomingHttpHeaders } from 'node:http';
import type { ToolPermission } from '../tool.ts';
import type { Refusal } from './refusal.ts';

export interface Caller {
  /** Names of subject and client; outside this process they appear only as pseudonyms. */
  subject: string;
  client: string;
  granted: ReadonlySet<ToolPermission>;
}

export interface Authenticator {
  isPresented(headers: IncomingHttpHeaders): boolean;
  /** Validates the credential. Rejects with the reason of `signal` when that is aborted first. */
  authenticate(headers: IncomingHttpHeaders, signal: AbortSignal): Caller | Refusal | Promise<Caller | Refusal>;
  insufficient(): Refusal;
}

export function isRefusal(outcome: Caller | Refusal): outcome is Refusal {
  return 'status' in outcome;
}

/** The token of `Authorization: Bearer`; null without one. The scheme is case-insensitive (RFC 9110 §11.1). */
export function readBearer(headers: IncomingHttpHeaders): string | null {
  return /^bearer +([^\s]+)$/i.exec(headers.authorization ?? '')?.[1] ?? null;
}
