// 10,000 generated bad requests over all routes, in `npm test` 2,500 of other ones each time: never a 5xx, always the error shape and an id, nothing changed.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { api } from '#contract/index.ts';
import type { RouteDefinition } from '#kernel/http/route.ts';
import { parsePart } from '#kernel/http/validate.ts';
import { Db } from '#kernel/sqlite/sqlite.ts';
import { type RawAnswer, type RawCall, raw } from '../support/actors.ts';
import { type Lab, startLab } from '../support/lab.ts';
import { budget, runs } from '../support/property-runs.ts';
import { verifies } from '../support/verifies.ts';

const [share, whole] = [1500, 10_000];
const count = runs(share, whole);
const atOnce = 25;
const seed = Number(process.env.HOSTILE_SEED ?? process.hrtime.bigint() % 1_000_000n);
console.info(`hostile requests seed ${seed} (HOSTILE_SEED repeats it)`);

const routes: readonly RouteDefinition<unknown>[] = Object.values(api).flatMap((table) => Object.values(table));

/** Every name a body or a query of the API has, and some that none has. */
const names = [
  ...new Set(
    routes.flatMap(({ body, query }) => [...Object.keys(body?.shape ?? {}), ...Object.keys(query?.shape ?? {})]),
  ),
  '__proto__',
  'constructor',
  'toString',
  'not a field',
  '',
];

const oddText = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc.string({ maxLength: 40, unit: 'binary' }),
  fc.constantFrom('\ud800', '\0', "'; DROP TABLE session; --", '../../etc/passwd', '%00', '\u202e', 'NaN'),
  fc.constant('x'.repeat(5000)),
);
const oddValue = fc.oneof(
  oddText,
  fc.constantFrom(null, true, -1, 0, 1.5, 1e308, 2 ** 53, [], {}, [[]], [null], { length: 1 }),
  fc.jsonValue({ maxDepth: 2 }),
);
const deep = (open: string, close: string) =>
  fc.integer({ min: 1, max: 1000 }).map((n) => open.repeat(n) + close.repeat(n));

/** Objects with the fields of `route`, and values that are mostly wrong for them. */
function bodyFor(route: RouteDefinition<unknown>): fc.Arbitrary<string> {
  const own = Object.keys(route.body?.shape ?? {});
  const name = fc.oneof(fc.constantFrom(...names), fc.constantFrom(...(own.length > 0 ? own : names)));
  const members = fc.array(fc.tuple(name, oddValue), { maxLength: 6 });
  return fc.oneof(
    {
      weight: 6,
      arbitrary: members.map((all) => `{${all.map(([n, v]) => `${JSON.stringify(n)}:${JSON.stringify(v)}`)}}`),
    },
    { weight: 2, arbitrary: fc.json({ maxDepth: 4 }) },
    { weight: 1, arbitrary: members.map((all) => JSON.stringify(all).slice(0, -1)) },
    { weight: 1, arbitrary: fc.oneof(deep('[', ']'), deep('{"a":', '}'), oddText) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        '',
        'NaN',
        '[1,]',
        '// x\n{}',
        "{'a':1}",
        '{"a":1,"a":2}',
        '{"a":01}',
        '\ufeff{}',
        '{}{}',
      ),
    },
    { weight: 1, arbitrary: fc.integer({ min: 65_530, max: 70_000 }).map((n) => `"${'x'.repeat(n)}"`) },
  );
}

const id = fc.oneof(
  fc.constantFrom('none', '0', '-1', '1e3', '..', '%2e%2e', '%00', '%', '%ff', 'a'.repeat(64), 'a'.repeat(300), "'--"),
  oddText.map((text) => encodeURIComponent(text.replace(/\p{Cs}/gu, '?')).slice(0, 100) || 'none'),
);
const query = fc.array(
  fc.tuple(
    fc.constantFrom(...names),
    oddText.map((text) => text.slice(0, 200)),
  ),
  { maxLength: 3 },
);
const types = ['application/json', 'application/json; charset=utf-16', 'text/plain', 'multipart/form-data', 'x', ''];
const headers = fc.record(
  {
    'content-type': fc.oneof({ weight: 12, arbitrary: fc.constant('application/json') }, fc.constantFrom(...types)),
    'content-encoding': fc.constantFrom('', '', '', '', '', '', 'gzip', 'br', 'nonsense'),
    'x-request-id': fc.constantFrom('', 'ok-1', '-bad', 'a'.repeat(65), '{}'),
    cookie: fc.constantFrom('', ';;;=', 'monitor_session', 'monitor_session=%E0%A4%A', `a=${'b'.repeat(3000)}`),
    'x-csrf-token': fc.constantFrom('', 'a', 'f'.repeat(64)),
    origin: fc.constantFrom('null', 'https://evil.example', ':', ''),
    accept: fc.constantFrom('*/*', 'application/json', ''),
    'x-forwarded-for': fc.constantFrom('1.2.3.4', '::', ',,,', 'x'),
    host: fc.constantFrom('evil.example', 'localhost:99999', '[::1]'),
  },
  { requiredKeys: ['content-type'] },
);
const who = fc.constantFrom('admin', 'admin', 'admin', 'nobody', 'wrong');

