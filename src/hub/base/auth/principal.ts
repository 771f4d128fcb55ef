// Identifies the caller of a request, and decides by the access rule of the route. Denies by default.
import { type Access, type Permission, permissions } from '#contract/access.ts';
import type { Role } from '#contract/auth-records.ts';
import { credentialHelp } from '#contract/front.ts';
import { AppError } from '#kernel/errors.ts';
import type { RequestFacts } from '#kernel/http/request-facts.ts';
import type { Cookie } from '#kernel/http/route.ts';
import { matchesHash } from '#kernel/text/secret.ts';
import type { SettingsDocument } from '../settings/document.ts';
import type { CredentialName } from '../signals.ts';
import type { AgentBearers, PresentedBearer, StoredAgent } from './agent-bearer.ts';
import type { Actor, AuditTrail } from './audit.ts';
import type { Cookies } from './cookies.ts';
import type { FirstToken } from './credentials/first-token.ts';
import { grantedPermissions, type Identities, type Identity } from './credentials/identities.ts';
import { forgeryIn, isForeignPage } from './csrf.ts';
import { ownsCsrfToken, type Sessions, type StoredSession } from './sessions.ts';

interface Holder {
  readonly permissions: ReadonlySet<Permission>;
  /** What the signal `credentialRevoked` says when this credential ends. */
  readonly credential: CredentialName;
}

export type SignedIn =
  /** The legacy admin token grants every permission. */
  | (Holder & { who: 'admin' })
  | (Holder & { who: 'session'; session: StoredSession; through: 'cookie' | 'header' })
  | (Holder & { who: 'identity'; identity: Identity });

/** An Agent, by its bearer. Its only permission is `agent.ingest`, which no other route asks for. */
export interface AgentPrincipal {
  who: 'agent';
  agent: StoredAgent;
  /** Hashes of the bearer that was presented and of the one that was valid then: a rotation compares both. */
  presented: PresentedBearer;
  credential: CredentialName;
}

export type Principal = { who: 'nobody' } | SignedIn | AgentPrincipal;

/** What the decision needs from authentication. */
export interface Credentials {
  document: SettingsDocument;
  sessions: Sessions;
  identities: Identities;
  agents: AgentBearers;
  cookies: Cookies;
  firstToken: Pick<FirstToken, 'noteUse'>;
  audit: AuditTrail;
  /** Scheme, host and port at which browsers see the hub, where that is known. */
  publicOrigin: () => string | null;
  /** Called with failures of background work. */
  failed: (error: unknown) => void;
}

const all: ReadonlySet<Permission> = new Set(permissions);

/** What a role may do (docs/reference/wire-contract/1-http-rules.md#15-credentials). */
const permissionsByRole: Record<Role, ReadonlySet<Permission>> = {
  viewer: new Set(['network.read']),
  operator: new Set(['network.read', 'notes.write', 'alerts.write']),
  admin: all,
};

/** The decision for every request of the API; throws AppError 401, 403, or 503 before a token exists. */
export function createAuthorize(credentials: () => Credentials | undefined) {
  return (request: RequestFacts, access: Access, keep: (cookie: Cookie) => void): Principal => {
    if (access.who === 'open') {
      return { who: 'nobody' };
    }
    const known = credentials();
    if (!known?.document.current().adminTokenHash) {
      throw new AppError('auth_not_initialised', 'the hub is still starting: try again in a moment');
    }
    if (access.who === 'agent') {
      return requireAgent(known, request, access.takesReplaced ?? false);
    }
    const principal = identify(known, request);
    if (principal === null) {
      throw new AppError('unauthorized', `${withoutCredential(known, request)}: ${credentialHelp}`);
    }
    requireAccess(known, request, access, principal);
    noteUse(known, request, principal, keep);
    return principal;
  };
}

