// Everything upsget reads that is not a page: addresses, the configuration file, numbers, states, cookies, sender results.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createCookieJar } from '#upsget/cookies.ts';
import { parseFingerprint } from '#upsget/fingerprint.ts';
import { formatAuthority, parseAddress } from '#upsget/host.ts';
import { isMistake, parseIni } from '#upsget/ini.ts';
import { items, parseNumber } from '#upsget/items.ts';
import { formatJson } from '#upsget/json.ts';
import { formatNut } from '#upsget/nut.ts';
import { parseOptions } from '#upsget/options.ts';
import { formatPrometheus } from '#upsget/prometheus.ts';
import { toStates } from '#upsget/state.ts';
import { formatTrapperLines, parseCounts } from '#upsget/trapper.ts';
import { verifies } from '../support/verifies.ts';

const readings = (texts: Record<string, string>) =>
  items.flatMap((item) => (texts[item.name] === undefined ? [] : [{ item, text: texts[item.name] ?? '' }]));

describe('addresses', () => {
  test.each([
    ['192.0.2.7', '192.0.2.7', null],
    ['192.0.2.7:7000', '192.0.2.7', 7000],
    ['ups.example', 'ups.example', null],
    ['ups_1.example.:443', 'ups_1.example.', 443],
    ['::1', '::1', null],
    ['[::1]', '::1', null],
    ['[2001:db8::1]:6547', '2001:db8::1', 6547],
    ['fe80::1%eth0', 'fe80::1%eth0', null],
  ])('%s', (text, host, port) => {
    expect(parseAddress(text)).toEqual({ host, port });
  });

  test.each([
    ...[
      '',
      ' ',
      'a b',
      'ups\n',
      '-h',
      'a/b',
      'http://ups',
      'user@ups',
      'ups;id',
      '$(id)',
      'ups:',
      'ups:0',
      'ups:65536',
    ],
    ...[
      '[::1',
      '::1]',
      '[ups]',
      '[::1]:x',
      '1.2.3',
      '1.2.3.256',
      'a..b',
      '-a.example',
      'é.example',
      `${'a'.repeat(64)}.b`,
    ],
    `${'a.'.repeat(127)}ab`,
  ])('%j is none', (text) => {
    expect(parseAddress(text)).toBeNull();
  });

  test('an IPv6 address stands in brackets', () => {
    expect([formatAuthority('::1', 1), formatAuthority('ups', 2)]).toEqual(['[::1]:1', 'ups:2']);
  });
});

describe('the configuration file', () => {
  const read = (text: string) => {
    const ini = parseIni(text);
    return isMistake(ini) ? ini : Object.fromEntries([...ini].map(([name, keys]) => [name, Object.fromEntries(keys)]));
  };

  verifies('ups.config.section', 'section [ups] with ip, username and password', () => {
    expect(read('[ups]\nip = 192.0.2.7\nusername=operator\npassword: p\n')).toEqual({
      ups: { ip: '192.0.2.7', username: 'operator', password: 'p' },
    });
  });

  test.each([
    ['%, #, ;, quotes and = are part of a value', 'password = "a%b" # c ; d=e', '"a%b" # c ; d=e'],
    ['the first of = and : parts', 'password: a=b', 'a=b'],
    ['keys have no case', 'PassWord = x', 'x'],
    ['an empty value', 'password =', ''],
    ['an indented line goes on', 'password = a\n  b', 'a\nb'],
    ['a comment in between is none of it', 'password = a\n# x\n; y', 'a'],
  ])('%s', (_what, line, value) => {
    expect(read(`\ufeff[ups]\r\n${line.replaceAll('\n', '\r\n')}\r\n`)).toEqual({ ups: { password: value } });
  });

  test('[DEFAULT] is part of every section, section names have case', () => {
    expect(read('[DEFAULT]\nusername = a\n[ups]\n[UPS]\nusername = b')).toMatchObject({
      ups: { username: 'a' },
      UPS: { username: 'b' },
    });
  });

  test.each([
    ['ip = x', 1, /section/],
    ['[ups]\nip', 2, /KEY = VALUE/],
    ['[ups]\nip = a\n\nIP = b', 4, /ip is there twice/],
    ['[ups]\n[ups]', 2, /\[ups\] is there twice/],
    ['[ups]\n = x', 2, /KEY = VALUE/],
  ])('%j is a mistake in line %d', (text, line, message) => {
    expect(read(text)).toEqual({ line, message: expect.stringMatching(message) });
  });

  test('every one-line value comes back', () => {
    const value = fc.string({ unit: 'grapheme' }).filter((text) => !/[\r\n]/.test(text) && text === text.trim());
    const comesBack = (text: string) => {
      expect(read(`[ups]\npassword = ${text}`)).toEqual({ ups: { password: text } });
    };
    fc.assert(fc.property(value, comesBack));
  });
});

