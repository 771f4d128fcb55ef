// A random history of a log with a sink: late sightings, verdicts, names, packing, retention, restores, restarts, faults.

import { resendToSink } from '#hub/base/storage/restore/carry-over.ts';
import type { Observation } from '#hub/record/connections/store/observation.ts';
import { packHours } from '#hub/record/connections/upkeep/hour-packer.ts';
import { pruneConnections } from '#hub/record/connections/upkeep/prune.ts';
import { hour, noon } from './connection-log.ts';
import { createDice, type Dice } from './random-log.ts';
import type { SinkLab } from './sink-lab.ts';

export interface History {
  /** Rows of the log are in the table exactly as long as nothing left the log. */
  isWhole: boolean;
  steps: string[];
}

const saved = ['source', 'destination', 'observer', 'observer_set', 'threat', 'flow', 'flow_hour', 'flow_hour_pack'];

/** `fault` arms one of the server for the next requests. Ends after everything that is due was sent. */
export async function runHistory(lab: SinkLab, seed: number, length: number, fault: () => void): Promise<History> {
  const dice = createDice(seed);
  const history: History = { isWhole: true, steps: [] };
  const state: { generation: Map<string, unknown[]> | null } = { generation: null };
  const steps: Record<string, () => Promise<unknown>> = {
    record: () => record(lab, dice),
    late: () => lab.log.record([sighting(dice, lab.time.now - dice.whole(30) * hour)], { now: lab.time.now }),
    judge: () => lab.log.judge(address(dice), dice.chance(0.5) ? { level: 'warn' } : null),
    name: () => lab.log.describe('destination', address(dice), { org: `Org ${dice.whole(4)}`, country: 'NL' }),
    pack: () => packHours(lab.log.db, lab.time.now),
    async time() {
      lab.time.now += dice.whole(4) * hour;
    },
    send: () => lab.sendAll({ ridesOut: true }),
    /** One try, which may fail: the log goes on changing before the next. */
    async once() {
      await lab.sender().look(signal);
      await lab.sender().step(signal);
    },
    restart: () => lab.restart(),
    fault: async () => fault(),
    async backup() {
      state.generation = contents(lab);
    },
    restore: async () => {
      if (state.generation !== null) {
        history.isWhole = false;
        await restore(lab, state.generation);
        await lab.restart();
      }
    },
    prune: async () => {
      history.isWhole = false;
      await pruneConnections(lab.log.db, lab.time.now - 40 * hour);
    },
  };
  const often = ['record', 'record', 'record', 'late', 'time', 'time', 'send', 'once', 'once'];
  for (let step = 0; step < length; step += 1) {
    const name = dice.pick(dice.chance(0.6) ? often : Object.keys(steps));
    history.steps.push(name);
    await steps[name]?.();
  }
  // All hours are compared once a day.
  lab.time.now += 25 * hour;
  await lab.sendAll({ ridesOut: true });
  return history;
}

const { signal } = new AbortController();

const address = (dice: Dice) => `203.0.113.${dice.whole(12)}`;

function sighting(dice: Dice, at: number): Partial<Observation> {
  return {
    dst: address(dice),
    src: `192.168.1.${2 + dice.whole(3)}`,
    dport: dice.pick([443, 53]),
    at: Math.max(at, noon),
  };
}

function record(lab: SinkLab, dice: Dice): Promise<unknown> {
  const routerId = dice.pick(['vendor-a-1', 'vendor-b-2']);
  const seen = Array.from({ length: 1 + dice.whole(6) }, () => sighting(dice, lab.time.now - dice.whole(600_000)));
  return lab.log.record(seen, {
    routerId,
    kind: routerId === 'vendor-a-1' ? 'vendor_a' : 'vendor_b',
    now: lab.time.now,
  });
}

function contents({ log }: SinkLab): Map<string, unknown[]> {
  return new Map(saved.map((table) => [table, log.db.prepare(`SELECT * FROM ${table}`).all()]));
}

/** What a restore leaves of the log and of what was sent. */
function restore({ log }: SinkLab, generation: ReadonlyMap<string, unknown[]>): Promise<void> {
  return log.db.write((writer) => {
    for (const table of saved.toReversed()) {
      writer.prepare(`DELETE FROM ${table}`).run();
    }
    for (const [table, rows] of generation) {
      for (const row of rows as Record<string, unknown>[]) {
        const names = Object.keys(row);
        const values = names.map(() => '?').join(', ');
        writer.prepare(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${values})`).run(...Object.values(row));
      }
    }
    for (const sql of resendToSink) {
      writer.prepare(sql).run();
    }
  });
}
