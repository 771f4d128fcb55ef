// Routers whose prompt, or all that they print, is in another encoding than their settings name: polls over real SSH.
import { describe, expect, test } from 'vitest';
import { getDriver } from '#hub/collect/routers/drivers.ts';
import type { CharacterSet } from '#simulators/router/model.ts';
import { startRouter } from '#simulators/router/start.ts';
import { readBytes } from './captures.ts';
import { collect, keyOf, optionsOf, shellOf, truthOf } from './polls.ts';

const japanese: CharacterSet[] = ['ja.utf8', 'ja.sjis', 'ja.euc'];
const characters: CharacterSet[] = [...japanese, 'en.ascii'];
const pairs = japanese.flatMap((own) => characters.map((character) => [own, character] as const));
const whole = { complete: true, unparsed: { count: 0 } };

describe('the prompt stays in its own encoding', () => {
  test.each(pairs)('%s, with `console character %s`', async (own, character) => {
    const settings = { hostName: '本社ルーター', character };
    const replay = { nat: readBytes('yamaha/hostile/nat_detail.block_end.en.txt') };
    await using router = await startRouter('vendor_a', { settings, replay });
    router.fail('prompt-character-set', { value: own });
    const snapshot = await collect(router);
    expect(snapshot).toMatchObject({ ...whole, hostName: '本社ルーター' });
    expect(snapshot.sessions).toHaveLength(2);
    expect(router.violations).toEqual([]);
  });
});

describe('all output stays in one encoding', () => {
  test.each(pairs)('%s, with `console character %s`', async (spoken, character) => {
    await using router = await startRouter('vendor_a', { sessions: 24, settings: { character } });
    router.fail('character-set-ignored', { value: spoken });
    const snapshot = await collect(router);
    expect(snapshot).toMatchObject(whole);
    expect(snapshot.sessions.map(keyOf).sort()).toEqual(truthOf(router));
    expect(snapshot.leases?.length).toBeGreaterThan(0);
  });
});

test.each(['RTX#1>', 'a#', '(本社) >'])('the prompt %s ends in a sign of its own', async (hostName) => {
  const replay = { nat: readBytes('yamaha/hostile/nat_detail.block_end.ja.euc.txt') };
  await using router = await startRouter('vendor_a', { settings: { hostName, character: 'ja.sjis' }, replay });
  const snapshot = await collect(router);
  expect(snapshot).toMatchObject({ ...whole, hostName });
  expect(snapshot.sessions).toHaveLength(2);
});

test.each([
  ['its name', { hostName: '支社' }],
  ['the encoding of all that is printed', { character: 'ja.euc' }],
] as const)(
  'a prompt that changes between two polls, with %s, is followed on the same connection',
  async (_what, change) => {
    const settings = { hostName: '本社', character: 'ja.sjis' } as const;
    await using router = await startRouter('vendor_a', { sessions: 24, settings });
    await using shell = await shellOf(router);
    const options = optionsOf(router);
    for (const next of [{}, change, settings]) {
      router.patch({ settings: next });
      const snapshot = await getDriver('vendor_a').collect(shell, options);
      expect(snapshot).toMatchObject({ ...whole, hostName: router.settings.hostName });
      expect(snapshot.sessions.map(keyOf).sort()).toEqual(truthOf(router));
    }
    expect(router.connections).toBe(1);
    expect(router.violations).toEqual([]);
  },
);

test('a renamed router of the other kind is followed too', async () => {
  await using router = await startRouter('vendor_b', { sessions: 24, credentials: { privileged: true } });
  await using shell = await shellOf(router);
  const options = optionsOf(router);
  for (const hostName of ['edge-rtr1', 'branch-rtr2']) {
    router.patch({ settings: { hostName } });
    expect(await getDriver('vendor_b').collect(shell, options)).toMatchObject({ ...whole, hostName });
  }
});