function withoutCredential({ cookies }: Credentials, request: RequestFacts): string {
  const isGiven = request.headers['x-admin-token'] !== undefined || cookies.session(request) !== undefined;
  return isGiven ? 'the credential of this request is not valid, or has ended' : 'this needs a credential';
}

/** The caller; null for nobody. A request with an invalid header is refused even when its cookie is valid. */
export function identify(known: Credentials, request: RequestFacts): SignedIn | null {
  const header = request.headers['x-admin-token'];
  if (header !== undefined) {
    return typeof header === 'string' ? byHeader(known, header) : null;
  }
  const cookie = known.cookies.session(request);
  const session = cookie ? known.sessions.find(cookie) : null;
  return session && bySession(session, 'cookie');
}

/** The Agent whose bearer the request has; null for none. Other credentials are ignored here. */
export function identifyAgent({ agents }: Credentials, request: RequestFacts): AgentPrincipal | null {
  const [, token] = /^Bearer (svca_[0-9a-f]{64})$/i.exec(request.headers.authorization ?? '') ?? [];
  const found = token === undefined ? null : agents.find(token.toLowerCase());
  return found && { who: 'agent', ...found, credential: `agent:${found.agent.agentId}` };
}

/** After its time of grace a replaced bearer is accepted only for another rotation (`takesReplaced`). */
function requireAgent(known: Credentials, request: RequestFacts, takesReplaced: boolean): AgentPrincipal {
  const principal = identifyAgent(known, request);
  if (principal === null || (principal.presented.rotatesOnly && !takesReplaced)) {
    const given = request.headers.authorization === undefined ? 'none' : principal ? 'rotated-out' : 'invalid';
    known.audit.note({
      type: 'agent_authentication',
      outcome: 'failure',
      request,
      by: principal ? toActor(principal) : { method: 'agent-token', actor: null, credential: null },
      metadata: { reason: given },
    });
    throw new AppError('unauthorized', agentHelp[given], { headers: { 'WWW-Authenticate': 'Bearer' } });
  }
  known.agents.noteUse(principal)?.catch(known.failed);
  return principal;
}

const agentHelp = {
  none: 'this needs the bearer of an Agent: Authorization: Bearer svca_…',
  invalid: 'this bearer is of no Agent of this hub, or was revoked: retry later, and enrol again only when told to',
  'rotated-out': 'this bearer was replaced by a newer one: use that, or rotate again with this one',
} as const;

/**
 * Throws AppError `unauthorized` when the credential of the request has ended since. Call it in the same synchronous step as
 * a change that outlives the answer, such as a new credential.
 */
export function requireStillValid(known: Credentials, request: RequestFacts, principal: Principal): void {
  if (principal.who === 'nobody') {
    return;
  }
  const now = principal.who === 'agent' ? identifyAgent(known, request) : identify(known, request);
  if (now?.credential !== principal.credential) {
    throw new AppError('unauthorized', 'the credential of this request ended in the meantime: log in again');
  }
}

/** Session, then admin token, then identity. */
function byHeader(known: Credentials, token: string): SignedIn | null {
  const session = known.sessions.find(token);
  if (session) {
    return bySession(session, 'header');
  }
  const { adminTokenHash } = known.document.current();
  if (adminTokenHash !== null && matchesHash(token, adminTokenHash)) {
    return { who: 'admin', permissions: all, credential: 'admin-token' };
  }
  const identity = known.identities.find(token);
  return (
    identity && {
      who: 'identity',
      identity,
      permissions: grantedPermissions(identity),
      credential: `identity:${identity.id}`,
    }
  );
}

function bySession(session: StoredSession, through: 'cookie' | 'header'): SignedIn {
  const { id, role } = session;
  return { who: 'session', session, through, permissions: permissionsByRole[role], credential: `session:${id}` };
}

