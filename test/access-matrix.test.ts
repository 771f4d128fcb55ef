// Every route × every actor, with the expectation from the pinned matrix: nobody writes an access test by hand.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Permission, permissions } from '#contract/access.ts';
import { api } from '#contract/index.ts';
import { Db } from '#kernel/sqlite.ts';
import { root } from '../scripts/sources.ts';
import { type RawAnswer, type RawCall, raw } from './support/actors.ts';
import { type Lab, startLab } from './support/lab.ts';
import { browserAs } from './support/role-session.ts';
import { verifies } from './support/verifies.ts';

const roleActors = {
  'admin token': permissions,
  'admin session': permissions,
  'session without CSRF': permissions,
  'operator session': ['network.read', 'notes.write'],
  'viewer session': ['network.read'],
  // It holds every permission, and one more that is stored with it and not known here: it may do nothing.
  'odd identity': [],
} as const;
const strangers = [
  'nobody',
  'wrong token',
  'wrong token beside a session',
  'revoked identity',
  'Agent bearer',
] as const;

type Actor = keyof typeof roleActors | (typeof strangers)[number] | `identity ${Permission}`;

const actors: readonly Actor[] = [
  ...strangers,
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
  if (strangers.some((stranger) => stranger === actor) || rule === 'agent') {
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
    'Agent bearer': withHeaders({ authorization: `Bearer svca_${'a'.repeat(64)}` }),
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
  const observed: Observed = (pin, actor) => outcomes.get(key(pin, actor)) ?? 'in';
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

  verifies(
    'rest.access.scoped-identity rest.access.session-cookie rest.access.csrf rest.access.admin rest.auth.all-others-need-credential rest.identities.self-rejects-session rest.identities.self-rejects-legacy rest.identities.self-network-read',
    'all routes are as pinned',
    () => {
      const wrong = pinned.flatMap((pin) => differences(pin, observed));
      expect(wrong).toEqual([]);
      expect(pinned.filter(({ rule }) => rule === 'open').map(({ method, route }) => `${method} ${route}`)).toEqual([
        'GET /',
        'POST /api/auth/login',
        'POST /api/admin/verify',
        'GET /api/auth/status',
        'GET /api/auth/methods',
        'GET /api/auth/oidc/start',
        'GET /api/auth/oidc/callback',
        'GET /healthz',
        'GET /readyz',
      ]);
    },
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
