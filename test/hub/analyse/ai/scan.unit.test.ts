// What is found in a text: each address, host name and number with its value, its rounding and its unit.
import { expect, test } from 'vitest';
import { collectKnown, type Known } from '#hub/analyse/ai/citations/known.ts';
import { scanText, type Token } from '#hub/analyse/ai/citations/scan.ts';
import type { NumberToken } from '#hub/analyse/ai/citations/scan-numbers.ts';
import type { Context } from '#hub/analyse/insights/context-shape.ts';
import { hourMs } from '#kernel/time/time.ts';

const spell = ({ value, within, unit, isLabel }: Omit<NumberToken, 'parts'>) =>
  `${value}${within > 0 ? `±${within}` : ''}${unit === 'none' ? '' : ` ${unit}`}${isLabel ? ' label' : ''}`;

/** As `text=value±rounding unit`, with the numbers that it may be instead in brackets; `text@address`, `text#host`. */
function spellToken(token: Token, text: string): string {
  const said = text.slice(token.start, token.end);
  if (token.kind !== 'number') {
    return `${said}${token.kind === 'address' ? '@' : '#'}${token.value}`;
  }
  expect(token.parts.some(({ isLabel }) => isLabel)).toBe(false);
  const parts = token.parts.map((part) => `${text.slice(part.start, part.end)}=${spell(part)}`);
  return `${said}=${spell(token)}${parts.length > 0 ? `[${parts.join()}]` : ''}`;
}
const found = (text: string, names?: string[]) => scanText(text, names).map((token) => spellToken(token, text));

/** Ways to write each unit behind a number. */
const units = {
  percent: ['%', ' %', 'percent', ' Percent', 'パーセント', ' パーセント', '%ポイント'],
  times: ['倍', ' 倍', 'times', ' times', 'x', '×', 'x as much'],
  ms: ['ms', ' ms', ' millisecond', ' milliseconds', 'milliseconds', 'ミリ秒', ' ミリ秒'],
  second: ['s', ' sec', 'secs', ' second', ' seconds', 'seconds', '秒', ' 秒'],
  minute: ['m', ' min', 'mins', ' minute', ' minutes', 'minutes', '分', ' 分'],
  hour: ['h', ' h', '-hr', ' hrs', 'hr', ' hour', '-hours', 'hours', '時間', ' 時間'],
  day: ['d', ' d', 'day', '-day', ' days', '日間', ' 日間'],
  week: ['w', ' w', 'week', '-week', ' weeks', '週間', ' 週間'],
};

test.each(Object.entries(units))('the unit %s is what stands right behind a number', (unit, spellings) => {
  for (const spelling of spellings) {
    expect(found(`5${spelling}`)).toEqual([`5=5 ${unit}`]);
    expect(found(`in 5${spelling}, seen`)).toEqual([`5=5 ${unit}`]);
    expect(found(`5 or ${spelling}`)).toEqual(['5=5']);
    expect(found(`5; ${spelling}`)).toEqual(['5=5']);
  }
});

test('words that begin as a unit, and letters that belong to the number, are none', () => {
  for (const word of [
    ...[' percents', ' timesheets', '×2', ' x', ' msx', ' s', ' secsx', ' m', ' minx', ' hourly', ' dayx', ' weekly'],
    ...['分の', '分け', '分割', '分布', '分類', ' thousands', ' millions', ', then', '.', '-'],
  ]) {
    expect(found(`5${word}`).slice(0, 1)).toEqual(['5=5']);
  }
  for (const word of ['kB', 'xA', 'x2', 'abc', '_a', 'Z']) {
    expect(found(`5${word}`)).toEqual([]);
  }
});