function requireAccess(known: Credentials, request: RequestFacts, access: Access, principal: SignedIn): void {
  if (!allows(access, principal)) {
    const metadata = access.who === 'can' || access.who === 'identity' ? { needs: access.permission } : {};
    known.audit.note({ type: 'permission_denied', outcome: 'failure', request, by: toActor(principal), metadata });
    throw new AppError('forbidden', reasonAgainst(access, principal));
  }
  if (principal.who !== 'session' || principal.through !== 'cookie') {
    return;
  }
  const reason = forgeryIn(known, request, principal.session);
  if (reason !== null) {
    known.audit.note({
      type: 'csrf_rejected',
      outcome: 'failure',
      request,
      by: toActor(principal),
      metadata: { reason },
    });
    throw new AppError(
      'csrf_rejected',
      'this change did not come from the page of this hub: send X-CSRF-Token, or reload',
    );
  }
}

function reasonAgainst(access: Access, principal: SignedIn): string {
  if (access.who === 'identity' && principal.who !== 'identity') {
    return 'this is for API identities alone: send the token of one (svc_…) in X-Admin-Token';
  }
  return access.who === 'can' || access.who === 'identity'
    ? `this credential does not hold the permission ${access.permission}, which this path needs`
    : 'this credential may not be used here';
}

/** Refuses a cookie that a page of another origin sent, also for reading. For answers that stay open, such as streams. */
export function requireOwnPage(known: Credentials, request: RequestFacts, principal: SignedIn): void {
  if (principal.who !== 'session' || principal.through !== 'cookie' || !isForeignPage(request, known.publicOrigin())) {
    return;
  }
  const metadata = { reason: 'origin' };
  known.audit.note({ type: 'csrf_rejected', outcome: 'failure', request, by: toActor(principal), metadata });
  throw new AppError('csrf_rejected', 'this is for the page of this hub alone: open it from there');
}

function allows(access: Access, principal: SignedIn): boolean {
  switch (access.who) {
    case 'open':
    case 'signed-in':
      return true;
    case 'can':
      return principal.permissions.has(access.permission);
    case 'identity':
      return principal.who === 'identity' && principal.permissions.has(access.permission);
    case 'agent':
      return false;
  }
}

function noteUse(known: Credentials, request: RequestFacts, principal: SignedIn, keep: (cookie: Cookie) => void): void {
  if (principal.who === 'identity') {
    known.identities.touch(principal.identity)?.catch(known.failed);
  }
  if (principal.who === 'admin') {
    known.firstToken.noteUse();
  }
  if (principal.who !== 'session') {
    return;
  }
  const renewed = known.sessions.renew(principal.session);
  renewed?.saved.catch(known.failed);
  const token = known.cookies.session(request);
  if (renewed && principal.through === 'cookie' && token !== undefined) {
    const csrf = known.cookies.csrf(request);
    const csrfToken = csrf !== undefined && ownsCsrfToken(principal.session, csrf) ? csrf : undefined;
    known.cookies.keep(request, { token, csrfToken }, renewed.remainingMs).forEach(keep);
  }
}

/** How the audit trail names a principal. */
export function toActor(principal: Principal): Actor {
  switch (principal.who) {
    case 'nobody':
      return { method: null, actor: null, credential: null };
    case 'admin':
      return { method: 'api-token', actor: 'admin-token', credential: principal.credential };
    case 'agent':
      return { method: 'agent-token', actor: `agent:${principal.agent.agentId}`, credential: principal.credential };
    case 'session': {
      const { authMethod, subject } = principal.session;
      return { method: authMethod, actor: subject ?? 'local-admin', credential: principal.credential };
    }
    case 'identity':
      return { method: 'api-identity', actor: principal.identity.id, credential: principal.credential };
  }
}

/** How people read who acted: the label of a session or identity. The audit trail has pseudonyms instead. */
export function nameActor(principal: Principal): string {
  switch (principal.who) {
    case 'session':
      return principal.session.deviceLabel ?? (principal.session.subject === null ? 'local-admin' : 'oidc');
    case 'identity':
      return principal.identity.label;
    case 'admin':
      return 'admin-token';
    default:
      return principal.who;
  }
}
