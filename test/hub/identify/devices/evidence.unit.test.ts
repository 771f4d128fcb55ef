// What counts as evidence that two devices are one: names, and the sum of weights against a sum in whole hundredths.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compareProfiles, type Profile } from '#hub/identify/devices/evidence.ts';
import { readHostName } from '#hub/identify/devices/host-name.ts';
import { classifyMac } from '#hub/identify/devices/mac-kind.ts';
import { hourMs } from '#kernel/time/time.ts';

const words = (text: string) => text.split(',');

test('default names of products are generic, with up to three digits; names that only contain one are not', () => {
  const products = words(
    'iphone,ipad,ipod,macbook,macbookpro,macbook-pro,macbook-air,imac,mac,android,android-1a2b3c,android_x,galaxy,galaxy s21 ultra,' +
      'pixel,pixel 7 pro,redmi,redmi note,esp,esp32,esp8266,esp-0a1b,esp32_0a1b,raspberrypi,localhost,unknown,host,client,pc,laptop,' +
      'desktop,phone,tablet,tv,printer,camera,ubuntu,debian,linux,wlan,wlan12345,eth,eth12345',
  );
  const numbered = words('iphone2,ipad-2,tv_12,host 123,pc999,mac0');
  expect([...products, ...numbered, '', ' ', '-wifi'].filter((name) => !readHostName(name).isGeneric)).toEqual([]);
  const own = words(
    'annas-iphone,phonebook,pc-of-anna,tv1234,host--1,den,androidx1,esp32x,macbooks,wlanx,ethx,eth1x,mac-1-1,xgalaxy,xtv',
  );
  expect(own.filter((name) => readHostName(name).isGeneric)).toEqual([]);
});

test('a word behind a separator names the interface; spaces around the name, its case and the local domain do not count', () => {
  for (const word of words('wifi,wi-fi,wlan,wireless,wifi5,wifi55,eth,ethernet,lan,lan0,wired,wired1')) {
    for (const separator of words('-,_,., ')) {
      const text = `den${separator}${word}`;
      // A domain is cut off before.
      const isDomain = text === 'den.lan';
      expect(readHostName(` ${text.toUpperCase()} `)).toEqual({
        ...{ text: isDomain ? 'den' : text, stem: 'den', namesInterface: !isDomain, isGeneric: false },
      });
    }
  }
  for (const text of words('denwifi,den-wifix,den-lan00,den-lanx,wifi-den,den-xlan')) {
    expect(readHostName(text)).toMatchObject({ text, stem: text, namesInterface: false });
  }
  for (const domain of words('local,lan,home,home.arpa,localdomain,local.')) {
    expect(readHostName(`den.${domain}`).text).toBe('den');
  }
  for (const text of words('den.local.test,denlocal,den.homes,den.home.test')) {
    expect(readHostName(text).text).toBe(text);
  }
});

test('addresses of router redundancy are shared, those of containers and virtual machines are virtual', () => {
  const shared = words(
    '00:00:5e:00:01:01,00:00:5e:00:02:01,00:00:0c:07:ac:01,00:00:0c:9f:f0:01,00:05:73:a0:01:02,00:07:b4:00:01:02',
  );
  const stable = words(
    '00:00:5e:00:03:01,00:00:0c:07:ad:01,00:00:0c:9f:e0:01,00:05:73:a0:11:02,00:07:b5:00:01:02,00:00:00:00:00:01',
  );
  expect(shared.map(classifyMac)).toEqual(shared.map(() => 'shared'));
  expect(stable.map(classifyMac)).toEqual(stable.map(() => 'stable'));
});

const start = 1_790_000_000_000;

function profile(more: Partial<Record<keyof Profile, unknown>> = {}): Profile {
  return {
    ...{
      id: 1,
      deviceId: 'one',
      isPrivate: false,
      vendors: new Set(),
      clientIds: new Set(),
      mdnsNames: [],
      dhcpNames: [],
    },
    ...{ subnets: new Set(['192.168.1']), firstSeen: start, lastSeen: start, ...more },
  } as Profile;
}

