// Compares the database with what Agents were acknowledged, and the messages of the workspace with each other.
import { systemClock } from '#kernel/time/clock.ts';
import { doubleProblem, lostProblem, parseAlert, readStored, toldTwice } from '../invariants/stored.ts';
import type { Ack } from '../world/agents.ts';
import type { World } from '../world/world.ts';
import type { Checks } from './checks.ts';

export interface StoredWatch {
  /** Looks once; skipped while the hub is away. */
  look(): void;
  /** Reads the journal of the Agents, and these lines of the others: each second, so that an ACK has its time. */
  read(lines: readonly string[]): void;
  readonly acknowledged: number;
  readonly told: number;
}

/** An ACK is on disk before it is sent: it may only be younger than the look. */
const settleMs = 1500;

export function createStoredWatch({ hub, agents, undone }: World, checks: Checks): StoredWatch {
  const acks: Ack[] = [];
  let messages: string[] = [];
  let told = 0;
  let restores = 0;
  return {
    get acknowledged() {
      return acks.length;
    },
    get told() {
      return told;
    },
    read(lines) {
      acks.push(...agents.acks(systemClock.now()));
      const fresh = lines.flatMap((line) => parseAlert(line));
      told += fresh.length;
      messages.push(...fresh);
    },
    look() {
      if (hub.absence() !== null) {
        return;
      }
      if (undone.length !== restores) {
        // What happened after the backup may happen, and be told, again.
        restores = undone.length;
        messages = [];
      }
      const before = systemClock.now() - settleMs;
      const due = acks.filter(
        ({ seenAt }) => seenAt < before && !undone.some(({ from, to }) => seenAt >= from && seenAt <= to + settleMs),
      );
      const stored = readStored(hub.dataDir);
      checks.check('agent-batches', lostProblem(due, stored));
      checks.check('nothing-twice', doubleProblem(stored) ?? toldTwice(messages));
    },
  };
}
