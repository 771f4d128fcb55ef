// Scenarios: what is wrong in a file is said with line and column, and the same seed gives the same journal.
import { globSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { UsageError } from '#kernel/process/program.ts';
import { utcTime } from '#kernel/time/clock.ts';
import { hourMs } from '#kernel/time/time.ts';
import { createPacedClock, createSteppedClock } from '#simulators/scenario/clock.ts';
import { readScenario } from '#simulators/scenario/read.ts';
import { runTimeline } from '#simulators/scenario/run.ts';
import { describeScenario } from '#simulators/scenario/schema.ts';
import { root } from '../support/program.ts';
import { temporaryFolder, writeTree } from '../support/temporary-folder.ts';
import { verifies } from '../support/verifies.ts';

const folder = temporaryFolder();
const shipped = globSync('simulators/scenarios/*.yaml', { cwd: root })
  .sort()
  .map((file) => path.join(root, file));
const outside = temporaryFolder();
writeTree(outside.path, { 'secret.txt': 'x' });
symlinkSync(outside.path, path.join(folder.path, 'link'));
afterAll(() => {
  folder[Symbol.dispose]();
  outside[Symbol.dispose]();
});
let files = 0;

function write(text: string): string {
  files += 1;
  const file = path.join(folder.path, `${files}.yaml`);
  writeFileSync(file, text);
  return file;
}

/** The sentence about a file; null when nothing is wrong with it. */
function findMistake(text: string): string | null {
  try {
    readScenario(write(text));
    return null;
  } catch (error) {
    if (error instanceof UsageError) {
      return error.message;
    }
    throw error;
  }
}

const play = (text: string, speed: number | null = null) => playFile(write(text), speed);

async function playFile(
  file: string,
  speed: number | null = null,
  seed?: number,
  duration?: number,
): Promise<string[]> {
  const start = utcTime(2026, 1, 5);
  const journal: string[] = [];
  await runTimeline({
    read: readScenario(file, { seed, duration, freePorts: true }),
    clock: speed === null ? createSteppedClock(start) : createPacedClock(start, speed),
    host: '127.0.0.1',
    stop: new AbortController().signal,
    onReady: () => undefined,
    onJournal: (line) => journal.push(line),
  });
  return journal;
}

const whole = `about: Everything that a timeline does.
seed: 7
duration: 2h
world:
  devices:
    - name: plug
      programs: [beacon]
    - name: laptop
      programs: [web, dns]
  destinations:
    pool: [198.51.100.7]
simulators:
  router:
    kind: vendor_b
    sessions: 50
  ups:
    kind: ups
    seed: 0
  feeds:
    kind: feeds
  broker:
    kind: mqtt
timeline:
  - at: 30s
    flow:
      src: laptop
      dst: 203.0.113.80
      dport: 443
  - at: 1m
    every: 5m
    until: 1h
    jitter: 10s
    beacon:
      src: plug
      dst: 203.0.113.9
  - at: 10m
    reboot: 90s
  - at: 12m
    device:
      name: guest
      programs: [web]
  - at: 13m
    flow:
      src: guest
      dst: 203.0.113.81
      dport: 443
  - at: 20m
    on: [router]
    fault:
      name: truncated
      afterBytes: 900
  - at: 21m
    on: router
    clear: faults
  - at: 30m
    play: outage
  - at: 31m
    list:
      ioc:
        - value: 203.0.113.9:443
  - at: 32m
    on: ups
    clock: 1h30m
  - at: 33m
    publish:
      topic: a
      payload: b
  - at: 34m
    set:
      BatteryCharge: 41
`;

describe('a file', () => {
  const routerOf = (rest: string) => `simulators:\n  router:\n    kind: vendor_b\n${rest}`;
  const stepOf = (rest: string) => routerOf(`timeline:\n  - at: 1m\n${rest}`);

  test.each([
    ['simulators:\n  ups: { kind: ups, version: 9.9 }', 'line 2, column 30: version: there are pages of 1.4.0'],
    ['simulators:\n  ups: { kind: ups, locale: xx }', 'line 2, column 29: locale must be en, ja, es, de or fr'],
    ['', 'line 1, column 1: the scenario must be an object'],
    ['a: [1', 'line 1, column 6: this is no YAML that can be read: Flow sequence'],
    ['seed: 1\nseed: 2', 'line 2, column 1: this is no YAML that can be read: Map keys must be unique'],
    ['seed: &a 1\nduration: *a', 'line 2, column 11: an alias is not taken here'],
    ['seed: !!js/function x', 'column 7: this is no YAML that can be read: Unresolved tag'],
    ['? [a]\n: 1', 'line 1, column 3: a key must be a text'],
    ['a: 1\n---\nb: 2', 'line 2, column 1: this is no YAML that can be read'],
    [`a: ${'['.repeat(100_000)}`, 'line 1, column 103: is nested more than 100 deep'],
    [Array.from({ length: 1300 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n'), 'is nested more than 100 deep'],
    [`a: [${','.repeat(200_000)}]`, 'has more than 50000 parts up to here'],
    ['seed: 1', 'line 1, column 1: simulators is missing'],
    ['simulators: {}', 'line 1, column 13: simulators must not be empty'],
    ['simulators:\n  Router: { kind: vendor_a }', 'line 2, column 3: Router has a name that is not accepted'],
    ['simulators:\n  router: { kind: vendor_c }', 'line 2, column 19: kind must be vendor_a, vendor_b'],
    [routerOf('    session: 5\n'), 'line 4, column 5: session is not known here; known: kind, sessions'],
    [routerOf('    sessions: many\n'), 'line 4, column 15: sessions must be a whole number from 0 to 65000'],
    [routerOf('    sessions: 65001\n'), 'line 4, column 15: sessions must be a whole number from 0 to 65000'],
    [routerOf('    dialect: rtx830-mape\n'), 'line 4, column 14: unknown profile "rtx830-mape"'],
    [routerOf('    replay: nowhere.txt\n'), /line 4, column 13: replay: \S+nowhere\.txt cannot be read/],
    [routerOf('    replay: ../secret.txt\n'), 'column 13: replay must be a path within the folder of the scenario'],
    [routerOf('    replay: /etc/hostname\n'), 'column 13: replay must be a path within the folder of the scenario'],
    [routerOf('    replay: link/secret.txt\n'), 'column 13: replay must be a path within the folder of the scenario'],
    [
      routerOf('    replicas: 20\n    port: 65530\n'),
      'line 4, column 15: replicas ends beyond port 65535, at router-7',
    ],
    [routerOf('    replicas: 2\n  router-2: { kind: ups }\n'), 'column 3: router-2 is the name of two simulators'],
    [
      routerOf('    port: 4000\n    replicas: 9\n  b: { kind: ups, control-port: 4008 }\n'),
      'line 6, column 3: b has the port 4008, which router-9 has too: choose another one',
    ],
    [routerOf('world: { devices: away }\n'), 'column 19: devices must be home, a whole number or a list'],
    [routerOf('world: { devices: [{ name: a, mac: x }] }\n'), 'line 4, column 36: mac must be a MAC address in lower'],
    [routerOf('duration: 5 m\n'), 'line 4, column 11: duration must be a duration such as 90s, 5m or 1h30m'],
    [routerOf('duration: 900d\n'), 'line 4, column 11: duration must be at most 366d'],
    [stepOf('    wave: 1\n'), 'line 6, column 5: wave is not known here'],
    [stepOf(''), 'line 5, column 5: a step needs one of flow, beacon'],
    [
      stepOf('    clear: faults\n    clock: 3h\n'),
      'line 7, column 12: a step does one thing, not both clear and clock',
    ],
    [stepOf('    set: { BatteryCharge: 4 }\n'), 'column 10: set has no simulator to act on: no simulator is a ups'],
    [
      stepOf('    on: ruter\n    clear: faults\n'),
      'line 6, column 9: on: no simulator is called ruter; there are router',
    ],
    [
      stepOf('    on: router\n    publish: { topic: a, payload: b }\n'),
      'on: publish is for mqtt, and router is a vendor_b',
    ],
    [
      stepOf('    on: [router, router]\n    clear: faults\n'),
      'line 6, column 9: on names router twice: name each simulator once',
    ],
    [
      routerOf('    replicas: 2\ntimeline:\n  - at: 1m\n    on: [router, router-1]\n    clear: faults\n'),
      'line 7, column 9: on names router-1 twice: name each simulator once',
    ],
    [
      stepOf('    every: 1m\n    until: 5m\n    device: { name: b, mac: "00:00:5e:00:53:77" }\n'),
      'line 6, column 12: a device joins once: leave out every',
    ],
    [
      stepOf('    fault: { name: toothache }\n'),
      'line 6, column 20: there is no fault "toothache"; there are login-refused',
    ],
    [
      stepOf('    flow: { src: guest, dst: 192.0.2.1, dport: 1 }\n  - { at: 2m, device: { name: guest } }\n'),
      'line 6, column 18: src "guest" is neither a device that is on the LAN of router by then nor an IPv4 address',
    ],
    [
      stepOf('    flow: { src: guest, dst: 192.0.2.1, dport: 1 }\n  - { at: 1m, device: { name: guest } }\n'),
      'line 6, column 18: src "guest" is neither a device that is on the LAN of router by then nor an IPv4 address',
    ],
    [
      `simulators:
  one: { kind: vendor_a }
  other: { kind: vendor_b }
timeline:
  - { at: 1m, on: other, device: { name: guest } }
  - { at: 2m, on: [other, one], flow: { src: guest, dst: 203.0.113.1, dport: 443 } }
`,
      'line 6, column 46: src "guest" is neither a device that is on the LAN of one by then nor an IPv4 address',
    ],
    [
      stepOf('    flow: { src: toaster, dst: 192.0.2.1, dport: 1 }\n'),
      'column 18: src "toaster" is neither a device that',
    ],
    [
      stepOf('    flow: { src: printer, dst: 192.0.2.300, dport: 1 }\n'),
      'line 6, column 32: dst must be an IPv4 address',
    ],
    [stepOf('    every: 0s\n    reboot: 1m\n'), 'line 6, column 12: every must be at least 1ms'],
    [
      stepOf('    every: 5s\n    reboot: 1m\n'),
      'column 12: every needs until in this step, or the scenario a duration',
    ],
    [stepOf('    jitter: 5s\n    reboot: 1m\n'), 'line 6, column 13: until and jitter need every'],
    [stepOf('    every: 5s\n    until: 30s\n    reboot: 1m\n'), 'line 7, column 12: until must not be before at'],
    [
      stepOf('    every: 1ms\n    until: 300d\n    reboot: 1m\n'),
      'line 6, column 12: the timeline has more than 100000',
    ],
    [
      stepOf('    reboot: 1m\nduration: 30s\n'),
      'line 5, column 9: at is after the end of the scenario, which is at 30s',
    ],
  ])('%#: a mistake is one sentence with its place', (text, sentence) => {
    const said = findMistake(text);
    expect(said).toEqual(
      sentence instanceof RegExp ? expect.stringMatching(sentence) : expect.stringContaining(sentence),
    );
    expect(said).toMatch(/^\d+\.yaml, line \d+, column \d+: \S.*[^.\n]$/);
  });

  test('must not name itself, as a file that would be written', () => {
    const file = write('');
    writeFileSync(file, `simulators:\n  broker: { kind: mqtt, ca-file: ${path.basename(file)} }\n`);
    expect(() => readScenario(file)).toThrow('line 2, column 34: ca-file is the scenario itself: name another file');
  });

  test('beyond 1 MB is not read', () => {
    expect(() => readScenario(write(`# ${'x'.repeat(2 ** 20)}`))).toThrow(
      /\.yaml: cannot be read: it has more than 1048576 bytes/,
    );
    expect(() => readScenario(path.join(folder.path, 'none.yaml'))).toThrow(/none\.yaml: cannot be read: ENOENT/);
  });

  test('the value of an option is the text as it is written, though YAML takes it for a number', () => {
    const written = fc.oneof(
      fc.constantFrom('1E9999', '000123', '1.50', '0x1F'),
      fc.stringMatching(/^[0-9][0-9E.]{0,7}$/),
    );
    fc.assert(
      fc.property(written, (code) => {
        const agent = `{ kind: agent, hub: "http://127.0.0.1:1", code: ${code} }`;
        const { scenario } = readScenario(write(`simulators:\n  agent: ${agent}\n`));
        expect(String(Object(scenario.simulators.agent).code)).toBe(code);
      }),
    );
  });

  verifies('sim.lab.mistakes', 'with a key that nobody knows, anywhere, names this line', () => {
    const lines = whole.trimEnd().split('\n');
    expect(findMistake(whole)).toBeNull();
    fc.assert(
      fc.property(fc.integer({ min: 0, max: lines.length - 1 }), (index) => {
        const line = lines[index] ?? '';
        fc.pre(!/^\s*- /.test(line));
        const indent = line.length - line.trimStart().length;
        const text = lines.toSpliced(index, 0, `${' '.repeat(indent)}zz: 1`).join('\n');
        // Among the simulators it is a name, and its value is what is wrong.
        expect(findMistake(text)).toMatch(
          new RegExp(
            `^\\d+\\.yaml, line ${index + 1}, column (?:${indent + 1}: zz is not known|${indent + 5}: zz must be)`,
          ),
        );
      }),
    );
  });

  test('that is cut anywhere, or has any byte changed, is read or refused with its place', () => {
    fc.assert(
      fc.property(
        fc.nat({ max: whole.length - 1 }),
        fc.constantFrom('', '\0', '[', '{', '"', ':', '\t', '\n', '*a'),
        (at, put) => {
          for (const text of [whole.slice(0, at) + put, whole.slice(0, at) + put + whole.slice(at + 1)]) {
            expect(findMistake(text) ?? 'fine').toMatch(/^(?:fine$|\d+\.yaml, line \d+, column \d+: )/);
          }
        },
      ),
      { numRuns: 200 },
    );
  });
});

verifies(
  'sim.lab.schema',
  'the JSON Schema takes what a scenario may say, and refuses an unknown key as the program does',
  () => {
    const isValid = new Ajv2020({ strict: false, validateFormats: false }).compile(describeScenario());
    expect(isValid(parse(whole))).toBe(true);
    for (const key of ['about', 'sessions', 'programs', 'until', 'afterBytes']) {
      expect(isValid(parse(whole.replace(`${key}:`, `${key}s:`)))).toBe(false);
    }
  },
);

verifies.each(
  'sim.lab.same-journal',
  shipped.map((file) => ({ what: path.basename(file), file })),
  async ({ file }) => {
    const { steps, scenario } = readScenario(file);
    // The demo goes on for a day.
    const duration = Math.min(scenario.duration ?? 0, 9 * hourMs) || undefined;
    const first = await playFile(file, null, 7, duration);
    expect((await playFile(file, null, 7, duration)).join('\n')).toBe(first.join('\n'));
    expect(await playFile(file, 100_000, 7, duration)).toEqual(first);
    const done = new Set(first.map((line) => (JSON.parse(line) as { step?: number }).step));
    expect(steps.map((_, index) => done.has(index + 1))).toEqual(steps.map(() => true));
    expect(scenario.about).toMatch(/^[A-Z].*\.$/);
  },
);

test('seven scenarios are shipped, each with the schema for editors', () => {
  expect(shipped.map((file) => path.basename(file, '.yaml'))).toEqual([
    'beacon-at-night',
    'demo',
    'feed-that-lists-later',
    'full-nat-table',
    'quiet-home',
    'router-that-reboots',
    'ups-on-battery',
  ]);
  for (const file of shipped) {
    expect(readFileSync(file, 'utf8')).toMatch(/^# yaml-language-server: \$schema=scenario\.schema\.json\n/);
  }
});

describe('a timeline', () => {
  verifies(
    'sim.lab.same-journal',
    'is the same for a seed, whatever the speed, and another one for another seed',
    async () => {
      const first = await play(whole);
      expect(await play(whole)).toEqual(first);
      expect(await play(whole, 50_000)).toEqual(first);
      expect(await play(whole.replace('seed: 7', 'seed: 8'))).not.toEqual(first);
      const steps = first.map((line) => JSON.parse(line) as Record<string, unknown>);
      const done = (does: string) => steps.filter((one) => one.does === does);
      expect(done('beacon')).toHaveLength(12);
      expect(done('flow')).toMatchObject([
        { at: 30_000, simulator: 'router', src: '192.168.100.3' },
        { at: 780_000, src: '192.168.100.4' },
      ]);
      const [battery] = steps.filter(({ simulator, kind }) => simulator === 'ups' && kind === 'end');
      expect(battery).toMatchObject({ at: 7_200_000, values: { BatteryCharge: 41 } });
    },
  );

  test('ends at a step that cannot be done, unless it may fail', async () => {
    const full = (more: string) => `world: { traffic: false }
simulators:
  router: { kind: vendor_a, sessions: 10 }
timeline:
  - at: 1m
    fault: { name: table-full }
  - at: 2m
    flow: { src: laptop-01, dst: 203.0.113.1, dport: 443 }${more}
  - at: 3m
    clear: faults
`;
    await expect(play(full(''))).rejects.toThrow(
      /yaml, line 8, column 5: the step flow failed on router at 2m: the NAT table or the pool of outer ports is full$/,
    );
    const journal = await play(full('\n    mayFail: true'));
    expect(journal.filter((line) => line.includes('"failed":"the NAT table'))).toHaveLength(1);
    expect(journal.at(-2)).toContain('"does":"clear"');
  });
});
