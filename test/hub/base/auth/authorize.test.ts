// The decision who may call: every rule for every credential, what each use leaves, and that a failed note lets pass.
import { expect, test } from 'vitest';
import { type Access, agentOnly, agentOrReplaced, can, identityOnly, open, signedIn } from '#contract/access.ts';
import { limits } from '#contract/limits.ts';
import { createCookies } from '#hub/base/auth/cookies.ts';
import { createFirstToken } from '#hub/base/auth/credentials/first-token.ts';
import {
  type Credentials,
  createAuthorize,
  requireOwnPage,
  requireStillValid,
  type SignedIn,
} from '#hub/base/auth/principal.ts';
import { createAgentRegistry } from '#hub/collect/agents/registry.ts';
import { AppError } from '#kernel/errors.ts';
import type { RequestFacts } from '#kernel/http/request-facts.ts';
import type { Cookie } from '#kernel/http/route.ts';
import { hashToken } from '#kernel/text/secret.ts';
import { readAuditPage } from '../../../support/audit-page.ts';
import { type AuthDesk, openAuthDesk, requestOf } from '../../../support/auth-desk.ts';

const bearer = (digit: string) => `svca_${digit.repeat(64)}`;

/** A hub with an admin token, an Agent whose bearer 1 was rotated to 2, and a session and an identity. */
async function startDesk(desk: AuthDesk) {
  const { db, clock, signals, document, sessions, identities, audit, log } = desk;
  document.update((all) => ({ ...all, adminTokenHash: hashToken('the admin token') }));
  const agents = createAgentRegistry({ db, clock, steadyClock: clock, settings: document, signals });
  await db.write((writer) =>
    writer
      .prepare(
        `INSERT INTO agent (agent_id, platform, host_name, os_version, agent_version, token_hash, previous_hash, rotated_at,
           created_at, updated_at) VALUES ('a', 'linux', 'desk', '1', '1', ?, ?, ?, 1, 1)`,
      )
      .run(agents.hashOf('bearer', bearer('2')), agents.hashOf('bearer', bearer('1')), clock.now()),
  );
  const failed: unknown[] = [];
  const known: Credentials = {
    ...{ document, sessions, identities, agents, audit },
    cookies: createCookies({ alwaysSecure: false, path: '/' }),
    firstToken: createFirstToken(`${desk.folder}/initial-admin-token`, document, log),
    publicOrigin: () => null,
    failed: (error) => failed.push(error),
  };
  const about = {
    authMethod: 'oidc',
    role: 'operator',
    subject: 'me',
    deviceLabel: null,
    userAgent: null,
    address: null,
  } as const;
  const session = await sessions.open(about, () => undefined);
  const wanted = { label: 'x', permissions: ['network.read'], expiresInMs: 3_600_000 } as const;
  const { token: identity } = await identities.create(wanted, () => undefined);
  return { known, failed, session, identity, authorize: createAuthorize(() => known) };
}

const ask = (headers: Record<string, string>, cookie?: string): RequestFacts =>
  requestOf({ method: 'GET', headers, cookies: cookie === undefined ? {} : { monitor_session: cookie } });