test('the score is the sum of what speaks for and against, between 0 and 1, whichever device comes first', () => {
  const name = fc.constantFrom<[string[], string[]]>(
    [[], []],
    [['den'], ['attic']],
    [['den'], []],
    [['iphone'], ['iphone']],
    [
      ['iphone', 'Den.local'],
      ['attic', 'den'],
    ],
    [['den-wifi'], ['den-eth']],
    [['den'], ['den-eth']],
  );
  const world = fc.record({
    ...{ mdns: name, dhcp: name, hasVendor: fc.boolean(), hasId: fc.boolean() },
    together: fc.constantFrom(0, 4, 5, 6),
    isPrivate: fc.constantFrom([true, true], [true, false], [false, true]),
    gapMs: fc.constantFrom(-1, 0, 1, 48 * hourMs - 1, 48 * hourMs),
    subnet: fc.constantFrom('192.168.1', '192.168.2'),
  });
  fc.assert(
    fc.property(world, ({ mdns, dhcp, hasVendor, hasId, together, isPrivate, gapMs, subnet }) => {
      const common = {
        vendors: new Set(hasVendor ? ['Acme', 'Works'] : []),
        clientIds: new Set(hasId ? ['x', 'y'] : []),
      };
      const [mdnsNames, dhcpNames] = [mdns, dhcp].map(([ours]) => ours);
      const old = profile({ ...common, mdnsNames, dhcpNames, isPrivate: isPrivate[0], lastSeen: start + hourMs });
      const young = profile({
        vendors: new Set(hasVendor ? ['Works'] : ['Acme']),
        clientIds: new Set(hasId ? ['y'] : ['x']),
        ...{ mdnsNames: mdns[1], dhcpNames: dhcp[1], isPrivate: isPrivate[1], subnets: new Set([subnet, '10.0.0']) },
        firstSeen: start + hourMs + gapMs,
      });
      const isSame = ([ours, theirs]: [string[], string[]]) =>
        ours.length > 0 && theirs.some((one) => one.startsWith('den'));
      const saysInterface = ([, theirs]: [string[], string[]]) => theirs.includes('den-eth');
      const isTaken = isPrivate.every(Boolean) && gapMs > 0 && gapMs < 48 * hourMs && subnet === '192.168.1';
      const parts = [
        ...(hasId ? [[60, 'pair_client_id', /client identifier/]] : []),
        ...(isSame(mdns) ? [[45, 'pair_own_name', /call themselves "den"/, { name: 'den' }]] : []),
        ...(isSame(dhcp) ? [[30, 'pair_asked_name', /requested an address with the name "den"/, { name: 'den' }]] : []),
        ...(isTaken ? [[20, 'pair_new_mac', /within two days/]] : []),
      ] as [number, string, RegExp, object?][];
      if (parts.length > 0 && hasVendor) {
        parts.push([10, 'pair_vendor', /made by Works/, { vendor: 'Works' }]);
      }
      const isAgainst = together >= 5 && ![mdns, dhcp].some((one) => isSame(one) && saysInterface(one));
      const sum = parts.reduce((total, [weight]) => total + weight, isAgainst ? -60 : 0);
      for (const found of [compareProfiles(old, young, together), compareProfiles(young, old, together)]) {
        expect(found).toEqual({
          score: Math.min(100, Math.max(0, sum)) / 100,
          reasons: parts.map(([, code, sentence, values = {}]) => {
            return { code, values, sentence: expect.stringMatching(sentence) };
          }),
          counterReasons: isAgainst
            ? [
                {
                  code: 'pair_active_together',
                  values: { polls: together },
                  sentence: `Both were active at the same time, in ${together} polls.`,
                },
              ]
            : [],
        });
      }
    }),
    { numRuns: 1500, seed: 11 },
  );
});