interface Hostile {
  who: 'admin' | 'nobody' | 'wrong';
  call: RawCall;
}

const hostile: fc.Arbitrary<Hostile> = fc.constantFrom(...routes).chain((route) =>
  fc.record({ who, id, query, headers, body: bodyFor(route) }).map(({ who: sender, body, ...parts }) => {
    const search = new URLSearchParams(parts.query).toString();
    const isRead = route.method === 'GET';
    return {
      who: sender as Hostile['who'],
      call: {
        method: route.method,
        path: route.path.replace(/:\w+/, parts.id) + (search === '' ? '' : `?${search}`),
        headers: Object.fromEntries(
          Object.entries(parts.headers).filter(
            ([name, value]) => !(/^content-/.test(name) && (isRead || value === '')),
          ),
        ),
        ...(isRead ? {} : { body: isAcceptable(route, body) ? '{"not a field":1}' : body }),
      } as RawCall,
    };
  }),
);

/** Whether the body alone would let the call change something. */
function isAcceptable(route: RouteDefinition<unknown>, text: string): boolean {
  try {
    parsePart('invalid_body', route.body, text === '' ? {} : JSON.parse(text.replace(/^\ufeff/, '')));
    return true;
  } catch {
    return false;
  }
}

/** All that a request could have changed, as text; the audit trail only grows, and is left out. */
function stateOf(lab: Lab<never>): string {
  const db = new Db(path.join(lab.dataDir, 'monitor.db'));
  const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'").all();
  const rows = (tables as { name: string }[])
    .filter(({ name }) => name !== 'audit_event')
    .map(({ name }) => [name, db.prepare(`SELECT * FROM "${name}"`).all()]);
  void db.close();
  return JSON.stringify(rows) + readFileSync(path.join(lab.dataDir, 'monitor.json'), 'utf8');
}

/** What is wrong with an answer; undefined when nothing is. */
function complaint({ status, headers: given, body }: RawAnswer): string | undefined {
  const code = (body as { code?: unknown } | undefined)?.code;
  if (typeof given['x-request-id'] !== 'string' || given['x-request-id'] === '') {
    return 'no request id';
  }
  if (status >= 500 && code !== 'oidc_not_configured') {
    return `status ${status}`;
  }
  const { error, requestId } = (body ?? {}) as Record<string, unknown>;
  const hasShape = typeof error === 'string' && typeof code === 'string' && requestId === given['x-request-id'];
  return status >= 400 && !hasShape ? `status ${status} without the error shape` : undefined;
}

test('the generated requests reach every route with every kind of sender', () => {
  const calls = fc.sample(hostile, { seed, numRuns: 2000 });
  const reached = new Set(calls.map(({ who: sender, call }) => `${call.method} ${call.path.split('/')[2]} ${sender}`));
  expect(calls.length).toBe(2000);
  expect(reached.size).toBeGreaterThan(30);
});

verifies(
  'rest.common.error-shape rest.common.reject-before-change rest.common.request-id-always',
  `${budget(share, whole, 'bad requests')} leave everything as it was`,
  async () => {
    await using lab = await startLab();
    await lab.as.admin.routers.create({
      body: { kind: 'vendor_a', ip: '10.0.0.1', user: 'u', pass: 'p', enabled: false },
    });
    await lab.as.browser();
    await lab.as.identity(['network.read']);
    await lab.settled();
    const before = stateOf(lab);
    const tokens = { admin: lab.adminToken, nobody: null, wrong: 'f'.repeat(48) };
    const calls = fc.sample(hostile, { seed, numRuns: count });
    const statuses = new Map<number, number>();
    const bad: unknown[] = [];
    for (let at = 0; at < calls.length; at += atOnce) {
      await Promise.all(
        calls.slice(at, at + atOnce).map(async ({ who: sender, call }) => {
          const token = tokens[sender];
          const answer = await raw(lab.url, {
            ...call,
            headers: { ...call.headers, ...(token === null ? {} : { 'x-admin-token': token }) },
          });
          statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
          const wrong = complaint(answer);
          if (wrong !== undefined) {
            bad.push({ wrong, sender, call, answer: answer.text.slice(0, 300) });
          }
        }),
      );
    }
    console.info(`hostile requests: ${JSON.stringify(Object.fromEntries([...statuses].sort()))}`);
    expect(bad.slice(0, 5)).toEqual([]);
    await lab.settled();
    expect(stateOf(lab)).toBe(before);
    expect((statuses.get(400) ?? 0) + (statuses.get(401) ?? 0)).toBeGreaterThan(count / 2);
  },
);
