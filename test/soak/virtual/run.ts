// The soak in virtual time: days of a home in minutes, with incidents drawn from a seed; at the end of each day the hub is
// compared with a model of what it must hold.

import { isoTime, stopwatch, systemClock } from '#kernel/time/clock.ts';
import { dayMs } from '#kernel/time/time.ts';
import { createNamedChance } from '../chance.ts';
import { print, printVerdict, toStack } from '../verdict.ts';
import { differences } from './checks.ts';
import { digestRun } from './digest.ts';
import { begin, createState, endDue, type Scene } from './events.ts';
import { createFeedWatch } from './feed-watch.ts';
import { type Home, mostGenerations, startHome } from './home.ts';
import { createMachine, live, type Machine } from './people.ts';
import { drawIncidents, parseDays, tickMs } from './plan.ts';
import { look, type Seen } from './seen.ts';
import { createTraffic } from './traffic.ts';

export interface VirtualOptions {
  /** As it was given: a number and a unit, such as `30d`. */
  span: string;
  seed: number;
  /** Aborted by Ctrl-C: what was measured so far is printed. */
  stop: AbortSignal;
}

/** Resolves to the exit code: 0 when every invariant held, 1 when one did not. Throws a UsageError for a span that is none. */
export async function runVirtual({ span, seed, stop }: VirtualOptions): Promise<number> {
  const wanted = parseDays(span);
  const isGood = await printVerdict(async () => {
    const { problems, digest, days } = await runDays({ days: wanted, seed, stop, say: print });
    return { seed, problems, isStopped: stop.aborted, facts: [`${days} virtual days`, `digest ${digest}`] };
  });
  return isGood ? 0 : 1;
}

export interface DaysOptions {
  days: number;
  seed: number;
  stop?: AbortSignal;
  say?: (line: string) => void;
  /** Called before the comparison of each day, counted from 1: what a test plants. */
  evening?: (home: Home, day: number) => Promise<void>;
}

export interface DaysReport {
  /** What was not as it must be, each with the virtual instant; empty after a good run. */
  problems: string[];
  /** Of what the hub held at the end; the same for two runs of one seed. */
  digest: string;
  days: number;
  incidents: Record<string, number>;
  /** What the hub held at the end, and the home it was in. */
  seen: Seen | null;
}

/** Ends with the first day on which something is different. */
export async function runDays({ days, seed, stop, say = () => undefined, evening }: DaysOptions): Promise<DaysReport> {
  using _dice = seededRandom(seed);
  await using home = await startHome(seed, days);
  const { lab } = home;
  const begunAt = lab.clock.now();
  const state = createState(begunAt);
  const scene: Scene = { home, traffic: createTraffic(home), state, tick: 0 };
  const machine = createMachine(home);
  const feedWatch = createFeedWatch(home);
  const report: DaysReport = { problems: [], digest: '', days: 0, incidents: {}, seen: null };
  const elapsed = stopwatch();
  const note = (problem: string) => void report.problems.push(`${isoTime(lab.clock.now())} ${problem}`);
  try {
    for (let day = 1; day <= days && !stop?.aborted && report.problems.length === 0; day += 1) {
      const met: string[] = [];
      const until = begunAt + day * dayMs;
      for (; lab.clock.now() < until && !stop?.aborted; scene.tick += 1) {
        met.push(...(await step(scene, machine, seed, note)));
        feedWatch.look().forEach(note);
      }
      await calmEvening(scene, machine);
      await evening?.(home, day);
      report.seen = await look(home);
      differences(home.model, report.seen, {
        ...{ routers: home.routers.map(({ id }) => id), begunAt, mostGenerations },
        ...{ feedsWellSince: state.feedsWellSince, chatWellSince: state.chatWellSince },
      }).forEach(note);
      report.days = day;
      for (const what of met) {
        report.incidents[what] = (report.incidents[what] ?? 0) + 1;
      }
      const { flows, hours } = report.seen;
      say(
        `day ${day} ${isoTime(lab.clock.now()).slice(0, 10)}: ${flows.size} flows, ${hours.size} hours of flows; ` +
          `${met.length === 0 ? 'no incident' : met.join(', ')}; ${(elapsed() / 1000).toFixed(1)} s`,
      );
    }
    report.digest = report.seen ? digestRun(home, report.seen) : '';
  } catch (error) {
    note(`the run could not go on: ${toStack(error)}`);
  }
  return report;
}

/** Half an hour; returns the incidents that began with it. */
async function step(scene: Scene, machine: Machine, seed: number, note: (problem: string) => void): Promise<string[]> {
  const { home, traffic, state, tick } = scene;
  const chance = createNamedChance(seed, `step ${tick}`);
  const met: string[] = [];
  await endDue(scene);
  const since = home.lab.clock.now();
  for (const router of home.routers) {
    traffic.put(router, chance);
  }
  for (const incident of drawIncidents(seed, tick)) {
    const needsHub = !/^(router|feeds|chat|agent|clock|newly)/.test(incident.what);
    const word = needsHub && !state.isUp ? null : await begin(incident, scene);
    met.push(...(word === null ? [] : [word]));
  }
  if (state.isUp) {
    (await live(home, chance)).forEach(note);
  }
  machine.observe(chance);
  if (state.isUp && !state.isAgentAway && !state.areRowsRefused) {
    await machine.deliver();
  }
  await pass(home, state.isUp, tickMs);
  traffic.shown((router) => (state.cut.has(router) || state.areRowsRefused ? 'perhaps' : 'whole'), since);
  return met;
}

/** From one instant at which somebody wakes to the next: what begins at one has ended before time goes on. */
async function pass({ lab }: Home, isUp: boolean, ms: number): Promise<void> {
  const { clock } = lab;
  const until = clock.now() + ms;
  while (clock.now() < until) {
    await clock.advance(Math.min(until, Math.max(clock.now() + 1, clock.nextAt ?? until)) - clock.now());
    if (isUp) {
      await lab.settled();
    }
  }
}

/** The hub runs, rows are accepted, and what was seen is delivered and stored: then it can be compared. */
async function calmEvening(scene: Scene, machine: Machine): Promise<void> {
  const { home, traffic, state } = scene;
  for (const about of ['hub', 'rows']) {
    const open = state.under.get(about);
    state.under.delete(about);
    await open?.end();
  }
  const since = home.lab.clock.now();
  if (!state.isAgentAway) {
    await machine.deliver();
  }
  await pass(home, true, tickMs);
  traffic.shown((router) => (state.cut.has(router) ? 'perhaps' : 'whole'), since);
  // The workspace is told of one message a second of real time.
  const isThere = Number.isFinite(state.chatWellSince);
  for (let looks = 0; isThere && looks < 20 && (await waitingMessages(home)) > 0; looks += 1) {
    await systemClock.sleep(250);
  }
}

async function waitingMessages({ lab }: Home): Promise<number> {
  const { delivery } = await lab.as.admin.chat.config({});
  return delivery.waiting;
}

/** The hub varies the times of its fetches: by this seed. Disposing of it brings back what was there. */
function seededRandom(seed: number): Disposable {
  const before = Math.random;
  const chance = createNamedChance(seed, 'the dice of the hub');
  Math.random = chance.next;
  return {
    [Symbol.dispose]() {
      Math.random = before;
    },
  };
}
