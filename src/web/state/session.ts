// Who is signed in, and what they may do.
import { signal } from '@preact/signals';
import type { Permission } from '#contract/access.ts';
import { type ApiError, ask, onSignedOut, type Reply, toApiError } from '../api/client.ts';

type Status = Reply<'GET /api/auth/status'>;

/** `unknown` until the hub has answered; `unreachable` while it does not. */
export type Session =
  | { state: 'unknown' | 'unreachable' | 'out' }
  | { state: 'in'; permissions: readonly Permission[] };

export const session = signal<Session>({ state: 'unknown' });
/** The ways to log in that the hub offers. */
export const methods = signal<Pick<Status, 'localLoginEnabled' | 'oidcEnabled'> | null>(null);

let holds = 0;

onSignedOut.listener = () => {
  if (holds === 0) {
    session.value = { state: 'out' };
  }
};

/** Keeps the page when the session ends, as a restore does before its result is read. The returned function ends that. */
export function keepPage(): () => void {
  holds += 1;
  return () => {
    holds -= 1;
  };
}

/** Whether somebody holds the page: what it asks for would be refused. */
export function isPageKept(): boolean {
  return holds > 0;
}

export async function readSession(): Promise<void> {
  try {
    const status = await ask('GET /api/auth/status', {});
    methods.value = status;
    session.value = status.authenticated ? { state: 'in', permissions: status.permissions } : { state: 'out' };
  } catch {
    session.value = { state: 'unreachable' };
  }
}

/** Resolves to null when logged in, or to the error. */
export async function signIn(password: string): Promise<ApiError | null> {
  try {
    await ask('POST /api/auth/login', { body: { password } });
  } catch (error) {
    return toApiError(error);
  }
  await readSession();
  return null;
}

export async function signOut(): Promise<void> {
  try {
    await ask('POST /api/auth/logout', { body: {} });
  } finally {
    session.value = { state: 'out' };
  }
}

export function may(permission: Permission): boolean {
  return session.value.state === 'in' && session.value.permissions.includes(permission);
}
