// The configuration as text: the same settings after each round, every mistake by its place, no secret in it.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { emptySettings, type Settings } from '#hub/base/settings/schema.ts';
import { formatDiff } from '#hub/start/config/format-diff.ts';
import { readConfigText } from '#hub/start/config/read-text.ts';
import { formatConfig, listSecrets } from '#hub/start/config/write-text.ts';
import { configSections as sections } from '#hub/start/config-sections.ts';
import { anySettings } from '../../../support/any-settings.ts';
import { verifies } from '../../../support/verifies.ts';

const surroundings = { now: 1, allowLoopback: false, pathPrefixes: [] };
const read = (text: string, settings: Settings, secrets: ReadonlyMap<string, string> = new Map()) =>
  readConfigText(text, { file: 'hub.yaml', sections, settings, surroundings, findSecret: (name) => secrets.get(name) });

/** What is wrong with a text, a line each. */
const mistakes = async (text: string, settings = emptySettings()) => {
  const message = await read(text, settings).then(
    () => '',
    (error: Error) => error.message,
  );
  return message.split('\n').map((line) => line.replace('hub.yaml, ', ''));
};
const one = { ip: '192.168.1.1', user: 'admin' };
const office = `version: 1\nrouters: [{ kind: vendor_a, ip: ${one.ip}, user: ${one.user}, pass: { secret: office } }]\n`;

verifies('rest.config-text.round-trip', 'any settings, on a hub that is empty and on one that is not', () =>
  fc.assert(
    fc.asyncProperty(anySettings, anySettings, async (settings, others) => {
      const text = formatConfig(sections, settings);
      const secrets = listSecrets(sections, settings);
      const applied = await read(text, emptySettings(), secrets);
      expect(formatConfig(sections, applied)).toBe(text);
      const scheduleSetAt = applied.ai.notifications.scheduleSetAt;
      const notifications = { ...settings.ai.notifications, scheduleSetAt };
      expect(applied).toEqual({ ...settings, ai: { ...settings.ai, notifications } });
      // What is kept of another hub is what the text does not say.
      const over = await read(text, { ...others, tombstones: [] }, secrets);
      expect(formatConfig(sections, over)).toBe(text);
      expect(listSecrets(sections, over)).toEqual(secrets);
      // The secrets that are stored need not be given again.
      expect(await read(text, over)).toEqual(over);
    }),
    { numRuns: 150 },
  ),
);

test('every section of the settings is in the text, but for what belongs to one hub alone', () => {
  const own = ['version', 'adminTokenHash', 'isFirstTokenUsed', 'passwordRecord', 'isPasswordInitial', 'auditKey'];
  const empty = emptySettings();
  const samples = fc.sample(anySettings, { seed: 1, numRuns: 50 });
  const shown = Object.keys(empty).filter((key) =>
    samples.some(
      (one) =>
        formatConfig(sections, { ...empty, [key]: one[key as keyof Settings] }) !== formatConfig(sections, empty),
    ),
  );
  expect(Object.keys(empty).filter((key) => !shown.includes(key))).toEqual([...own, 'tombstones', 'applied']);
});

