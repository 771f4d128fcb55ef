// What a stranger finds: the front page, the way to a credential, and a description of the API that lacks nothing.
import { expect, test } from 'vitest';
import { raw } from '../support/actors.ts';
import { startLab } from '../support/lab.ts';

interface Operation {
  tags?: string[];
  security?: Record<string, string[]>[];
  parameters: { name: string; description?: string }[];
  'x-access': string;
}

interface Document {
  info: { description?: string };
  tags?: { name: string; description?: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { securitySchemes?: Record<string, { type: string; in: string; name: string; description?: string }> };
}

test('the front page says what this is and where to go; without a credential the API says how to get one', async () => {
  await using lab = await startLab();
  const front = await raw(lab.url, { method: 'GET', path: '/', headers: { accept: 'text/html' } });
  expect(front).toMatchObject({ status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' } });
  for (const word of [
    'Gatehouse hub',
    '/api/openapi.json',
    'X-Admin-Token',
    'reset-token',
    '/readyz',
    'gatehouse mcp',
  ]) {
    expect(front.text).toContain(word);
  }
  expect(Math.max(...front.text.split('\n').map((line) => line.length))).toBeLessThan(100);
  expect(await raw(lab.url, { method: 'HEAD', path: '/' })).toMatchObject({ status: 200, text: '' });
  const missing = await raw(lab.url, { method: 'GET', path: '/api/openapi.json' });
  expect(missing).toMatchObject({ status: 401, body: { code: 'unauthorized' } });
  for (const word of ['X-Admin-Token', 'POST /api/auth/login', 'initial-admin-token', 'reset-token']) {
    expect((missing.body as { error: string }).error).toContain(word);
  }
  const headers = { 'x-admin-token': 'wrong' };
  const wrong = await raw(lab.url, { method: 'GET', path: '/api/openapi.json', headers });
  expect(wrong.body).toMatchObject({
    code: 'unauthorized',
    error: expect.stringMatching(/^the credential .* is not valid/),
  });
});

test('every operation has a tag and says which credential it takes, every parameter what it means', async () => {
  await using lab = await startLab();
  const document = (await lab.as.admin.status.openapi({})) as unknown as Document;
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ name: `${method} ${path}`, ...operation })),
  );
  expect(operations.length).toBeGreaterThan(50);
  const undescribed = operations.flatMap(({ name, parameters }) =>
    parameters.filter(({ description = '' }) => description.length < 10).map((one) => `${name} ${one.name}`),
  );
  expect(undescribed).toEqual([]);
  const tags = new Map(document.tags?.map((tag) => [tag.name, tag.description]));
  const schemes = Object.entries(document.components.securitySchemes ?? {});
  expect(schemes.map(([, { in: where, name }]) => [where, name])).toEqual([
    ['header', 'X-Admin-Token'],
    ['cookie', 'monitor_session'],
    [undefined, undefined],
  ]);
  expect(document.components.securitySchemes?.agent).toMatchObject({ type: 'http', scheme: 'bearer' });
  for (const { name, tags: own = [], security, 'x-access': access } of operations) {
    expect({ name, tag: tags.get(own[0] ?? '') }).toEqual({ name, tag: expect.stringMatching(/.{10}/) });
    const named = security?.flatMap((one) => Object.keys(one));
    const both = ['token', 'session'];
    const wanted: Record<string, string[]> = { open: [], agent: ['agent'] };
    expect({ name, named }).toEqual({
      name,
      named: wanted[access] ?? (access.startsWith('identity') ? both.slice(0, 1) : both),
    });
  }
  const texts = [document.info.description, ...schemes.map(([, { description }]) => description)];
  expect(texts.filter((text = '') => text.length < 20)).toEqual([]);
});
