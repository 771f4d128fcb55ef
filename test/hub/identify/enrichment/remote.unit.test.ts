// What look-ups make of the answers of others: locations, registries, names, and which look-up is on.
import { describe, expect, test } from 'vitest';
import { parseResolver } from '#hub/base/settings/resolver.ts';
import { emptySettings } from '#hub/base/settings/schema.ts';
import { createGeoLookUp } from '#hub/identify/enrichment/remote/geo.ts';
import type { AskOptions, HttpsJson } from '#hub/identify/enrichment/remote/https-json.ts';
import { isMadeFrom, toReverseName } from '#hub/identify/enrichment/remote/ptr.ts';
import { createRdapLookUp } from '#hub/identify/enrichment/remote/rdap.ts';
import { findResolver, readSwitch } from '#hub/identify/enrichment/remote/switches.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const dayMs = 86_400_000;
const { signal } = new AbortController();

/** Services by address; `asked` grows by each request. */
function network(answers: Record<string, unknown>) {
  const asked: [string, AskOptions['headers']][] = [];
  const https = {
    async ask(url: string, { headers }: AskOptions) {
      asked.push([url, headers]);
      return answers[url];
    },
  } as HttpsJson;
  return { asked, https };
}

describe('a location', () => {
  const nothing = { country: null, org: null, lat: null, lon: null, city: null };
  const askFacts = async (answer: unknown) => {
    const { https } = network({ 'https://geo.example/9.9.9.9': answer });
    const found = await createGeoLookUp({ https, url: 'https://geo.example/{ip}', token: '' })('9.9.9.9', signal);
    expect(found.keepMs).toBe(30 * dayMs);
    return found.facts;
  };

  test.each<[unknown, Partial<typeof nothing> | Record<string, unknown>]>([
    [null, {}],
    [{}, {}],
    [{ country: 'CH' }, { country: 'CH' }],
    [{ country: 'Switzerland', country_code: 'CH' }, { country: 'CH' }],
    [{ country: 'CH', country_code: 'SE' }, { country: 'SE' }],
    [{ country: 'CH', country_code: 'x' }, { country: 'CH' }],
    [{ country: 'XX' }, {}],
    [{ org: 'AS19281 Quad9' }, { org: 'Quad9' }],
    [{ as_name: 'ASK AS1 x' }, { org: 'ASK AS1 x' }],
    [{ org: 'A', as_name: 'B' }, { org: 'A' }],
    [
      { org: 'o'.repeat(130), city: 'c'.repeat(130) },
      { org: 'o'.repeat(120), city: 'c'.repeat(120) },
    ],
    [{ org: `AS1 ${'o'.repeat(126)}` }, { org: 'o'.repeat(120) }],
    [{ city: '  ' }, {}],
    [{ city: 7 }, {}],
    [
      { latitude: 1, longitude: 2 },
      { lat: 1, lon: 2 },
    ],
    [
      { lat: '1.5', lon: '-2.5' },
      { lat: 1.5, lon: -2.5 },
    ],
    [
      { latitude: 1, lat: 3, longitude: 2, lon: 4 },
      { lat: 1, lon: 2 },
    ],
    [{ loc: '1,2' }, { lat: 1, lon: 2 }],
    [
      { loc: '1,2', lat: 3, lon: 4 },
      { lat: 3, lon: 4 },
    ],
    [{ loc: '90,180' }, { lat: 90, lon: 180 }],
    [{ loc: '-90,-180' }, { lat: -90, lon: -180 }],
    [{ loc: '90.1,0' }, {}],
    [{ loc: '0,180.1' }, {}],
    [{ loc: '1' }, {}],
    [{ loc: 'x,2' }, {}],
    [{ lat: 91, lon: 0 }, {}],
    [{ lat: 0, lon: 181 }, {}],
    [{ lat: 1 }, {}],
    [{ lon: 1 }, {}],
  ])('%j says %j', async (answer, facts) => {
    expect(await askFacts(answer)).toEqual({ ...nothing, ...facts });
  });

  test('is asked for with the token, if there is one, and the address in the path', async () => {
    const { https, asked } = network({});
    for (const token of ['', 'secret']) {
      await createGeoLookUp({ https, url: 'https://geo.example/{ip}/json', token })('2001:db8::1', signal);
    }
    const url = 'https://geo.example/2001%3Adb8%3A%3A1/json';
    expect(asked).toEqual([
      [url, {}],
      [url, { authorization: 'Bearer secret' }],
    ]);
  });

  test.each([[[]], ['text'], [7]])('that is %j is refused', async (answer) => {
    await expect(askFacts(answer)).rejects.toThrow('geo.example did not answer with a location');
  });
});

