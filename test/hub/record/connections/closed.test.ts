// Closed hours for a copy elsewhere: which changed, what a row of them says, how rows are cut into bodies, and what is left out.
import { createHash } from 'node:crypto';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createClosedHours } from '#hub/record/connections/closed-hours/closed-hours.ts';
import { lookAtHours } from '#hub/record/connections/closed-hours/look.ts';
import { createRowTexts, hourColumns } from '#hub/record/connections/closed-hours/row-text.ts';
import { tasks } from '#hub/record/connections/closed-hours/tasks.ts';
import { readUnit } from '#hub/record/connections/closed-hours/unit.ts';
import { exportHours } from '#hub/record/connections/export/hours-command.ts';
import { HourRows } from '#hub/record/connections/store/hour-pack.ts';
import { readHourRows } from '#hub/record/connections/store/hour-rows.ts';
import { packHours } from '#hub/record/connections/upkeep/hour-packer.ts';
import { isoTime } from '#kernel/time/clock.ts';
import { type ConnectionLog, hour, noon, openConnectionLog, openReader } from '../../../support/connection-log.ts';
import { openFilesBelow } from '../../../support/open-files.ts';

const number = noon / hour;
const sha256 = (bytes: string | Uint8Array) => createHash('sha256').update(bytes).digest('hex');

async function startScene() {
  await using opened = new AsyncDisposableStack();
  const log = opened.use(openConnectionLog());
  const reader = opened.use(openReader(log));
  const held = opened.move();
  return { log, reader, [Symbol.asyncDispose]: () => held.disposeAsync() };
}

const many = (flows: number, at: number, dst = '203.0.113.80') =>
  Array.from({ length: flows }, (_, dport) => ({ dport, at, dst }));

test('each column of a row says what the log knows, escaped, and nothing where it knows nothing', async () => {
  await using scene = await startScene();
  const { log, reader } = scene;
  await log.record([{ at: noon + 5, startedAt: noon + 1, ttl: 7 }], { routerId: "r'1\\" });
  await log.record([{ at: noon + 5 }, { dst: '2001:db8::1', at: noon + 9 }], { routerId: 'r2', kind: 'vendor_b' });
  const source = { mac: '02:00:5e:10:00:01', vendor: 'A\tB', dns_name: 'd\\n', mdns_name: 'm\nn', device_id: 'x' };
  const host = { host: 'a.example\r', country: 'NL', org: 'O\0K', lat: 52.5, lon: -4, city: 'Delft' };
  await log.describe('source', '192.168.1.2', source);
  await log.describe('destination', '203.0.113.80', host);
  await log.judge('203.0.113.80', { level: 'warn', tag: 'botnet', url: 'http://x/y', port: 443 });
  const rows = new HourRows();
  readHourRows(log.db, number, rows);
  const shown = () =>
    [...createRowTexts(reader, 'at\ttic').formatHour(number, rows)].map(({ before, after }) => {
      const cells = [...before.split('\t'), 'VERSION', ...after.split('\t')];
      expect(cells).toHaveLength(hourColumns.length);
      return Object.fromEntries(hourColumns.map((name, at) => [name, cells[at]]));
    });
  const key = (dst: string) => String(BigInt(`0x${sha256(`192.168.1.2\t${dst}\t443\tTCP`).slice(0, 16)}`));
  const instant = (at: number) => isoTime(at).replace('T', ' ').slice(0, 23);
  const common = {
    ...{ hub: 'at\\ttic', hour: instant(noon).slice(0, 19), version: 'VERSION', src: '192.168.1.2', dport: '443' },
    ...{ proto: 'TCP', src_mac: '02:00:5e:10:00:01', src_vendor: 'A\\tB', src_dns_name: 'd\\\\n', device: 'x' },
    ...{ src_mdns_name: 'm\\nn', agent_host: '', process: '' },
  };
  const known = {
    ...{ flow: key('203.0.113.80'), dst: '203.0.113.80', observations: '1', ttl: '7', source: 'vendor_a+vendor_b' },
    ...{ first_seen: instant(noon + 1), last_seen: instant(noon + 5), observers: "['r\\'1\\\\','r2']" },
    ...{ dst_host: 'a.example\\r', country: 'NL', org: 'O\\0K', city: 'Delft', lat: '52.5', lon: '-4' },
    ...{ threat_level: 'warn', threat_confidence: 'high', threat_source: 'feed_ioc', threat_tag: 'botnet' },
    ...{ threat_match: '203.0.113.80', threat_match_type: 'ip', threat_port: '443', threat_url: 'http://x/y' },
  };
  const unknown = {
    ...{ flow: key('2001:db8::1'), dst: '2001:db8::1', observations: '1', ttl: '-1', source: 'vendor_b' },
    ...{ first_seen: instant(noon + 9), last_seen: instant(noon + 9), observers: "['r2']" },
    ...{ dst_host: '', country: '', org: '', city: '', lat: 'nan', lon: 'nan' },
    ...{ threat_level: 'safe', threat_confidence: '', threat_source: '', threat_tag: '' },
    ...{ threat_match: '', threat_match_type: '', threat_port: '-1', threat_url: '' },
  };
  const expected = [known, unknown].map((row) => ({ ...common, ...row }));
  expect(shown()).toEqual(expected);
  await log.db.write((writer) => void writer.prepare('DELETE FROM flow WHERE threat_id IS NULL').run());
  expect(shown()).toHaveLength(1);
});

