// Generated bad requests to every route: never a 5xx, always the error shape and an id, nothing changed.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { api } from '#contract/index.ts';
import { type Lab, startLab } from '../support/lab.ts';
import { verifies } from '../support/verifies.ts';

const seed = Number(process.hrtime.bigint() % 1_000_000n);
console.info(`hostile requests seed ${seed}`);

const routes = Object.values(api).flatMap((table) => Object.values(table));
const names = [
  'kind',
  'ip',
  'user',
  'pass',
  'nat',
  'port',
  'enabled',
  'routerIp',
  'doVendorA',
  '__proto__',
  'constructor',
];

const jsonText = fc.oneof(
  fc.json({ maxDepth: 4 }),
  fc.dictionary(fc.constantFrom(...names), fc.jsonValue({ maxDepth: 2 })).map((value) => JSON.stringify(value)),
  fc.constantFrom(
    '',
    '{',
    'NaN',
    '[1,]',
    '{"a":1,"a":2}',
    '// x\n{}',
    '"\\ud800"',
    '{"kind":"vendor_a","kind":"vendor_b"}',
  ),
  fc.constant('['.repeat(1000) + ']'.repeat(1000)),
  fc.string({ maxLength: 64 }),
);
const contentType = fc.constantFrom(
  'application/json',
  'application/json; charset=utf-16',
  'text/plain',
  'multipart/form-data',
  '',
);
const encoding = fc.constantFrom(undefined, undefined, undefined, 'gzip', 'br', 'nonsense');
const query = fc.dictionary(
  fc.constantFrom(
    'limit',
    'offset',
    'from',
    'to',
    'sort',
    'fSrc',
    'fSrcMode',
    'fThreat',
    'x',
    '__proto__',
    'sourceKind',
  ),
  fc.oneof(fc.string({ maxLength: 30 }), fc.constantFrom('-1', '1e9', '%', '_', "'", '\0', '9'.repeat(30), 'NaN')),
);
const id = fc.constantFrom('none', '..', '%2e%2e', 'a'.repeat(64), 'vendor-a-00000000', '%00', "'--");

describe('hostile requests', () => {
  const shared: { lab?: Lab<never> } = {};
  beforeAll(async () => {
    shared.lab = await startLab();
  });
  afterAll(() => shared.lab?.[Symbol.asyncDispose]());

  verifies(
    'rest.errors.400 rest.common.error-shape rest.common.reject-before-change',
    'leave everything as it was',
    async () => {
      const { lab } = shared;
      if (!lab) {
        throw new Error('the lab did not start');
      }
      await lab.as.admin.routers.create({
        body: { kind: 'vendor_a', ip: '10.0.0.1', user: 'u', pass: 'p', enabled: false },
      });
      const before = (await lab.as.admin.routers.list({})).routers;
      const mutating = routes.filter(({ path }) => !path.endsWith('/detect') && path !== '/api/nonce');
      const call = fc.tuple(fc.constantFrom(...mutating), jsonText, contentType, encoding, query, id);
      await fc.assert(
        fc.asyncProperty(call, async ([route, text, type, coded, asked, one]) => {
          const search = new URLSearchParams(asked).toString();
          const answer = await lab.as.raw({
            method: route.method,
            path: route.path.replace(/:\w+/, one) + (search === '' ? '' : `?${search}`),
            headers: {
              ...(type === '' ? {} : { 'content-type': type }),
              ...(coded ? { 'content-encoding': coded } : {}),
            },
            ...(route.method === 'GET' ? {} : { body: text }),
          });
          expect(answer.headers['x-request-id']).toBeTruthy();
          expect(answer.status).toBeLessThan(500);
          if (answer.status >= 400) {
            expect(answer.body).toMatchObject({ error: expect.any(String), code: expect.any(String) });
          }
          if (answer.status !== 201) {
            return;
          }
          throw new Error(`a hostile request made a router: ${text}`);
        }),
        { seed, numRuns: 2000 },
      );
      expect((await lab.as.admin.routers.list({})).routers).toEqual(before);
    },
  );
});