describe('values', () => {
  const load = items.find(({ name }) => name === 'load') ?? items[0];

  test.each([
    ['19.0', 19],
    ['1,234', 1234],
    ['-3', -3],
    ['N/A', null],
    ['--', null],
    ['54,0', null],
    ['', null],
  ])('the number of %j', (text, number) => {
    expect(load && parseNumber({ item: load, text })).toBe(number);
  });

  test('a temperature in two units is the first', () => {
    const item = { name: 'temperature', elementIds: ['value_InternalTemp'], unit: '°C', label: '' } as const;
    expect(parseNumber({ item, text: '28.3°C / 82.9°F' })).toBe(28.3);
  });

  test.each([
    ['On Line', ['online']],
    ['On Battery', ['on_battery']],
    ['On Line, AVR Boost Active', ['online', 'boost']],
    ['On Line, AVR Trim Active', ['online', 'trim']],
    ['Self-Test', ['other']],
  ])('the states of %j', (text, states) => {
    expect(toStates(readings({ status: text }))).toEqual(states);
  });

  test('as JSON with numbers: null where there is none, with units', () => {
    const typed = formatJson(readings({ status: 'On Line', load: '19.0', runtime: '1,234', voltage: 'N/A' }), {
      typed: true,
      all: false,
    });
    expect(JSON.parse(typed)).toEqual({
      status: 'On Line',
      load: 19,
      runtime: 1234,
      voltage: null,
      units: { load: '%', runtime: 'min', voltage: 'VAC' },
    });
  });

  test('in the Prometheus format', () => {
    const text = formatPrometheus(
      readings({ status: 'On "B\\attery', load: '7.0', runtime: '2', voltage: 'N/A' }),
      'ups',
    );
    expect(text).toContain('ups_info{ups="ups",status="On \\"B\\\\attery"} 1\n');
    expect(text).toContain('ups_load_ratio{ups="ups"} 0.07\n');
    expect(text).toContain('ups_runtime_seconds{ups="ups"} 120\n');
    expect(text).toContain('ups_status{ups="ups",status="other"} 1\n');
    expect(text).not.toContain('voltage');
    for (const line of text.trimEnd().split('\n')) {
      expect(line).toMatch(/^(?:# (?:HELP|TYPE) [a-z_]+ .+|[a-z_]+\{(?:[a-z]+="(?:[^"\\\n]|\\[\\"n])*",?)+\} [\d.]+)$/);
    }
  });

  test('under NUT names', () => {
    const nut = formatNut(
      readings({ status: 'On Line, AVR Boost Active', load: '45.3', runtime: '75', battery: '95.0' }),
    );
    expect(nut).toBe('battery.charge: 95\nbattery.runtime: 4500\nups.load: 45.3\nups.status: OL BOOST\n');
    expect(formatNut(readings({ status: 'Something new' }))).toBe('');
  });
});

describe('the trapper', () => {
  test('lines are quoted, and no value begins a new one', () => {
    expect(formatTrapperLines(readings({ status: 'a "b" \\ c\nups x y', load: '19.0' }), 'my ups')).toBe(
      '"my ups" ups.status "a \\"b\\" \\\\ c ups x y"\n"my ups" ups.load "19.0"\n',
    );
  });

  test('results of several batches are added', () => {
    const line = 'Response from "127.0.0.1:10051": "processed: 4; failed: 2; total: 6; seconds spent: 0.000055"\n';
    expect(parseCounts(line + line)).toEqual({ processed: 8, failed: 4, total: 12 });
    expect(parseCounts('Sending failed.')).toBeNull();
  });
});

test('cookies: any name, replaced by name, taken back by Max-Age, 1970 or emptiness', () => {
  const jar = createCookieJar();
  jar.store(['27fce5a4fb7ad280=a.node0; Path=/; Secure', 'b=1']);
  jar.store(['27fce5a4fb7ad280=c=d; HttpOnly', 'broken', '=x']);
  expect(jar.header()).toBe('27fce5a4fb7ad280=c=d; b=1');
  jar.store(['b=; Path=/; Max-Age=0']);
  jar.store(['27fce5a4fb7ad280=z; Expires=Thu, 01 Jan 1970 00:00:00 GMT']);
  expect(jar.header()).toBeUndefined();
});

test('fingerprints with and without colons', () => {
  expect(parseFingerprint('ab'.repeat(32))).toBe(Array(32).fill('AB').join(':'));
  expect(parseFingerprint(Array(32).fill('ab').join(':'))).toBe(Array(32).fill('AB').join(':'));
  expect(parseFingerprint('ab')).toBeNull();
});

test('what is not said has a default', () => {
  const plain = parseOptions(['ups', 'u', 'p']);
  expect(plain).toMatchObject({ selected: ['load'], output: 'items', mqtt: null, trapper: null, requestMs: 30_000 });
  expect(parseOptions(['--mqtt-send', 'b', '--trapper-send', 's'])).toMatchObject({
    mqtt: { broker: 'b', user: null, password: null, qos: 0, retain: false },
    trapper: { server: 's', host: null },
    output: null,
  });
});
