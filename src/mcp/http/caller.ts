// Who calls, once it is proved, and how a mode of authentication proves it.
import type { IncomingHttpHeaders } from 'node:http';
import type { ToolPermission } from '../tool.ts';
import type { Refusal } from './refusal.ts';

export interface Caller {
  /** Names of the subject and of its client; they leave the process as pseudonyms only. */
  subject: string;
  client: string;
  granted: ReadonlySet<ToolPermission>;
}

export interface Authenticator {
  /** Whether there is a credential to judge. */
  isPresented(headers: IncomingHttpHeaders): boolean;
  /** Rejects with the reason of `signal` when that is aborted first. */
  authenticate(headers: IncomingHttpHeaders, signal: AbortSignal): Caller | Refusal | Promise<Caller | Refusal>;
  /** The answer to a caller without the permission a tool needs. */
  insufficient(): Refusal;
}

export function isRefusal(outcome: Caller | Refusal): outcome is Refusal {
  return 'status' in outcome;
}

/** The token of `Authorization: Bearer`; null without one. The scheme's case does not matter (RFC 9110 §11.1). */
export function bearerOf(headers: IncomingHttpHeaders): string | null {
  return /^bearer +([^\s]+)$/i.exec(headers.authorization ?? '')?.[1] ?? null;
}
