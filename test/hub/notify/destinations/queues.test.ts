// The queues of several destinations under any order of events, outages, lost answers, quiet times and restarts.
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Delivery, type Hold, startDelivery } from '#hub/notify/delivery.ts';
import { createOutbox } from '#hub/notify/outbox.ts';
import { SendFailure } from '#hub/notify/send-failure.ts';
import { Db } from '#kernel/sqlite/sqlite.ts';
import { collectLog } from '../../../support/log-lines.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { writeNewDatabase } from '../../../support/new-database.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { createToldEvent } from '../../../support/told-events.ts';

const minuteMs = 60_000;

interface Take {
  key: string;
  id: string;
}

/** One destination: what its other side does, and what it took. */
function createTarget(db: Db, clock: ManualClock, name: string) {
  const outbox = createOutbox({ db, destination: name, format: ([event]) => JSON.stringify(event) });
  const target = {
    outbox,
    isAway: false,
    loses: 0,
    hold: null as Hold | null,
    /** Whether dangerous events ever overtook others. */
    wasOvertaken: false,
    taken: [] as Take[],
    faults: [] as string[],
    delivery: null as Delivery | null,
    start() {
      target.delivery = startDelivery({
        clock,
        log: collectLog('error').log,
        name,
        outbox,
        // Another object with every change, as the settings document has it.
        settings: () => target.hold,
        isReady: () => true,
        findHold: (hold, now) => (hold && hold.until > now ? hold : null),
        describeFailure: ({ message }) => message,
        send: async ({ text, clientId }) => take(text, clientId),
      });
    },
  };
  const take = (text: string, id: string) => {
    const { key, level } = JSON.parse(text) as { key: string; level: string };
    const isHeld = target.hold !== null && target.hold.until > clock.now();
    if (isHeld && !(target.hold?.dangerAnyway && level === 'danger')) {
      target.faults.push(`${key} was sent while events wait`);
    }
    if (target.isAway) {
      throw new SendFailure('unreachable', 'away', 'it is away');
    }
    if (key.startsWith('never')) {
      throw new SendFailure('event', 'refused', 'it is refused');
    }
    target.taken.push({ key, id });
    if (target.loses > 0) {
      target.loses -= 1;
      throw new SendFailure('unreachable', 'lost', 'the answer was lost');
    }
    return true;
  };
  return target;
}

type Target = ReturnType<typeof createTarget>;

async function startScene() {
  const folder = temporaryFolder();
  const file = path.join(folder.path, 'monitor.db');
  writeNewDatabase(file);
  const db = new Db(file);
  const clock = new ManualClock();
  const { sleep } = clock;
  clock.sleep = async (ms, signal) => (ms > 1000 ? sleep(ms, signal) : clock.skip(ms));
  const targets = ['a', 'b'].map((name) => createTarget(db, clock, name));
  const listRests = () => targets.map(({ delivery }) => delivery?.settled());
  /** A rest of less than a second ends by itself: all rest when none has begun another one meanwhile. */
  const settled = async () => {
    let rests: unknown[];
    do {
      rests = listRests();
      await Promise.all(rests);
      await new Promise((resolve) => setImmediate(resolve));
    } while (listRests().some((rest, at) => rest !== rests[at]));
  };
  const keys: string[] = [];
  const end = () => Promise.all(targets.map(({ delivery }) => delivery?.[Symbol.asyncDispose]()));
  for (const target of targets) {
    target.start();
  }
  return {
    targets,
    keys,
    clock,
    settled,
    async put(name: string, isDanger: boolean) {
      const key = `${name} ${isDanger ? 'danger' : 'plain'} ${keys.length}`;
      keys.push(key);
      const event = createToldEvent(key, clock.now(), { level: isDanger ? 'danger' : 'warning' });
      await db.write((writer) => {
        for (const { outbox } of [...targets, ...targets]) {
          outbox.put(writer, event, clock.now());
        }
      });
      for (const { delivery } of targets) {
        delivery?.wake();
      }
      await settled();
    },
    async pass(ms: number) {
      for (const until = clock.now() + ms; clock.now() < until; await settled()) {
        await clock.advance(Math.min(clock.nextAt ?? until, until) - clock.now());
      }
    },
    async restart() {
      await end();
      for (const target of targets) {
        target.start();
      }
      await settled();
    },
    async [Symbol.asyncDispose]() {
      await end();
      await db.close();
      folder[Symbol.dispose]();
    },
  };
}

type Scene = Awaited<ReturnType<typeof startScene>>;
type Step = (scene: Scene) => Promise<void>;

const index = fc.constantFrom(0, 1);
const change = (act: (target: Target, scene: Scene) => void) =>
  index.map(
    (at): Step =>
      async (scene) => {
        const target = scene.targets[at];
        if (target) {
          act(target, scene);
          target.delivery?.wake();
          await scene.settled();
        }
      },
  );
const put = fc.tuple(fc.constantFrom('event', 'event', 'event', 'never'), fc.boolean());
const step = fc.oneof(
  {
    weight: 5,
    arbitrary: put.map(
      (given): Step =>
        (scene) =>
          scene.put(...given),
    ),
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom(1500, 30_000, 11 * minuteMs).map(
      (ms): Step =>
        (scene) =>
          scene.pass(ms),
    ),
  },
  change((target) => Object.assign(target, { isAway: !target.isAway })),
  change((target) => Object.assign(target, { loses: target.loses + 1 })),
  fc.boolean().chain((dangerAnyway) =>
    change((target, { clock }) => {
      target.hold = { until: clock.now() + 20 * minuteMs, dangerAnyway };
      target.wasOvertaken ||= dangerAnyway;
    }),
  ),
  fc.constant<Step>((scene) => scene.restart()),
);

/** The keys in the order in which they were taken first. */
const firstTakes = ({ taken }: Target) => [...new Set(taken.map(({ key }) => key))];
const isOf = (level: string) => (key: string) => key.includes(level);

test('each destination takes everything in order, and each event is shown as delivered once', async () => {
  const isKept = fc.asyncProperty(fc.array(step, { minLength: 25, maxLength: 50 }), async (steps) => {
    await using scene = await startScene();
    for (const one of steps) {
      await one(scene);
    }
    for (const target of scene.targets) {
      Object.assign(target, { isAway: false, loses: 0 });
    }
    await scene.pass(120 * minuteMs);
    const wanted = scene.keys.filter((key) => !key.startsWith('never'));
    for (const target of scene.targets) {
      expect(target.faults).toEqual([]);
      const first = firstTakes(target);
      for (const level of target.wasOvertaken ? ['danger', 'plain'] : ['']) {
        expect(first.filter(isOf(level))).toEqual(wanted.filter(isOf(level)));
      }
      expect(new Set(target.taken.map(({ key, id }) => `${key} ${id}`)).size).toBe(first.length);
      const shown = target.outbox.listLast(100).toReversed();
      const states = scene.keys.map((key) => [key, key.startsWith('never') ? 'given_up' : 'delivered']);
      expect(shown.map(({ title, delivery }) => [title, delivery])).toEqual(states);
      expect(target.outbox.state()).toMatchObject({ waiting: 0 });
    }
  });
  await fc.assert(isKept, { numRuns: 120 });
});
