// Texts on their way to a provider: cut, visible, and without an address that something is managed at, however it is spelt.
import { expect, test } from 'vitest';
import { createContextTexts, withheld } from '#hub/analyse/insights/context-text.ts';
import { createContexts } from '#hub/analyse/insights/contexts.ts';

const managed = new Set(['192.168.1.1', '10.0.0.254', 'fd00::1', 'fd00::102:304']);

test.each([
  ['box at 192.168.1.1 and 10.0.0.254, again 192.168.1.1', `box at ${withheld} and ${withheld}, again ${withheld}`],
  ['ip-192-168-1-1.lan, ip_192_168_1_1, 192.168-1_1', `ip-${withheld}.lan, ip_${withheld}, ${withheld}`],
  ['192.168.1.10, 2192.168.1.1, 192x168.1.1', '192.168.1.10, 2192.168.1.1, 192x168.1.1'],
  ['[FD00::1]:443, fd00:0:0:0:0:0:0:1', `[${withheld}]:443, ${withheld}`],
  ['see fd00::1. And fd00::1: it, fd00::1...', `see ${withheld} And ${withheld} it, ${withheld}`],
  ['fd00::1.2.3.4', withheld],
  ['fd00::2, fd00::12, a:b, 12:30', 'fd00::2, fd00::12, a:b, 12:30'],
  ['::ffff:c0a8:101 and ::ffff:192.168.1.1', `${withheld} and ::ffff:${withheld}`],
])('%s is sent as %s', (text, sent) => {
  const texts = createContextTexts(managed);
  expect(texts.name(text)).toBe(sent);
  expect(texts.host(text)).toBe(sent);
  expect(texts.word(text)).toBe(sent);
});

test('an IPv4 address in the digits of IPv6 is withheld also when nothing is managed at an IPv6 address', () => {
  expect(createContextTexts(new Set(['192.168.1.1'])).name('at ::ffff:c0a8:101')).toBe(`at ${withheld}`);
});

test('where nothing is managed every address stays', () => {
  const text = '192.168.1.1, fd00::1, ::ffff:c0a8:101';
  expect(createContextTexts(new Set()).name(text)).toBe(text);
});

test('names have 100 units, hosts 253; a cut that makes a managed address whole is followed by another look', () => {
  const texts = createContextTexts(managed);
  expect(texts.name('n'.repeat(101))).toBe('n'.repeat(100));
  expect(texts.word('w'.repeat(101))).toBe('w'.repeat(100));
  expect(texts.host('h'.repeat(254))).toBe('h'.repeat(253));
  expect(texts.name(`${'n'.repeat(89)}192.168.1.12`)).toBe(`${'n'.repeat(89)}${withheld}`);
  // What is invisible does not hide a name behind it, up to four times its length.
  expect(texts.name(`${'\u200b'.repeat(300)}behind`)).toBe('\ufffdbehind');
});

test('a name or a host without anything to read is none; spaces around one are left out', () => {
  const texts = createContextTexts(managed);
  for (const blank of [null, '', '   ']) {
    expect([texts.name(blank), texts.host(blank)]).toEqual([null, null]);
  }
  expect([texts.name(' Hall '), texts.host(' a.example '), texts.word(' tcp ')]).toEqual([
    'Hall',
    'a.example',
    ' tcp ',
  ]);
});

/** The draft of a hub with a router and a mesh access point, or without the latter. */
function draft(facts: object, mesh: string | null = '[FD00::1]:8443') {
  const settings = {
    routers: [{ ip: '192.168.1.1' }, { ip: 'no address' }],
    mesh: mesh === null ? null : { ip: mesh },
  };
  const { draft: make } = createContexts({ settings: () => settings, readers: {} } as unknown as Parameters<
    typeof createContexts
  >[0]);
  return make({ ...knownFacts, ...facts } as Parameters<typeof make>[0]);
}

const knownFacts = {
  ...{ ip: '192.168.1.23', mac: '02-00-00-00-00-AB', vendor: 'Acme', mdnsName: 'TV 192.168.1.1', dnsName: 'tv.lan' },
  ...{ firstSeen: Date.UTC(2026, 1, 28, 23, 59), lastSeen: Date.UTC(2026, 2, 1), topDestinations: [] },
};

test('the draft of a note has the fields of a device, by days, and names no address that something is managed at', () => {
  const topDestinations = ['Example Inc', '192.168.1.1', 'FD00:0::1', '  ', '203.0.113.9', 'at fd00::1'];
  const made = draft({ topDestinations: topDestinations.map((name, sessions) => ({ name, sessions })) });
  expect(made).toEqual({
    ...{ ip: '192.168.1.23', mac: '02:00:00:00:00:ab', vendor: 'Acme', names: [`TV ${withheld}`, 'tv.lan'] },
    ...{ firstSeen: '2026-02-28', lastSeen: '2026-03-01' },
    topDestinations: [
      { name: 'Example Inc', sessions: 0 },
      { name: '203.0.113.9', sessions: 4 },
      { name: `at ${withheld}`, sessions: 5 },
    ],
  });
  expect(draft({ mac: null, vendor: null, mdnsName: null, dnsName: ' ' })).toMatchObject({
    ...{ mac: null, vendor: null, names: [] },
  });
});

test.each([
  ['192.168.1.1', null],
  ['fd00:0::1', null],
  ['', null],
  ['fd00::1', null],
  ['192.168.1.2', null, '192.168.1.2:80'],
  ['192.168.1.2', null, '192.168.1.2'],
  ['fd00::1', 'fd00::1', null],
  ['192.168.1.2', '192.168.1.2', '192.168.1.28'],
] as const)('of a device at "%s" the draft has the address %s when the mesh is at %s', (ip, sent, ...mesh) => {
  expect(draft({ ip }, ...mesh)).toEqual(sent === null ? null : expect.objectContaining({ ip: sent }));
});