test('each rule lets in whom it names, and says to the others what they lack', async () => {
  await using desk = openAuthDesk();
  const { authorize, session, identity } = await startDesk(desk);
  const callers = {
    nobody: ask({}),
    wrong: ask({ 'x-admin-token': 'wrong' }, session.token),
    old: ask({}, 'wrong'),
    admin: ask({ 'x-admin-token': 'the admin token' }, session.token),
    session: ask({ 'x-admin-token': session.token }),
    cookie: ask({}, session.token),
    identity: ask({ 'x-admin-token': identity }),
    agent: ask({ authorization: `bearer ${bearer('2').toUpperCase()}` }),
    stranger: ask({ authorization: `Bearer ${bearer('3')}` }),
  };
  const none = 'unauthorized this needs a credential:';
  const ended = 'unauthorized the credential of this request is not valid, or has ended:';
  const lacks = (name: string) =>
    `forbidden this credential does not hold the permission ${name}, which this path needs`;
  const alone = 'forbidden this is for API identities alone: send the token of one (svc_…) in X-Admin-Token';
  const noBearer = 'unauthorized this needs the bearer of an Agent: Authorization: Bearer svca_…';
  const strange = 'unauthorized this bearer is of no Agent of this hub';
  const [in_, without] = [
    { admin: 'admin', session: 'session', cookie: 'session' },
    { nobody: none, wrong: ended, old: ended },
  ];
  const bearers = { agent: none, stranger: none };
  const expected: [Access, Record<keyof typeof callers, string>][] = [
    [signedIn, { ...without, ...in_, identity: 'identity', ...bearers }],
    [can('network.read'), { ...without, ...in_, identity: 'identity', ...bearers }],
    [can('notes.write'), { ...without, ...in_, identity: lacks('notes.write'), ...bearers }],
    [
      can('auth.admin'),
      {
        ...{ ...without, admin: 'admin', session: lacks('auth.admin'), cookie: lacks('auth.admin') },
        ...{ identity: lacks('auth.admin'), ...bearers },
      },
    ],
    [
      identityOnly('network.read'),
      { ...without, admin: alone, session: alone, cookie: alone, identity: 'identity', ...bearers },
    ],
    [
      identityOnly('notes.write'),
      { ...without, admin: alone, session: alone, cookie: alone, identity: lacks('notes.write'), ...bearers },
    ],
    [
      agentOnly,
      {
        ...{ nobody: noBearer, wrong: noBearer, old: noBearer, admin: noBearer, session: noBearer, cookie: noBearer },
        ...{ identity: noBearer, agent: 'agent', stranger: strange },
      },
    ],
  ];
  for (const [access, outcomes] of expected) {
    for (const [name, request] of Object.entries(callers)) {
      const outcome = outcomes[name as keyof typeof callers];
      const decided = decide(() => authorize(request, access, () => undefined)).slice(0, outcome.length);
      expect([access, name, decided]).toEqual([access, name, outcome]);
      expect(authorize(request, open, () => undefined)).toEqual({ who: 'nobody' });
    }
  }
  const before = createAuthorize(() => undefined);
  expect(decide(() => before(callers.admin, signedIn, () => undefined))).toMatch(/^auth_not_initialised/);
  const denied = (await readAuditPage(desk, { limit: 500 })).events.filter(
    ({ eventType }) => eventType === 'permission_denied',
  );
  expect(denied.every(({ metadata }) => typeof metadata?.needs === 'string')).toBe(true);
});

function decide(work: () => { who: string }): string {
  try {
    return work().who;
  } catch (error) {
    if (!(error instanceof AppError)) {
      throw error;
    }
    return `${error.code} ${error.message}`;
  }
}

test('the bearer that was replaced opens all for a while, and then nothing but a rotation', async () => {
  await using desk = openAuthDesk();
  const { authorize } = await startDesk(desk);
  const old = ask({ authorization: `Bearer ${bearer('1')}` });
  const with_ = (access: Access) => decide(() => authorize(old, access, () => undefined));
  desk.clock.skip(limits.agentRotationGraceMs - 1);
  expect([with_(agentOnly), with_(agentOrReplaced)]).toEqual(['agent', 'agent']);
  desk.clock.skip(1);
  expect([with_(agentOnly), with_(agentOrReplaced)]).toEqual([
    expect.stringMatching(/^unauthorized this bearer was replaced by a newer one/),
    'agent',
  ]);
  authorize(old, open, () => undefined);
  expect(decide(() => authorize(ask({}), agentOnly, () => undefined))).toMatch(/^unauthorized/);
  const { events } = await readAuditPage(desk, { limit: 10 });
  expect(
    events.map(({ eventType, outcome, authMethod, actorHash, metadata }) => [
      ...[eventType, outcome, authMethod, actorHash !== null, metadata?.reason],
    ]),
  ).toEqual([
    ['agent_authentication', 'failure', 'agent-token', false, 'none'],
    ['agent_authentication', 'failure', 'agent-token', true, 'rotated-out'],
  ]);
});