test.each<[string, ...string[]]>([
  // Values and how they may have been rounded.
  ['0.5 and 12.25', '0.5=0.5±0.05', '12.25=12.25±0.005'],
  ['5k, 5 thousand and 5千', '5=5000±500', '5=5000±500', '5=5000±500'],
  ['1.25k ms', '1.25=1250±5 ms'],
  ['5万, 5 million, 5億', '5=50000±5000', '5=5000000±500000', '5=500000000±50000000'],
  ['5 or k, 5 or thousand', '5=5', '5=5'],
  ['5 or 万', '5=5'],
  ['5, a million', '5=5'],
  ['5 or 億', '5=5'],
  ['5万%', '5=50000±5000 percent'],
  // Groups of digits.
  ['12,345', '12,345=12345[12=12,345=345]'],
  ['123,456,789', '123,456,789=123456789[123=123,456=456,789=789]'],
  ['1,234.5 %', '1,234.5=1234.5±0.05 percent[1=1,234.5=234.5±0.05 percent]'],
  ['1,000 and 1,034,567', '1,000=1000', '1,034,567=1034567'],
  ['10,200', '10,200=10200[10=10,200=200]'],
  ['100 200', '100 200=100200[100=100,200=200]'],
  ['1,234 567', '1,234=1234[1=1,234=234]', '567=567'],
  ["1'234’567", "1'234=1234", '567=567'],
  ['1’234 and 1\u00a0234\u00a0567', '1’234=1234', '1\u00a0234\u00a0567=1234567'],
  ['1\u2009234', '1\u2009234=1234'],
  ['1234,567', '1234=1234', '567=567'],
  ['1,2345', '1=1', '2345=2345'],
  ['1,234,5', '1,234=1234[1=1,234=234]', '5=5'],
  ['1;234', '1=1', '234=234'],
  ['x5, .5, 5.', '5=5'],
  ['１２，３４５．５', '１２，３４５．５=12345.5±0.05[１２=12,３４５．５=345.5±0.05]'],
  // What only names or numbers something.
  ...[
    ...[
      'RFC ',
      'TLS ',
      'ssl ',
      'HTTP/',
      'wifi ',
      'Wi-Fi ',
      'version ',
      'ver ',
      'ver. ',
      'Windows ',
      'IPv ',
      'section ',
    ],
    ...[
      'step ',
      'option ',
      'point ',
      'item ',
      'phase ',
      'part ',
      'top ',
      'no. ',
      '#',
      '第',
      'トップ',
      'トップ ',
      '上位',
    ],
    '上位 ',
  ].map((name): [string, string] => [`the ${name}5`, '5=5 label']),
  ...['つ目', ' つ目', '点目', ' 点目', '番目', ' 番目', '位', ' 位'].map((rank): [string, string] => [
    ...([`5${rank}`, '5=5 label'] as const),
  ]),
  ['5日', '5=5 day label'],
  ['5 日', '5=5 day label'],
  ['5位置, 5位相', '5=5', '5=5'],
  ['5は番目, 5の位', '5=5', '5=5'],
  ['misstep 5, the step is 5', '5=5', '5=5'],
  ...['', ' ', '\t', '- ', '-  ', '## ', '>\t', '**', '(', ' - **('].flatMap((before): [string, string][] => [
    [`${before}5. A`, '5=5 label'],
    [`Text\n${before}12) A`, '12=12 label'],
    [`${before}5:** A`, '5=5 label'],
  ]),
  ['a 5. A', '5=5'],
  ['foo:5. A', '5=5'],
  ['-5. A', '5=5'],
  ['123. A', '123=123'],
  ['5; A', '5=5'],
  ['5.A', '5=5'],
  ['5,. A', '5=5'],
  ['1.5. A', '1.5=1.5±0.05'],
  ['CVE-2026-1234, SHA-256, .sha-256, 9sha-256', '256=256', '256=256'],
  // Addresses.
  ['0200.0000.002A and 02-00-00-00-00-2a', '0200.0000.002A@02:00:00:00:00:2a', '02-00-00-00-00-2a@02:00:00:00:00:2a'],
  ['::ffff:192.168.100.201 and ::ffff:1.2.3.4', '::ffff:192.168.100.201@192.168.100.201', '::ffff:1.2.3.4@1.2.3.4'],
  [
    '2001:db8::/32, 2001:db8:1::/128, fd00::abcd',
    '2001:db8::/32@2001:db8::',
    '2001:db8:1::/128@2001:db8:1::',
    'fd00::abcd@fd00::abcd',
  ],
  ['fd00::1: it, 02:00:00:00:00:2a: it', 'fd00::1@fd00::1', '02:00:00:00:00:2a@02:00:00:00:00:2a'],
  ['1:2:3 and 5.The', '1=1', '2=2', '3=3', '5=5'],
  ['std::map, ::, ::::', ...[]],
  ['10.1.2.3/8, 10.1.2.3:80, 256.1.1.1', '10.1.2.3/8@10.1.2.3', '10.1.2.3@10.1.2.3', '80=80', '256.1.1.1@null'],
  ['10(.)1(.)2(.)3', '10(.)1(.)2(.)3@10.1.2.3'],
  ['v1.2.3, 12.34.56, v10.20.30.40.50, x1.2.3', ...[]],
  // Host names.
  ['A.Example, A.EXAMPLE, a.b-c.xn--abc1', 'A.EXAMPLE#a.example', 'a.b-c.xn--abc1#a.b-c.xn--abc1'],
  [
    'https://a.example/5, http://b.example?6 and xhttp://c.example#7',
    'a.example#a.example',
    'b.example#b.example',
    'c.example#c.example',
  ],
])('in %j', (text, ...expected) => {
  expect(found(text)).toEqual(expected);
});

