// Step by step: how many hours a unit has, the rest between two inserts, what is tried alone, and when all is compared again.
import { expect, test } from 'vitest';
import { limits } from '#contract/limits.ts';
import { createClosedHours } from '#hub/record/connections/closed-hours/closed-hours.ts';
import { hourColumns } from '#hub/record/connections/closed-hours/row-text.ts';
import { openClient } from '#hub/record/sink/client.ts';
import { readHourCounts } from '#hub/record/sink/hour-counts.ts';
import { createSender, type Step } from '#hub/record/sink/sender.ts';
import { readStored } from '#hub/record/sink/stored-bytes.ts';
import { hour, noon } from '../../../support/connection-log.ts';
import { type SinkLab, startSinkLab } from '../../../support/sink-lab.ts';

const { signal } = new AbortController();
const day = 24 * hour;

/** Steps until nothing is due; failures too. */
async function steps(lab: SinkLab): Promise<Step[]> {
  return lab.sendAll({ ridesOut: true });
}

test('a unit has 500 hours at most, and a step says what it sent', async () => {
  await using scene = await startSinkLab();
  const { lab } = scene;
  await lab.log.record(Array.from({ length: 501 }, (_, index) => ({ at: noon + index * hour })));
  await lab.log.record([{ dst: '203.0.113.81', at: noon }], { now: noon + 501 * hour });
  lab.time.now = noon + 501 * hour + limits.sinkGraceMs - 1;
  expect(await steps(lab)).toEqual([{ did: 'sent', hours: 500, rows: 501 }]);
  lab.time.now += 1;
  const newHour = { did: 'sent', hours: 1, rows: 1 };
  expect(await steps(lab)).toEqual([newHour]);
  lab.time.now += day - 2;
  await lab.sender().look(signal);
  expect(lab.store.due(lab.time.now, 1000).wanted).toEqual([]);
});

test('all hours are compared after a day by the clock, also one that was put back by a day', async () => {
  await using scene = await startSinkLab();
  const { lab } = scene;
  await lab.log.record([{ at: noon }]);
  await steps(lab);
  const swept = lab.time.now;
  for (const [offset, sweeps] of [
    [day - 1, false],
    [day, true],
    [1, false],
    [0, true],
  ] as const) {
    const before = lab.store.state().sweptAt;
    lab.time.now = swept + offset;
    await lab.sender().look(signal);
    expect([offset, lab.store.state().sweptAt !== before]).toEqual([offset, sweeps]);
  }
  await lab.sender().look(signal, { sweeps: true });
  expect(lab.store.due(lab.time.now, 10).wanted).toHaveLength(1);
});

test('between two inserts it rests for what is left of the pace, also when the clock was put back meanwhile', async () => {
  await using scene = await startSinkLab();
  const { lab } = scene;
  const slept: number[] = [];
  const time = { now: lab.time.now };
  const clock = { now: () => time.now, monotonic: () => time.now, sleep: async (ms: number) => void slept.push(ms) };
  const client = await openClient(lab.settings, lab.settings.writer);
  const options = { clock, settings: lab.settings, store: lab.store, columns: hourColumns, client };
  const sender = createSender({ ...options, hours: createClosedHours(lab.log.db.file) });
  for (const [at, passed] of [0, limits.sinkPaceMs - 1, limits.sinkPaceMs, -1000].entries()) {
    await lab.log.record([{ dst: `203.0.113.${at}`, at: noon }]);
    time.now += passed;
    await sender.look(signal);
    expect(await sender.step(signal)).toEqual({ did: 'sent', hours: 1, rows: at + 1 });
  }
  await client.close();
  expect(slept).toEqual([1, limits.sinkPaceMs]);
});

test('hours of a refused insert are tried alone, each once, and the next ones together again', async () => {
  await using scene = await startSinkLab();
  const { lab, server } = scene;
  for (let at = 0; at < 4; at += 1) {
    await lab.log.record([{ dst: `203.0.113.${at}`, at: noon + at * hour }]);
  }
  lab.time.now += 3 * hour;
  server.fail('bad-row', { value: '203.0.113.1\t' });
  const outcome = (all: readonly Step[]) => all.map((step) => (step.did === 'sent' ? step.hours : step.did));
  expect(outcome(await steps(lab))).toEqual(['failed', 1, 'failed', 1, 1]);
  for (let at = 4; at < 7; at += 1) {
    await lab.log.record([{ dst: `203.0.113.${at}`, at: noon + at * hour }]);
  }
  lab.time.now += 3 * hour;
  expect(outcome(await steps(lab))).toEqual([3]);
  server.clearFaults();
  const refusedAt = lab.time.now - 3 * hour;
  lab.time.now = refusedAt + 6 * hour - 1;
  expect(outcome(await steps(lab))).toEqual([]);
  lab.time.now += 1;
  expect(outcome(await steps(lab))).toEqual([1]);
});

test('a step whose signal is aborted rejects with its reason, and is made again', async () => {
  await using scene = await startSinkLab();
  const { lab, server } = scene;
  await lab.log.record([{ at: noon }]);
  await lab.sender().look(signal);
  server.fail('no-answer', { times: 1 });
  const leaving = new AbortController();
  const step = lab.sender().step(leaving.signal);
  const requests = () => server.journal().filter(({ kind }) => kind === 'request').length;
  await expect.poll(requests).toBe(1);
  leaving.abort(new Error('the hub stops'));
  await expect(step).rejects.toThrow('the hub stops');
  expect(await lab.sender().step(signal)).toEqual({ did: 'sent', hours: 1, rows: 1 });
});

test('the counts of hours are asked month by month, both ends included', async () => {
  await using scene = await startSinkLab();
  const { lab, server } = scene;
  const from = noon / hour;
  const at = [0, 1, 743, 744, 1487, 1488, 1500];
  await lab.log.record(at.map((offset) => ({ at: noon + offset * hour })));
  lab.time.now = noon + 1502 * hour;
  await lab.sendAll();
  const { reader } = lab.settings;
  const client = await openClient(lab.settings, reader as NonNullable<typeof reader>);
  const counted = async (first: number, last: number) => {
    const seen = server.journal().length;
    const counts = await readHourCounts(client, { hub: 'attic', from: from + first, to: from + last }, signal);
    const questions = server
      .journal()
      .slice(seen)
      .filter(({ kind }) => kind === 'request').length;
    return { hours: [...counts].map(([one, rows]) => [one - from, rows]), questions };
  };
  const ones = (...offsets: number[]) => offsets.map((offset) => [offset, 1]);
  expect(await counted(0, 743)).toEqual({ hours: ones(0, 1, 743), questions: 1 });
  expect(await counted(0, 744)).toEqual({ hours: ones(0, 1, 743, 744), questions: 2 });
  expect(await counted(1, 1487)).toEqual({ hours: ones(1, 743, 744, 1487), questions: 2 });
  expect(await counted(1, 1488)).toEqual({ hours: ones(1, 743, 744, 1487, 1488), questions: 2 });
  expect(await counted(0, 1500)).toEqual({ hours: ones(...at), questions: 3 });
  expect(await counted(1500, 1499)).toEqual({ hours: [], questions: 0 });
  await client.close();
  expect(await readStored(lab.settings, signal)).toEqual({ rows: 7, bytes: 140 });
  server.fail('unavailable');
  expect(await readStored(lab.settings, signal)).toBeNull();
});