test('a use renews the cookies of a session that came with one, and notes that of an identity', async () => {
  await using desk = openAuthDesk();
  const { authorize, session, identity, known } = await startDesk(desk);
  const kept: Cookie[] = [];
  const use = (request: RequestFacts) => {
    authorize(request, signedIn, (cookie) => kept.push(cookie));
    return kept.splice(0).map(({ name, value, maxAgeMs }) => [name, value, maxAgeMs]);
  };
  const month = 30 * 86_400_000;
  const later = async () => {
    await desk.db.write(() => undefined);
    desk.clock.skip(limits.sessionRefreshMs);
  };
  const withCsrf = (value: string) =>
    requestOf({ method: 'GET', cookies: { monitor_session: session.token, monitor_csrf: value } });
  expect(use(withCsrf(session.csrfToken))).toEqual([]);
  await later();
  expect(use(withCsrf(session.csrfToken))).toEqual([
    ['monitor_session', session.token, month],
    ['monitor_csrf', session.csrfToken, month],
  ]);
  await later();
  expect(use(withCsrf('of another session'))).toEqual([['monitor_session', session.token, month]]);
  await later();
  expect(use(ask({}, session.token))).toEqual([['monitor_session', session.token, month]]);
  await later();
  expect(use(ask({ 'x-admin-token': session.token }, session.token))).toEqual([]);
  await later();
  const found = known.identities.find(identity);
  expect(found && [known.identities.touch(found) === null, known.identities.touch(found)]).toEqual([false, null]);
  await later();
  use(ask({ 'x-admin-token': identity }));
  await later();
  const lastUsedAt = desk.clock.now() - limits.sessionRefreshMs;
  expect(known.identities.list()).toMatchObject([{ lastUsedAt }]);
  expect(known.sessions.list()).toMatchObject([{ lastSeenAt: lastUsedAt - 2 * limits.sessionRefreshMs }]);
});

test('a use that cannot be noted lets the request pass, and the failure is told', async () => {
  await using desk = openAuthDesk();
  const { authorize, session, identity, failed } = await startDesk(desk);
  desk.clock.skip(limits.sessionRefreshMs);
  await desk.db.write((writer) => {
    for (const table of ['session', 'api_identity', 'agent']) {
      writer
        .prepare(`CREATE TRIGGER refuse_${table} BEFORE UPDATE ON ${table} BEGIN SELECT RAISE(ABORT, '${table}'); END`)
        .run();
    }
  });
  expect(authorize(ask({}, session.token), signedIn, () => undefined).who).toBe('session');
  expect(authorize(ask({ 'x-admin-token': identity }), signedIn, () => undefined).who).toBe('identity');
  expect(authorize(ask({ authorization: `Bearer ${bearer('2')}` }), agentOnly, () => undefined).who).toBe('agent');
  await desk.db.write(() => undefined);
  await new Promise((resolve) => setImmediate(resolve));
  expect(failed.map((error) => (error as Error).message).toSorted()).toEqual(['agent', 'api_identity', 'session']);
});

test('a credential that has ended is refused where it is asked for again; a foreign page may not even read', async () => {
  await using desk = openAuthDesk();
  const { authorize, session, identity, known } = await startDesk(desk);
  const requests = [
    ask({}, session.token),
    ask({ 'x-admin-token': identity }),
    ask({ authorization: `Bearer ${bearer('2')}` }),
  ] as const;
  const principals = requests.map((request, index) =>
    authorize(request, index === 2 ? agentOnly : signedIn, () => undefined),
  );
  const outcomes = () =>
    principals.map((principal, index) =>
      decide(() => {
        requireStillValid(known, requests[index] as RequestFacts, principal);
        return { who: 'still' };
      }).slice(0, 12),
    );
  expect(outcomes()).toEqual(['still', 'still', 'still']);
  requireStillValid(known, ask({}), { who: 'nobody' });
  await known.sessions.revokeAll({});
  const id = known.identities.list()[0]?.id ?? '';
  expect([await known.identities.revoke(id), await known.identities.revoke(id)]).toEqual([true, false]);
  expect(desk.ended.filter((credential) => credential === `identity:${id}`)).toHaveLength(1);
  await desk.db.write((writer) => void writer.prepare('UPDATE agent SET revoked_at = 1').run());
  expect(outcomes()).toEqual(['unauthorized', 'unauthorized', 'unauthorized']);

  const foreign = { ...requests[0], headers: { 'sec-fetch-site': 'same-site' } };
  const read = (request: RequestFacts, principal: unknown) =>
    decide(() => {
      requireOwnPage(known, request, principal as SignedIn);
      return { who: 'read' };
    });
  expect(read(requests[0], principals[0])).toBe('read');
  expect(read(foreign, principals[1])).toBe('read');
  expect(read(foreign, { ...principals[0], through: 'header' })).toBe('read');
  expect(read(foreign, principals[0])).toMatch(/^csrf_rejected/);
  const { events } = await readAuditPage(desk, { limit: 1 });
  expect(events).toMatchObject([{ eventType: 'csrf_rejected', outcome: 'failure', metadata: { reason: 'origin' } }]);
});
