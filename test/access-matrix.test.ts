// Every route × every actor, with the expectation from the pinned matrix: nobody writes an access test by hand.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Permission, permissions } from '#contract/access.ts';
import { api } from '#contract/index.ts';
import { Db } from '#kernel/sqlite/sqlite.ts';
import { root } from '../scripts/sources.ts';
import { type RawAnswer, type RawCall, raw } from './support/actors.ts';
import { enrolAgent } from './support/agents.ts';
import { type Lab, startLab } from './support/lab.ts';
import { browserAs } from './support/role-session.ts';
import { verifies } from './support/verifies.ts';

const roleActors = {
  'admin token': permissions,
  'admin session': permissions,
  'session without CSRF': permissions,
  'operator session': ['network.read', 'notes.write', 'alerts.write'],
  'viewer session': ['network.read'],
  // It holds every permission, and one more that is stored with it and not known here: it may do nothing.
  'odd identity': [],
} as const;
const strangers = [
  'nobody',
  'wrong token',
  'wrong token beside a session',
  'revoked identity',
  'Agent bearer in X-Admin-Token',
  'revoked Agent bearer',
] as const;

type Actor = 'Agent bearer' | keyof typeof roleActors | (typeof strangers)[number] | `identity ${Permission}`;

const actors: readonly Actor[] = [
  ...strangers,
  'Agent bearer',
  ...(Object.keys(roleActors) as (keyof typeof roleActors)[]),
  ...permissions.map((name) => `identity ${name}` as const),
];

interface Pinned {
  method: string;
  route: string;
  /** `open`, `signed-in`, `agent`, `can(p)` or `identity(p)`. */
  rule: string;
}

/** Let in, or refused with this status by the access decision. A handler's own refusal, such as a failed login, is in. */
type Outcome = 'in' | 401 | 403;

const refusals: Readonly<Record<string, Outcome>> = { unauthorized: 401, forbidden: 403, csrf_rejected: 403 };

