// What is sent and what is due, after any sequence of looks, sends, refusals, restores and clocks that move, equals a plain model.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { limits } from '#contract/limits.ts';
import { createSinkStore, type SinkStore } from '#hub/record/sink/sink-store.ts';
import { sinkTimes } from '#hub/record/sink/times.ts';
import type { WriteSteps } from '#kernel/sqlite/sqlite.ts';
import { type ConnectionLog, hour, openConnectionLog } from '../../../support/connection-log.ts';
import { SinkStoreModel } from '../../../support/sink-store-model.ts';

const firstHour = 1000;
const hours = fc.array(fc.integer({ min: firstHour, max: firstHour + 11 }), { minLength: 1, maxLength: 4 });
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ what: fc.constant('record' as const), hours }) },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('remove' as const), hours }) },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('prune' as const), count: fc.nat(4) }) },
  {
    weight: 7,
    arbitrary: fc.record({
      what: fc.constant('look' as const),
      sweeps: fc.nat(4),
      recent: fc.integer({ min: 1, max: 4 }),
    }),
  },
  { weight: 7, arbitrary: fc.record({ what: fc.constant('take' as const), most: fc.integer({ min: 1, max: 6 }) }) },
  { weight: 7, arbitrary: fc.record({ what: fc.constant('sent' as const), hasBodies: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ what: fc.constant('refused' as const) }) },
  { weight: 3, arbitrary: fc.record({ what: fc.constant('time' as const), hours: fc.integer({ min: -8, max: 8 }) }) },
  { weight: 3, arbitrary: fc.record({ what: fc.constantFrom('tryRefused' as const, 'forget' as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

interface Scene {
  store: SinkStore;
  model: SinkStoreModel;
  /** Hour → number of its changes, which stands for its rows. */
  log: Map<number, number>;
  /** Hours that changed since the look before; null: any may have. */
  changed: Set<number> | null;
  taken: [hour: number, look: number][];
  digests: number;
  now: number;
}

const looked: Record<Step['what'], (scene: Scene, step: never) => Promise<void>> = {
  async record({ log, changed }, { hours: seen }: Extract<Step, { what: 'record' }>) {
    for (const one of seen) {
      log.set(one, (log.get(one) ?? 0) + 1);
      changed?.add(one);
    }
  },
  async remove({ log }, { hours: gone }: Extract<Step, { what: 'remove' }>) {
    for (const one of gone) {
      log.delete(one);
    }
  },
  async prune({ log }, { count }: Extract<Step, { what: 'prune' }>) {
    for (const one of [...log.keys()].sort((a, b) => a - b).slice(0, count)) {
      log.delete(one);
    }
  },
  async look(scene, { sweeps, recent }: Extract<Step, { what: 'look' }>) {
    const { store, model, log, now } = scene;
    const closedAt = now - 1;
    const closed = [...log.keys()].filter((one) => one < Math.floor(closedAt / hour)).sort((a, b) => a - b);
    const position = (store.state().position ?? 0) + 1;
    const isKnown = new Set(store.known());
    const changed = scene.changed && closed.filter((one) => scene.changed?.has(one));
    const rows = new Map(
      closed.filter((one) => !isKnown.has(one) || changed?.includes(one)).map((one) => [one, log.get(one) ?? 0]),
    );
    const options = { sweeps: sweeps === 0, recent, closedAt, now };
    await store.found({ position, hours: closed, changed, rows: [...rows] }, options);
    model.look({ position, hours: closed, changed, rows, ...options });
    scene.changed = new Set();
  },
  async take(scene, { most }: Extract<Step, { what: 'take' }>) {
    scene.taken = [...scene.store.due(scene.now, most).looks];
  },
  async sent(scene, { hasBodies }: Extract<Step, { what: 'sent' }>) {
    const { store, model, now } = scene;
    const sent = scene.taken.map(([one, look]): [number, number, number] => {
      scene.digests += 1;
      return [one, scene.digests % 256, look];
    });
    const bodies = hasBodies ? [{ bytes: new Uint8Array(1), rows: 1, digest: 'd' }] : [];
    const units = sent.map(([one, digest]) => ({
      hour: one,
      rows: 1,
      digest: new Uint8Array([digest]),
      isSent: false,
    }));
    await store.sent({ hours: units, bodies }, new Map(scene.taken), now);
    model.sent(sent, hasBodies, now);
    scene.taken = [];
  },
  async refused({ store, model, now, taken }) {
    const [one] = taken.shift() ?? [firstHour];
    await store.refused(one, now);
    model.refused(one, now);
  },
  async time(scene, { hours: by }: Extract<Step, { what: 'time' }>) {
    scene.now += by * hour;
  },
  async tryRefused({ store, model }) {
    await store.tryRefused();
    model.tryRefused();
  },
  async forget(scene) {
    await scene.store.forget();
    scene.model.forget();
    scene.changed = null;
  },
};

function compare({ store, model, now }: Scene): void {
  expect(store.state()).toEqual(model.state());
  expect(store.backlog()).toEqual(model.backlog());
  expect(store.known().sort((a, b) => a - b)).toEqual(model.known());
  for (const at of [now, now + 6 * hour, now + 6 * hour - 1, now - 1]) {
    for (const most of [1, 3, 500]) {
      const { wanted, looks } = store.due(at, most);
      const due = wanted.map(({ hour: one, digest }) => [one, digest?.[0] ?? null, looks.get(one)]);
      expect(due).toEqual(model.due(at, most));
    }
  }
}

async function emptyScene({ db }: ConnectionLog, target: string): Promise<Scene> {
  const store = createSinkStore(db);
  await store.open(target);
  const { look } = db.prepare('SELECT look FROM sink_state').get() as { look: number };
  const now = (firstHour + 8) * hour;
  const log = new Map(Array.from({ length: 5 }, (_, at) => [firstHour + at, 1]));
  return { store, model: new SinkStoreModel(look), log, changed: null, taken: [], digests: 0, now };
}

test('after any sequence of steps the store knows what the model knows', async () => {
  await using log = openConnectionLog();
  let target = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40, size: 'max' }), async (steps) => {
      target += 1;
      const scene = await emptyScene(log, `target ${target}`);
      for (const one of steps) {
        await looked[one.what](scene, one as never);
        compare(scene);
      }
      // The same place again keeps what is known of it.
      await scene.store.open(`target ${target}`);
      compare(scene);
    }),
    { numRuns: 40 },
  );
});