test('names are found as they are written, the first of the list first, and not inside of others', () => {
  expect(found('TV-2 and TV-21, xTV-2; TV', ['TV-2', 'TV'])).toEqual(['TV-2#TV-2', 'TV#TV']);
  expect(found('a (b) [c]* 5', ['a (b) [c]*'])).toEqual(['a (b) [c]*#a (b) [c]*', '5=5']);
});

const counts = (connections: number, devices: number, more: number) => ({
  ...{ connections, devices, destinations: more, safe: more + 1, warn: 0, danger: 0 },
});
const context = {
  schemaVersion: 3,
  range: { from: '', to: '', hours: 1.5 },
  previousRange: { from: '', to: '', hours: 2 },
  current: counts(200, 30, 50),
  previous: counts(100, 0, 40),
  topServices: [{ connections: 20 }],
  topDestinations: [{ ip: '203.0.113.9', host: 'a.b.example', org: 'Port 77 at 192.168.1.9', connections: 10 }],
  threats: [{ ip: '2001:DB8::9', host: null, tag: 'Bot', connections: 4, devices: [] }],
  deviceInventory: {
    devices: ['TV-1', 'TV-12', 'tv', 'kitchen tv', 'ab1', '12345', 'Ｔｖ 9', 'TV'].map((name) => ({
      name,
      connections: 0,
    })),
  },
  limits: { observedPercent: 97.5, previousObservedPercent: null, shortened: ['x.yz'] },
  ...{ mac: '02-00-00-00-00-2A', note: 'see 02:00:00:00:00:2b' },
} as unknown as Context;

const sorted = (values: Iterable<number>) =>
  [...new Set([...values].map((one) => Math.round(one * 1e6) / 1e6))].sort((a, b) => a - b);

test('what follows from facts: their addresses, domains, names, and sums, changes and shares of their counts', () => {
  const known: Known = collectKnown(context);
  expect([...known.addresses].sort()).toEqual([
    ...['02:00:00:00:00:2a', '02:00:00:00:00:2b', '192.168.1.9', '2001:db8::9', '203.0.113.9'],
  ]);
  expect([...known.hosts].sort()).toEqual(['a.b.example', 'b.example', 'x.yz']);
  expect(known.names).toEqual(['a.b.example', 'TV-12', 'TV-1', 'Tv 9', 'ab1']);
  expect(known.fractions).toEqual([1.5, 97.5]);
  expect(known.durations).toEqual([1.5 * hourMs, 2 * hourMs]);
  // Changes of connections, destinations and safe; parts of all; what was observed and what was not.
  const changes = [100, 25, (10 / 41) * 100];
  const parts = [25.5, 0, 41, 10, 5, 2];
  expect(sorted(known.percents)).toEqual(sorted([...changes, ...parts, 97.5, 2.5]));
  expect(sorted(known.ratios)).toEqual(sorted([2, 0.5, 0, 50 / 40, 40 / 50, 51 / 41, 41 / 51]));
  const differences = [100, 30, 10, 10, 0];
  const sums = [300, 30, 90, 92, 0];
  const lengths = [1, 8, 0];
  const inTexts = [77, 9, 12345];
  const stated = [3, 1.5, 2, 200, 30, 50, 51, 0, 100, 40, 41, 20, 10, 4, 97.5];
  expect(sorted(known.numbers)).toEqual(sorted([...differences, ...sums, ...lengths, ...inTexts, ...stated]));
});

test('without connections nothing is a share of them, and of nothing nothing is a change or a ratio', () => {
  const none = { ...counts(0, 0, 0), safe: 0 };
  const { percents, ratios } = collectKnown({ ...context, current: none, previous: { ...none, warn: 3, danger: 4 } });
  expect([sorted(percents), ratios]).toEqual([
    [2.5, 97.5, 100],
    [0, 0],
  ]);
});