const pinned: readonly Pinned[] = readFileSync(path.join(root, 'test/pins/permission-matrix.txt'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => {
    const [method = '', route = '', rule = ''] = line.split(/\s+/);
    return { method, route, rule };
  });

/** What a pinned rule means for an actor. */
function expectation({ method, rule }: Pinned, actor: Actor): Outcome {
  if (rule === 'open') {
    return 'in';
  }
  if (rule === 'agent' || actor === 'Agent bearer') {
    return rule === 'agent' && actor === 'Agent bearer' ? 'in' : 401;
  }
  if (strangers.some((stranger) => stranger === actor)) {
    return 401;
  }
  const isIdentity = actor.startsWith('identity ');
  const held: readonly string[] = isIdentity ? [actor.slice(9)] : roleActors[actor as keyof typeof roleActors];
  const [, kind, permission = ''] = /^(can|identity)\((.+)\)$/.exec(rule) ?? [];
  if (kind !== undefined && (!held.includes(permission) || (kind === 'identity' && !isIdentity))) {
    return 403;
  }
  return actor === 'session without CSRF' && method !== 'GET' ? 403 : 'in';
}

type Observed = (pin: Pinned, actor: Actor) => Outcome;

/** The actors of a route for whom it was otherwise than pinned. */
function differences(pin: Pinned, observed: Observed): string[] {
  return actors
    .filter((actor) => observed(pin, actor) !== expectation(pin, actor))
    .map((actor) => `${actor}: expected ${expectation(pin, actor)}, was ${observed(pin, actor)}`);
}

const key = ({ method, route }: Pinned, actor: Actor) => `${method} ${route} ${actor}`;

/** A call that is let in by its credential and changes nothing. */
function callOf({ method, route }: Pinned): RawCall {
  const isRead = method === 'GET';
  return {
    method: method as 'GET',
    path: route.replace(/:\w+/g, 'none'),
    ...(isRead ? {} : { headers: { 'content-type': 'application/json' }, body: '{"not a field":1}' }),
  };
}

function outcomeOf({ status, body }: RawAnswer): Outcome {
  const refusal = refusals[(body as { code?: string } | undefined)?.code ?? ''];
  if (refusal !== undefined && refusal !== status) {
    throw new Error(`${JSON.stringify(body)} came with ${status}`);
  }
  return refusal ?? 'in';
}

async function senders(lab: Lab<never>): Promise<Record<Actor, (call: RawCall) => Promise<RawAnswer>>> {
  const withHeaders = (extra: Record<string, string>) => (call: RawCall) =>
    raw(lab.url, { ...call, headers: { ...call.headers, ...extra } });
  const withToken = (token: string) => withHeaders({ 'x-admin-token': token });
  const [session, operator, viewer] = [
    await lab.as.browser(),
    await browserAs(lab, 'operator'),
    await browserAs(lab, 'viewer'),
  ];
  const [agent, revokedAgent] = [await enrolAgent(lab), await enrolAgent(lab)];
  await revokedAgent.client.agents.revokeSelf({ body: {} });
  const revoked = await lab.as.identity(permissions);
  await lab.as.admin.auth.revokeIdentity({ params: { id: revoked.id }, body: {} });
  const identities = await Promise.all(
    permissions.map(async (name) => [`identity ${name}`, withToken((await lab.as.identity([name])).token)] as const),
  );
  return {
    nobody: withHeaders({}),
    'wrong token': withToken('f'.repeat(48)),
    'wrong token beside a session': (call) =>
      session.send({ ...call, headers: { ...call.headers, 'x-admin-token': 'f'.repeat(64) } }),
    'revoked identity': withToken(revoked.token),
    'Agent bearer': withHeaders({ authorization: `Bearer ${agent.token}` }),
    'Agent bearer in X-Admin-Token': withToken(agent.token),
    'revoked Agent bearer': withHeaders({ authorization: `Bearer ${revokedAgent.token}` }),
    'admin token': withToken(lab.adminToken),
    'admin session': session.send,
    'session without CSRF': session.withoutCsrf,
    'operator session': operator.send,
    'viewer session': viewer.send,
    'odd identity': withToken(await oddIdentity(lab)),
    ...(Object.fromEntries(identities) as Record<`identity ${Permission}`, (typeof identities)[number][1]>),
  };
}

/** The token of an identity whose stored permissions have become one more than are known. */
async function oddIdentity(lab: Lab<never>): Promise<string> {
  const { id, token } = await lab.as.identity(permissions);
  const db = new Db(path.join(lab.dataDir, 'monitor.db'));
  await db.write((writer) =>
    writer
      .prepare('UPDATE api_identity SET permissions = ? WHERE id = ?')
      .run(JSON.stringify([...permissions, 'routers.reboot']), id),
  );
  await db.close();
  return token;
}

describe('every route for every actor', () => {
  const outcomes = new Map<string, Outcome>();
  const observed: Observed = (pin, actor) => {
    const outcome = outcomes.get(key(pin, actor));
    if (outcome === undefined) {
      throw new Error(`nobody asked ${key(pin, actor)}`);
    }
    return outcome;
  };
  const shared: { lab?: Lab<never> } = {};

  beforeAll(async () => {
    const lab = await startLab();
    shared.lab = lab;
    const send = await senders(lab);
    for (const pin of pinned) {
      for (const actor of actors) {
        outcomes.set(key(pin, actor), outcomeOf(await send[actor](callOf(pin))));
      }
    }
  });
  afterAll(() => shared.lab?.[Symbol.asyncDispose]());

  test('the pin holds exactly the routes of the contract, and all were asked', () => {
    const routes = Object.values(api).flatMap((table) => Object.values(table).map((r) => `${r.method} ${r.path}`));
    expect(pinned.map(({ method, route }) => `${method} ${route}`)).toEqual(routes);
    expect(outcomes.size).toBe(pinned.length * actors.length);
  });

  test.each(pinned)('$method $route is $rule', (pin) => {
    expect(differences(pin, observed)).toEqual([]);
  });

  test('the list of identities says whose permissions are not all known', async () => {
    const { identities } = (await shared.lab?.as.admin.auth.identities({})) ?? { identities: [] };
    const odd = identities.filter(({ permissionsValid }) => !permissionsValid);
    expect(odd.map((one) => one.permissions)).toEqual([[...permissions, 'routers.reboot']]);
  });

  /** The pinned row of a route, written `METHOD /path`. */
  function pinOf(route: string): Pinned {
    const pin = pinned.find((one) => `${one.method} ${one.route}` === route);
    if (!pin) {
      throw new Error(`the hub has no route ${route}`);
    }
    return pin;
  }

  /** Nobody, a wrong, a revoked and an Agent's credential are refused; the admin token and a session are let in. */
  function areProtected(...routes: readonly string[]): void {
    for (const route of routes) {
      const seen = [...strangers, 'admin token', 'admin session'].map((actor) =>
        observed(pinOf(route), actor as Actor),
      );
      expect([route, ...seen]).toEqual([route, ...strangers.map(() => 401), 'in', 'in']);
    }
  }

  function arePublic(...routes: readonly string[]): void {
    expect(routes.filter((route) => actors.some((actor) => observed(pinOf(route), actor) !== 'in'))).toEqual([]);
  }

  const routesOf = (...tables: readonly (keyof typeof api)[]) =>
    tables.flatMap((name) => Object.values(api[name]).map(({ method, path: at }) => `${method} ${at}`));

  verifies('rest.auth.all-others-need-credential', 'nobody is let in but where the list says so', () => {
    const routes = routesOf(...(Object.keys(api) as (keyof typeof api)[]));
    expect(routes.length).toBeGreaterThan(60);
    expect(routes.filter((route) => observed(pinOf(route), 'nobody') === 'in')).toEqual([
      // The web UI: one page without data, whatever the place.
      ...routesOf('front'),
      'POST /api/auth/login',
      'POST /api/admin/verify',
      'GET /api/auth/status',
      'GET /api/auth/methods',
      'GET /api/auth/oidc/start',
      'GET /api/auth/oidc/callback',
      'POST /api/agent/enrollment-requests',
      'POST /api/agent/enrollment-requests/claim',
      // What they may do stands in their signed token.
      'POST /api/alert-links/look',
      'POST /api/alert-links/act',
      'GET /healthz',
      'GET /readyz',
    ]);
    expect(routes.filter((route) => ![401, 'in'].includes(observed(pinOf(route), 'nobody')))).toEqual([]);
  });

  verifies('rest.access.scoped-identity rest.access.admin', 'an identity is let in by its own permission alone', () => {
    const administration = pinned.filter(({ rule }) => rule === 'can(auth.admin)');
    expect(administration.length).toBeGreaterThan(8);
    for (const pin of pinned) {
      const wanted = permissions.find((name) => pin.rule === `can(${name})`);
      const seen = permissions.map((name) => [name, observed(pin, `identity ${name}`)]);
      if (wanted !== undefined) {
        expect([pin.route, seen]).toEqual([pin.route, permissions.map((name) => [name, name === wanted ? 'in' : 403])]);
      }
    }
    for (const actor of ['operator session', 'viewer session'] as const) {
      expect(administration.filter((pin) => observed(pin, actor) !== 403)).toEqual([]);
    }
  });

  verifies(
    'rest.access.session-cookie rest.access.csrf',
    'the cookie reads, and changes with its CSRF token only',
    () => {
      const guarded = pinned.filter(({ rule }) => rule === 'signed-in' || rule.startsWith('can('));
      expect(guarded.filter((pin) => observed(pin, 'admin session') !== 'in')).toEqual([]);
      const without = guarded.filter((pin) => observed(pin, 'session without CSRF') === 'in');
      expect(without).toEqual(guarded.filter(({ method }) => method === 'GET'));
    },
  );

  verifies(
    'rest.identities.self-rejects-session rest.identities.self-rejects-legacy rest.identities.self-network-read',
    'only an identity that may read the network asks about itself',
    () => {
      const self = pinOf('GET /api/auth/api-identities/self');
      expect(actors.filter((actor) => observed(self, actor) === 'in')).toEqual(['identity network.read']);
      expect([observed(self, 'admin session'), observed(self, 'admin token')]).toEqual([403, 403]);
    },
  );

  verifies('rest.sessions.logout rest.sessions.list rest.sessions.revoke', 'are protected', () =>
    areProtected('POST /api/auth/logout', 'GET /api/auth/sessions', 'POST /api/auth/sessions/:id/revoke'),
  );
  verifies('rest.sessions.revoke-all rest.oidc.test rest.auth.audit-events', 'are protected', () =>
    areProtected('POST /api/auth/sessions/revoke-all', 'POST /api/auth/oidc/test', 'GET /api/auth/audit-events'),
  );
  verifies('rest.auth.change-password rest.auth.regenerate-token', 'are protected', () =>
    areProtected('POST /api/auth/change-password', 'POST /api/admin/regenerate-token'),
  );
  verifies(
    'rest.auth.security-config-read rest.auth.security-config-write rest.status.protected',
    'are protected',
    () => areProtected('GET /api/auth/security-config', 'POST /api/auth/security-config', 'GET /api/status'),
  );
  verifies(
    'rest.connections.list-protected rest.connections.memory-protected rest.connections.summary-protected',
    'are protected',
    () => areProtected('GET /api/connections', 'GET /api/connections/memory', 'GET /api/connections/summary'),
  );
  verifies(
    'rest.connections.new-nodes-protected rest.connections.threat-connections-protected rest.connections.threat-counts-protected',
    'are protected',
    () =>
      areProtected(
        ...['new-nodes', 'threat-connections', 'threat-counts'].map((name) => `GET /api/connections/${name}`),
      ),
  );
  verifies(
    'rest.connections.export-protected rest.access.legacy-token',
    'are protected, and the admin token opens',
    () => areProtected('GET /api/connections/export'),
  );
  verifies('rest.routers.all-protected rest.devices.all-protected', 'are protected, each route of them', () => {
    expect(routesOf('routers', 'devices', 'notes').length).toBeGreaterThan(18);
    areProtected(...routesOf('routers', 'devices', 'notes'));
  });
  verifies('rest.settings.all-protected', 'are protected, each route of them', () =>
    areProtected(...routesOf('config', 'threat', 'chat', 'detection', 'beacons')),
  );

  verifies(
    'rest.agents.bearer-not-elsewhere rest.access.agent-bearer-only-there rest.agents.bearer-routes',
    'the bearer of an Agent opens its six routes, in its own header, and no other credential opens these',
    () => {
      const opened = pinned.filter((pin) => pin.rule !== 'open' && observed(pin, 'Agent bearer') === 'in');
      expect(opened.map(({ method, route }) => `${method} ${route}`)).toEqual([
        'POST /api/agent/token/rotate',
        'POST /api/agent/registration/revoke',
        'POST /api/agent/ingest',
        'GET /api/agent/capabilities',
        'GET /api/agent/geo-cache',
        'GET /api/agent/threat-intel',
      ]);
      const others = actors.filter((actor) => opened.some((pin) => observed(pin, actor) === 'in'));
      expect(others).toEqual(['Agent bearer']);
      expect(
        pinned.filter((pin) => pin.rule !== 'open' && observed(pin, 'Agent bearer in X-Admin-Token') === 'in'),
      ).toEqual([]);
    },
  );
  verifies('rest.access.agent-bearer rest.agents.bearer-ingest-only', 'a revoked bearer opens nothing', () => {
    expect(pinned.filter((pin) => pin.rule !== 'open' && observed(pin, 'revoked Agent bearer') === 'in')).toEqual([]);
  });
  verifies(
    'rest.agents.list-admin rest.agents.metrics-admin rest.enrolment.list-pending',
    'are for administrators',
    () => {
      for (const route of routesOf('agents').filter((one) => one.includes('/api/agents'))) {
        expect([route, pinOf(route).rule]).toEqual([route, 'can(auth.admin)']);
      }
      areProtected('GET /api/agents', 'GET /api/agents/ingest-metrics', 'GET /api/agents/enrollment-requests');
    },
  );
  verifies('rest.enrolment.request-public rest.enrolment.claim-public', 'are public', () =>
    arePublic('POST /api/agent/enrollment-requests', 'POST /api/agent/enrollment-requests/claim'),
  );

  verifies('rest.login.public rest.auth.admin-verify-public rest.access.public', 'are public', () =>
    arePublic('POST /api/auth/login', 'POST /api/admin/verify'),
  );
  verifies('rest.auth.status rest.auth.methods', 'are public', () =>
    arePublic('GET /api/auth/status', 'GET /api/auth/methods'),
  );
  verifies('rest.oidc.start rest.oidc.callback', 'are public', () =>
    arePublic('GET /api/auth/oidc/start', 'GET /api/auth/oidc/callback'),
  );
  verifies('rest.health.live-public rest.health.ready-public', 'are public', () =>
    arePublic('GET /healthz', 'GET /readyz'),
  );

  test('any other rule of any one route would be noticed', () => {
    const rules = [
      'open',
      'signed-in',
      'agent',
      ...permissions.flatMap((name) => [`can(${name})`, `identity(${name})`]),
    ];
    const unnoticed = pinned.flatMap((pin) =>
      rules
        .filter((rule) => rule !== pin.rule && differences({ ...pin, rule }, observed).length === 0)
        .map((rule) => `${pin.method} ${pin.route}: ${pin.rule} could be ${rule}`),
    );
    expect(unnoticed).toEqual([]);
  });
});