verifies(
  'rest.config-text.secrets',
  'none is in the text; it is bound to its host, cleared by null, never plain',
  async () => {
    const found = await read(office, emptySettings(), new Map([['office', 'hunter2']]));
    const router = found.routers[0];
    expect(router).toMatchObject({ ...one, pass: 'hunter2' });
    expect(formatConfig(sections, found)).not.toContain('hunter2');
    // The same router on each hub, also without an id.
    expect((await read(office, emptySettings(), new Map([['office', 'other']]))).routers[0]?.id).toBe(router?.id);
    expect(await read(office, found)).toEqual(found);
    const needs = ['routers.0.pass needs the secret office: give it with --secrets FILE or in the environment'];
    const moved = office.replace('{ kind', `{ id: ${router?.id}, kind`).replace(one.ip, '192.168.1.66');
    expect((await mistakes(moved, found)).slice(1)).toEqual([`line 2, column 89: ${needs}`]);
    // Restored without its secrets.
    const blank = { ...found, routers: found.routers.map((record) => ({ ...record, pass: '' })) };
    expect((await mistakes(formatConfig(sections, blank), blank)).join()).toMatch(
      /routers.0.pass needs the secret routers.vendor-a/,
    );
    const chat = { ...found, chat: { ...found.chat, token: 'xoxb' } };
    expect((await read('version: 1\nchat: { token: null }', chat)).chat.token).toBe('');
    expect((await read('version: 1\nchat: { enabled: true }', chat)).chat.token).toBe('xoxb');
    expect((await mistakes('version: 1\nchat: { token: xoxb-plain }')).join()).toMatch(
      /token must be null or \{ secret/,
    );
  },
);

verifies('rest.config-text.whole', 'mistakes of every section, in the order of the text', async () => {
  const text = `version: 1
general: { homeCountry: XX, retentionDays: 8, colour: red }
dataSources: { dns: { enabled: true, logFile: /etc/passwd } }
beacons: { minIntervalMs: 9, maxIntervalMs: 1 }
threatFeeds: { allowList: [1.1.1.1, 10.0.0.1] }
blockList: { entries: [{ value: 192.168.0.0/16, note: null }] }
ai: { provider: cloud_a }
oidc: { enabled: true }
routers:
  - { id: a, kind: vendor_a, ip: 8.8.8.8, user: u, pass: { secret: p } }
mesh: { ip: 192.168.1.1, user: u }
colours: 1
`;
  const found = await mistakes(text, emptySettings());
  expect(found[0]).toBe('nothing was changed, since the text has mistakes:');
  const expected = [
    /^line 2, column 25: general.homeCountry must be a country code/,
    /^line 2, column 44: general.retentionDays must be one of/,
    /^line 2, column 47: general.colour is not known here/,
    /^line 3, column 47: dataSources: dns.logFile must be a file below/,
    /^line 4, column 27: beacons: minIntervalMs must be less than/,
    /^line 5, column 37: threatFeeds: allowList.1 must be a public address/,
    /^line 6, column 33: blockList: value must be public/,
    /^line 7, column 5: ai: Anthropic.* agree with cloudConsent/,
    /^line 8, column 7: oidc: enabled needs issuer/,
    /^line 10, column 58: routers.0.pass needs the secret p/,
    /^line 11, column 7: mesh.pass is missing/,
    /^line 12, column 1: colours is no section/,
  ];
  expect(found).toHaveLength(expected.length + 1);
  for (const [at, pattern] of expected.entries()) {
    expect(found[at + 1]).toMatch(pattern);
  }
  const gone = {
    ...emptySettings(),
    tombstones: [{ id: 'a', kind: 'vendor_a' as const, displayName: '', deletedAt: 1 }],
  };
  const list = (...ids: string[]) =>
    `version: 1\nrouters: [${ids.map((id) => `{ id: ${id}, kind: vendor_b, ip: 10.0.0.1, user: u, pass: {secret: p} }`)}]`;
  const readWithSecret = (text: string) => read(text, gone, new Map([['p', 'p']]));
  await expect(readWithSecret(list('a'))).rejects.toThrow('id is that of a removed router');
  await expect(readWithSecret(list('b', 'b'))).rejects.toThrow('is in the list twice');
  await expect(readWithSecret(list(...'bcdefghijkl'))).rejects.toThrow('at most 10 routers');
  const { routers, tombstones } = await read('version: 1\nrouters: []', await readWithSecret(list('b')));
  expect([routers, tombstones.map(({ id }) => id)]).toEqual([[], ['a', 'b']]);
});

test.each([
  ['an alias', 'version: 1\nx: &a [1]\ny: *a', 'line 3, column 4: an alias is not taken here'],
  ['a key twice', 'version: 1\nversion: 1', 'line 2, column 1: this is no YAML that can be read'],
  ['a tag', 'version: 1\nchat: { token: !secret x }', 'line 2, column 16: this is no YAML'],
  ['deep nesting', `version: 1\nx: ${'['.repeat(5000)}`, 'is nested more than 100 deep'],
  ['two documents', 'version: 1\n---\nversion: 1', 'this is no YAML'],
  ['another version', 'version: 2', 'line 1, column 10: version must be 1'],
  ['no version', 'general: {}', 'version must be 1'],
  ['a text', 'hello', 'version must be 1'],
  ['__proto__', 'version: 1\n__proto__: { a: 1 }', 'line 2, column 1: __proto__ is no section'],
])('%s is refused', async (_what, text, reason) => {
  expect((await mistakes(text)).join('\n')).toContain(reason);
});

test('the difference is that of diff -u', () => {
  const names = { before: 'a', after: 'b' };
  const lines = Array.from({ length: 20 }, (_, at) => `${at}`);
  const changed = lines.with(2, 'two').toSpliced(15, 1);
  expect(formatDiff(lines.join('\n'), changed.join('\n'), names).split('\n')).toEqual([
    ...['--- a', '+++ b', '@@ -1,6 +1,6 @@', ' 0', ' 1', '-2', '+two', ' 3', ' 4', ' 5'],
    ...['@@ -13,7 +13,6 @@', ' 12', ' 13', ' 14', '-15', ' 16', ' 17', ' 18', ''],
  ]);
  expect(formatDiff('a', 'a', names)).toBe('');
});