test('bodies hold each row of the hours that differ, in order, none above its size and none much below the others', async () => {
  await using scene = await startScene();
  const { log, reader } = scene;
  for (const [at, flows] of [0, 7, 40, 100, 3].entries()) {
    await log.record(many(flows, noon + at * hour));
  }
  const rows = new HourRows();
  const texts = createRowTexts(reader, 'attic');
  const linesOf = (at: number) => {
    readHourRows(reader, number + at, rows);
    return [...texts.formatHour(number + at, rows)];
  };
  const digestOf = (at: number) => {
    const text = linesOf(at)
      .map(({ before, after }) => `${before}\t${after}\n`)
      .join('');
    return createHash('sha256').update(text).digest().subarray(0, 16);
  };
  const wanted = (...sent: number[]) =>
    [1, 2, 3, 4].map((at) => {
      const digest = sent.includes(at) ? digestOf(at) : at === 4 ? Buffer.alloc(16) : null;
      return { hour: number + at, digest };
    });
  for (const [bodyRows, taken, sent] of [
    [1000, 4, []],
    [1000, 4, [1, 3]],
    [150, 4, []],
    [147, 3, []],
    [148, 4, []],
    [47, 2, []],
    [48, 3, []],
    [7, 1, []],
    [19, 2, []],
    [20, 2, []],
    [1, 1, []],
    [40, 2, [1]],
    [60, 3, []],
  ] as const) {
    const label = JSON.stringify({ bodyRows, sent });
    const unit = readUnit(reader, { wanted: wanted(...sent), hub: 'attic', version: 9, bodyRows });
    const hours = [1, 2, 3, 4].slice(0, taken);
    const isSent = (at: number) => (sent as readonly number[]).includes(at);
    expect(unit.hours, label).toEqual(
      hours.map((at) => ({
        ...{ hour: number + at, rows: [0, 7, 40, 100, 3][at], digest: digestOf(at), isSent: isSent(at) },
      })),
    );
    const lines = hours.filter((at) => !isSent(at)).flatMap((at) => linesOf(at));
    const bytes = lines.map(({ before, after }) => `${before}\t9\t${after}\n`).join('');
    expect(Buffer.concat(unit.bodies.map((body) => body.bytes)).toString(), label).toBe(bytes);
    const piece = Math.max(1, Math.floor(bodyRows / 20));
    const most = Math.max(1, bodyRows - piece);
    const share = Math.ceil(lines.length / Math.ceil(lines.length / most));
    for (const [at, body] of unit.bodies.entries()) {
      expect([body.rows, body.digest]).toEqual([
        String(Buffer.from(body.bytes)).split('\n').length - 1,
        sha256(body.bytes),
      ]);
      expect(body.rows, label).toBeLessThan(share + piece);
      expect(body.rows, label).toBeGreaterThanOrEqual(at === unit.bodies.length - 1 ? 1 : share);
    }
  }
  const split = readUnit(reader, { wanted: wanted(4), hub: 'attic', version: 9, bodyRows: 150 });
  expect([split.hours.length, split.bodies.length]).toEqual([4, 2]);
  const allSent = readUnit(reader, { wanted: wanted(1, 2, 3), hub: 'attic', version: 9, bodyRows: 2 });
  expect([allSent.hours.length, allSent.bodies.length]).toEqual([4, 3]);
});