describe('a registry', () => {
  const lists = (services: unknown) => ({ 'https://iana.example/ipv4.json': { services } });
  const held = (fn: unknown, roles?: string[]) => ({
    ...(roles && { roles }),
    vcardArray: ['vcard', [['version', {}, 'text', '4.0'], 'x', ['fn', {}, 'text', fn]]],
  });
  const at = 'https://one.example/ip/9.9.9.9';

  const lookUp = async (
    answers: Record<string, unknown>,
    address = '9.9.9.9',
    bootstrapUrl = 'https://iana.example',
  ) => {
    const { https, asked } = network(answers);
    const found = await createRdapLookUp({ clock: new ManualClock(), https, bootstrapUrl })(address, signal);
    expect(found.keepMs).toBe(30 * dayMs);
    return { facts: found.facts, asked: asked.map(([url]) => url) };
  };

  test.each<[unknown, object]>([
    [{}, { country: null, org: null }],
    [
      { country: 'ch', name: ' NET ' },
      { country: 'CH', org: 'NET' },
    ],
    [
      { country: 'XX', name: '' },
      { country: null, org: null },
    ],
    [
      { name: 'NET', entities: [held('Tech', ['technical']), held('Holder AG', ['abuse', 'registrant'])] },
      { org: 'Holder AG' },
    ],
    [{ name: 'NET', entities: [held('Tech', ['technical']), held('No role')] }, { org: 'NET' }],
    [{ name: 'NET', entities: [held('  ', ['registrant'])] }, { org: 'NET' }],
    [{ name: 'NET', entities: [held(7, ['registrant'])] }, { org: 'NET' }],
    [{ name: 'NET', entities: [{ roles: ['registrant'] }] }, { org: 'NET' }],
    [
      { name: 'NET', entities: [{ roles: ['registrant'], vcardArray: ['vcard', [['n', {}, 'text', 'x']]] }] },
      { org: 'NET' },
    ],
    [{ name: 'n'.repeat(121) }, { org: 'n'.repeat(120) }],
    [
      { name: 7, country: 7, entities: 7 },
      { country: null, org: null },
    ],
    [{ entities: [held(` ${'h'.repeat(121)}`, ['registrant'])] }, { org: 'h'.repeat(120) }],
  ])('that says %j is understood', async (answer, facts) => {
    const all = { ...lists([[['9.0.0.0/8'], ['https://one.example/']]]), [at]: answer };
    const { facts: found, asked } = await lookUp(all);
    expect(found).toMatchObject(facts);
    expect(asked).toEqual(['https://iana.example/ipv4.json', at]);
  });

  test.each<[unknown, string | null]>([
    [[], null],
    [[[['8.0.0.0/8'], ['https://one.example/']]], null],
    [[[['9.0.0.0/8'], ['http://one.example/']]], null],
    [[[['9.0.0.0/8'], ['http://one.example/', 'https://two.example']]], 'https://two.example/ip/9.9.9.9'],
    [[[['x', '2001:db8::/32', '9.0.0.0/8'], ['https://one.example/rdap/']]], 'https://one.example/rdap/ip/9.9.9.9'],
    [
      [
        [['9.0.0.0/8'], ['https://one.example/']],
        [['9.9.0.0/16', '9.9.9.0/24'], ['https://two.example/']],
        [['0.0.0.0/0'], ['https://three.example/']],
      ],
      'https://two.example/ip/9.9.9.9',
    ],
  ])('is chosen from %j: %s', async (services, url) => {
    const { facts, asked } = await lookUp({ ...lists(services), ...(url && { [url]: { name: 'NET' } }) });
    expect([facts, asked.slice(1)]).toEqual(url ? [{ country: null, org: 'NET' }, [url]] : [{}, []]);
  });

  test('of IPv6 is in a list of its own; no such address is no failure, another answer is', async () => {
    const services = [[['2001:db8::/32'], ['https://six.example/']]];
    const all = { 'https://iana.example/x/ipv6.json': { services }, 'https://six.example/ip/2001:db8::1': null };
    expect((await lookUp(all, '2001:db8::1', 'https://iana.example/x/')).facts).toEqual({});
    const other = { ...lists([[['9.0.0.0/8'], ['https://one.example/']]]), [at]: 'page' };
    await expect(lookUp(other)).rejects.toThrow('one.example did not answer as a registry does');
    await expect(lookUp({ 'https://iana.example/ipv4.json': [] })).rejects.toThrow(
      'iana.example gives no list of registries',
    );
  });

  test('is found in the list of the last day without another request', async () => {
    const clock = new ManualClock();
    const { https, asked } = network({ ...lists([[['9.0.0.0/8'], ['https://one.example/']]]), [at]: {} });
    const look = createRdapLookUp({ clock, https, bootstrapUrl: 'https://iana.example/' });
    const listed = async (ms: number) => {
      clock.skip(ms);
      await look('9.9.9.9', signal);
      return asked.filter(([url]) => url.endsWith('.json')).length;
    };
    expect([await listed(0), await listed(dayMs - 1), await listed(1)]).toEqual([1, 1, 2]);
    expect(asked.find(([url]) => url === at)?.[1]).toEqual({ accept: 'application/rdap+json' });
  });
});

