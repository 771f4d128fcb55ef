// Who may call a route: a closed union of five, and the permission names. `principal.ts` has the one switch on it.
// For its effect: every table of routes imports this file, so that no server answers with a code whose status it lacks.
import './errors.ts';

/**
 * Every permission an identity or a session can hold; `agent.ingest` only through an Agent bearer
 * (docs/reference/wire-contract/1-http-rules.md#15-credentials).
 */
export const permissions = [
  'network.read',
  'notes.write',
  'alerts.write',
  'ai.run',
  'settings.write',
  'backup.restore',
  'auth.admin',
  'audit.read',
] as const;

export type Permission = (typeof permissions)[number];

export type Access =
  | { who: 'open' }
  | { who: 'signed-in' }
  | { who: 'can'; permission: Permission }
  | { who: 'agent'; takesReplaced?: true }
  | { who: 'identity'; permission: Permission };

/** No credential asked. */
export const open: Access = { who: 'open' };
/** Any valid credential. */
export const signedIn: Access = { who: 'signed-in' };
export const can = (permission: Permission): Access => ({ who: 'can', permission });
export const agentOnly: Access = { who: 'agent' };
/** As `agentOnly`, and also the bearer that a rotation replaced, while the new one was not used. */
export const agentOrReplaced: Access = { who: 'agent', takesReplaced: true };
/** A scoped API identity that holds `permission`; browser sessions and the admin token are refused. */
export const identityOnly = (permission: Permission): Access => ({ who: 'identity', permission });

export function accessText(access: Access): string {
  return access.who === 'can' || access.who === 'identity' ? `${access.who}(${access.permission})` : access.who;
}