test('an hour has changed when a row of it came, or a flow of it is another; what is not known is counted', async () => {
  await using scene = await startScene();
  const { log, reader } = scene;
  const state = { position: null as number | null };
  const look = (
    known: readonly number[] = [number - 1, number, number + 1, number + 2],
    closedAt = noon + 3 * hour,
  ) => {
    const { position, hours, changed, rows } = lookAtHours(reader, { position: state.position, closedAt, known });
    state.position = position;
    const ago = (list: readonly number[]) => list.map((one) => one - number);
    return {
      hours: ago(hours),
      changed: changed && ago(changed),
      rows: rows.map(([at, count]) => [at - number, count]),
    };
  };
  for (const at of [0, 1, 2]) {
    await log.record([...many(3, noon + at * hour), { dst: `198.51.100.${at}`, at: noon + at * hour }]);
  }
  await packHours(log.db, noon + 2 * hour);
  expect(look()).toEqual({ hours: [0, 1, 2], changed: null, rows: [] });
  expect(look([number + 1])).toEqual({
    hours: [0, 1, 2],
    changed: [],
    rows: [
      [0, 4],
      [2, 4],
    ],
  });
  expect(look([], noon + 3 * hour - 1)).toEqual({
    hours: [0, 1],
    changed: [],
    rows: [
      [0, 4],
      [1, 4],
    ],
  });
  await log.record([{ dport: 9, at: noon + hour }], { now: noon + hour });
  expect(look()).toEqual({ hours: [0, 1, 2], changed: [1], rows: [[1, 5]] });
  await log.record([{ dport: 8, at: noon + 5 }], { now: noon + 5 * hour });
  expect(look()).toEqual({ hours: [0, 1, 2], changed: [0], rows: [[0, 5]] });
  await log.judge('198.51.100.1', {});
  expect(look()).toEqual({ hours: [0, 1, 2], changed: [1], rows: [[1, 5]] });
  await log.judge('203.0.113.80', {}, 9);
  expect(look()).toEqual({ hours: [0, 1, 2], changed: [1], rows: [[1, 5]] });
  await log.judge('203.0.113.80', {}, 2);
  expect(look()?.changed).toEqual([0, 1, 2]);
  await log.judge('203.0.113.80', {}, 2);
  await log.record([{ dport: 1, at: noon + 7 * hour }]);
  expect(look()).toEqual({ hours: [0, 1, 2], changed: [], rows: [] });
  await changeFlows(log, 20_000);
  expect(look()).toEqual({ hours: [0, 1, 2], changed: [], rows: [] });
  await changeFlows(log, 20_001);
  expect(look()).toEqual({ hours: [0, 1, 2], changed: null, rows: [] });
});

/** Says that so many flows changed, which are not in the log. */
async function changeFlows({ db }: ConnectionLog, flows: number): Promise<void> {
  const ids = Buffer.from(Uint32Array.from({ length: flows }, (_, at) => 1_000_000 + at).buffer);
  await db.write((writer) => {
    writer.prepare('INSERT INTO flow_change (flows, total) VALUES (?, ?)').run(ids, flows);
  });
}

test('what threads do leaves no connection open, and counts hours that are closed alone', async () => {
  await using scene = await startScene();
  const { log } = scene;
  for (const at of [0, 1, 2]) {
    await log.record(many(1 + at, noon + at * hour));
  }
  const { file } = log.db;
  const closedAt = noon + 2 * hour;
  const count = (hours: readonly number[] | 'all') => tasks.count({ file, hours, closedAt });
  const all = [
    [number, 1],
    [number + 1, 2],
  ];
  expect([count('all'), count([number + 1, number + 2, 5]), count([])]).toEqual([all, all.slice(1), []]);
  const asked = { position: null, closedAt, known: [] };
  const hours = createClosedHours(file);
  expect(await hours.count('all', closedAt)).toEqual(all);
  expect((await hours.look(asked)).hours).toEqual(tasks.look({ file, ...asked }).hours);
  const unit = { wanted: [{ hour: number, digest: null }], hub: 'attic', version: 1, bodyRows: 5 };
  expect((await hours.unit(unit)).bodies[0]?.digest).toBe(tasks.unit({ file, ...unit }).bodies[0]?.digest);
  const stop = AbortSignal.abort(new Error('the hub stops'));
  for (const run of [hours.look(asked, stop), hours.unit(unit, stop), hours.count('all', closedAt, stop)]) {
    await expect(run).rejects.toThrow('the hub stops');
  }
  expect(() => tasks.look({ file: '/nowhere/hub.db', ...asked })).toThrow();
  const open = openFilesBelow(path.dirname(file));
  expect(() => tasks.unit({ file, ...unit, wanted: null as never })).toThrow();
  tasks.look({ file, ...asked });
  expect([...exportHours(file)].join('').split('\n')).toHaveLength(8);
  expect(openFilesBelow(path.dirname(file))).toEqual(open);
});
