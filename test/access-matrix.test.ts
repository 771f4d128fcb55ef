// Every route × every actor, with the expectation from the pinned matrix: nobody writes an access test by hand.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { api } from '#contract/index.ts';
import { root } from '../scripts/sources.ts';
import { raw } from './support/actors.ts';
import { type Lab, startLab } from './support/lab.ts';

const actors = ['nobody', 'wrong token', 'admin'] as const;
type Actor = (typeof actors)[number];

const pinned = readFileSync(path.join(root, 'test/pins/permission-matrix.txt'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => line.split(/\s+/) as [string, string, string]);

/** What the pinned rule means for an actor: let in (anything but 401 and 403), or refused with this status. */
function expectation(rule: string, actor: Actor): 'in' | number {
  if (rule === 'open') {
    return 'in';
  }
  if (actor !== 'admin') {
    return 401;
  }
  return rule === 'agent' || rule.startsWith('identity') ? 403 : 'in';
}

describe('every route for every actor', () => {
  const shared: { lab?: Lab<never> } = {};
  beforeAll(async () => {
    shared.lab = await startLab();
  });
  afterAll(() => shared.lab?.[Symbol.asyncDispose]());

  test('the pin holds exactly the routes of the contract', () => {
    const routes = Object.values(api).flatMap((table) => Object.values(table).map((r) => `${r.method} ${r.path}`));
    expect(pinned.map(([method, route]) => `${method} ${route}`)).toEqual(routes);
  });

  const cells = pinned.flatMap(([method, route, rule]) => actors.map((actor) => [method, route, rule, actor] as const));
  test.each(cells)('%s %s (%s) as %s', async (method, route, rule, actor) => {
    const { lab } = shared;
    if (!lab) {
      throw new Error('the lab did not start');
    }
    const token = { nobody: undefined, 'wrong token': 'f'.repeat(48), admin: lab.adminToken }[actor];
    const { status } = await raw(lab.url, {
      method: method as 'GET',
      path: route.replace(/:\w+/g, 'none'),
      headers: {
        ...(token ? { 'x-admin-token': token } : {}),
        ...(method === 'GET' ? {} : { 'content-type': 'application/json' }),
      },
      ...(method === 'GET' ? {} : { body: '{"not a field":1}' }),
    });
    const expected = expectation(rule, actor);
    if (expected === 'in') {
      expect([401, 403]).not.toContain(status);
    } else {
      expect(status).toBe(expected);
    }
  });
});