test('after a clock that was ahead, hours that are not closed are forgotten and counted, closed ones stay', async () => {
  await using log = openConnectionLog();
  const store = createSinkStore(log.db);
  await store.open('here');
  const within = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => from + at);
  const found = { position: 1, hours: within(990, 1010), changed: null, rows: [] };
  await store.found(found, { sweeps: false, recent: 1, closedAt: 1010 * hour, now: 1010 * hour });
  const units = within(995, 1003).map((one) => ({ hour: one, rows: 1, digest: new Uint8Array(1), isSent: true }));
  await store.sent({ hours: units, bodies: [] }, store.due(1010 * hour, 500).looks, 1010 * hour);
  const forget = (now: number) => log.db.write((writer) => finish(sinkTimes.clamps?.[0]?.(writer, now)));
  expect(await forget(1000 * hour + limits.sinkGraceMs)).toBe(10);
  expect(store.known()).toEqual(within(990, 1000));
  expect(await forget(1000 * hour + limits.sinkGraceMs - 1)).toBe(1);
  expect(store.known()).toEqual(within(990, 999));
});

/** What all steps of a write return. */
function finish(steps: WriteSteps<number> | undefined): number | undefined {
  for (;;) {
    const step = steps?.next();
    if (step === undefined || step.done) {
      return step?.value;
    }
  }
}

test('before it was opened nothing is known, and a version is above all before and never below the clock', async () => {
  await using log = openConnectionLog();
  const store = createSinkStore(log.db);
  expect(store.state()).toEqual({ position: null, sweptAt: null, lastSentAt: null, lostHours: 0 });
  await store.open('here');
  const versions: number[] = [];
  for (const now of [500, 500, 400, 501, 503]) {
    versions.push(await store.nextVersion(now));
  }
  expect(versions).toEqual([500, 501, 502, 503, 504]);
  await store.open('there');
  expect(await store.nextVersion(1)).toBe(505);
});