test.each([
  ['9.8.7.6', '6.7.8.9.in-addr.arpa'],
  ['2001:db8::1', `1.${'0.'.repeat(23)}8.b.d.0.1.0.0.2.ip6.arpa`],
])('the name of %s is %s', (address, name) => {
  expect(toReverseName(address)).toBe(name);
});

test.each([
  ['9-9-8-8.example', '9.9.8.8', true],
  ['host-8-8-9-9.example', '9.9.8.8', true],
  ['11-22-33.example', '11.22.33.44', true],
  ['11-22.example', '11.22.33.44', false],
  ['11-22-x3-5.example', '11.22.33.44', false],
  ['011022033044.example', '11.22.33.44', true],
  ['0b16212c.example', '11.22.33.44', true],
  ['web3.example', '3.3.3.3', false],
  ['web.example', '11.22.33.44', false],
  ['20010db8000000000000000000000001.example', '2001:db8::1', true],
  ['2001-0db8-0-0-0-0-0-1.example', '2001:db8::1', false],
  ['h-1234-5678-9abc.example', '2001:db8::1234:5678:9abc', true],
  ['h-00000012.example', '2001:db8::12', true],
  ['h-12.example', '2001:db8::12', false],
])('the name %s is made from %s: %s', (name, address, expected) => {
  expect(isMadeFrom(name, address)).toBe(expected);
});

test.each([
  ['192.0.2.53', '192.0.2.53:53', false],
  ['192.168.1.1:5353', '192.168.1.1:5353', true],
  ['127.0.0.1:1', '127.0.0.1:1', true],
  ['2001:DB8::53', '[2001:db8::53]:53', false],
  ['[fd00::53]:65535', '[fd00::53]:65535', true],
  ['[::1]', '[::1]:53', true],
])('the name server %s is %s, inside: %s', (text, server, isInternal) => {
  expect(parseResolver(text)).toMatchObject({ server, isInternal });
});

test.each([
  '',
  'dns.example',
  '192.0.2.1:0',
  '192.0.2.1:65536',
  '192.0.2.1:123456',
  'x192.0.2.1:1',
  '[::1]:1x',
  '192.0.2',
])('no name server is "%s"', (text) => {
  expect(parseResolver(text)).toBeNull();
});

describe('a look-up', () => {
  const on = { enabled: true };
  const settings = (resolver: string, url: string, enabled = true) => ({
    ...emptySettings().enrichment,
    ...{ ptr: { ...on, enabled, resolver }, rdap: { enabled, bootstrapUrl: '' }, geo: { enabled, url, token: '' } },
  });

  test.each([
    [settings('', ''), false, '', ['not_configured', null, 'not_configured']],
    [settings('9.9.9.9', 'u'), false, '', [null, null, null]],
    [settings('', 'u'), false, '9.9.9.9', [null, null, null]],
    [settings('9.9.9.9', 'u', false), false, '', ['switched_off', 'switched_off', 'switched_off']],
    [settings('9.9.9.9', 'u'), true, '', ['offline_mode_requires_internal_endpoint', 'offline_mode', 'offline_mode']],
    [settings('', 'u'), true, '', ['offline_mode_requires_internal_endpoint', 'offline_mode', 'offline_mode']],
    [settings('', 'u', false), true, '10.0.0.1', ['switched_off', 'offline_mode', 'offline_mode']],
    [settings('', 'u'), true, '10.0.0.1', [null, 'offline_mode', 'offline_mode']],
  ])('with %j, offline %s, inside %s', (enrichment, offline, internalDns, reasons) => {
    const options = { settings: enrichment, offline, internalDns };
    expect((['ptr', 'rdap', 'geo'] as const).map((name) => readSwitch(name, options))).toEqual(
      reasons.map((reason) => ({ enabled: reason === null, reason })),
    );
  });

  test('of names asks the server of the settings before that of the environment', () => {
    const options = { settings: settings('9.9.9.9', ''), offline: false, internalDns: '10.0.0.1' };
    expect(findResolver(options)?.server).toBe('9.9.9.9:53');
  });
});
