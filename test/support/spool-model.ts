// What a spool may do with batches, checked after each step: one that it accepted is there, was sent, or is said to be gone.
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { expect } from 'vitest';
import type { Batch } from '#agent/delivery/batches.ts';
import { openSpool, type Spool } from '#agent/delivery/spool.ts';
import { agentProgramLimits as limits } from '#agent/limits.ts';
import { type Failure, failFiles } from './failing-files.ts';
import { collectLog } from './log-lines.ts';
import { batchNames, type SpoolFolder, spoolBatch } from './spool-lab.ts';

export interface Step {
  action: 'add' | 'send' | 'refuse' | 'look' | 'start' | 'damage';
  /** Of the batch that is added. */
  observations: number;
  /** The batch that is damaged, and what is in its file then. */
  which: number;
  damage: string;
  /** What the system does with the calls of the step. After a kill none succeeds, and the program starts anew. */
  fault: (Failure & { isKill: boolean }) | null;
}

const fault = fc
  .record({
    at: fc.integer({ min: 1, max: 9 }),
    error: fc.constantFrom('EIO', 'ENOSPC', 'EACCES', 'EMFILE'),
    count: fc.constantFrom(1, 2, Number.POSITIVE_INFINITY),
    isKill: fc.boolean(),
  })
  .map((one) => (one.isKill ? { ...one, count: Number.POSITIVE_INFINITY } : one));

export const spoolSteps = fc.array(
  fc.record<Step>({
    action: fc.constantFrom('add', 'add', 'add', 'send', 'send', 'refuse', 'look', 'start', 'damage'),
    observations: fc.integer({ min: 1, max: 8 }),
    which: fc.nat({ max: 9 }),
    damage: fc.constantFrom('', '{"schemaVersion":1', 'null', '{}', '{"schemaVersion":2,"observations":[]}'),
    fault: fc.option(fault, { freq: 2 }),
  }),
  { minLength: 5, maxLength: 50 },
);

/** The names of the batches in each folder, by their ids, in their order. */
interface Stored {
  spool: Map<string, string>;
  parked: Map<string, string>;
}

/** Runs the steps against a spool that holds `maxBytes`, then sends what is left; throws when a promise is broken. */
export function checkSpool(at: SpoolFolder, maxBytes: number, steps: readonly Step[]): void {
  const { log, lines } = collectLog('warn');
  const accepted = new Map<string, Batch>();
  const confirmed = new Set<string>();
  const damaged = new Set<string>();
  const none = { droppedBatches: 0, droppedObservations: 0, removedBatches: 0 };
  let counted = { ...none };
  let spool: Spool = openSpool(at.files, maxBytes, log);
  let number = 0;
  const stored = (): Stored => ({ spool: batchNames(at.files.spool), parked: batchNames(at.files.parked) });

  /** The one place where the calls of a step may fail; what the spool gave as its oldest batch, if that was asked. */
  function act({ action, observations }: Step, given: (head: Batch | null) => void): void {
    if (action === 'add') {
      number += 1;
      const one = spoolBatch(number, observations);
      spool.add(one);
      accepted.set(one.batchId, one);
    } else if (action === 'start') {
      spool = openSpool(at.files, maxBytes, log);
    } else {
      const head = spool.head();
      given(head);
      if (head !== null && action === 'send') {
        confirmed.add(head.batchId);
        spool.delivered();
      } else if (head !== null && action === 'refuse') {
        spool.park();
      }
    }
  }

  function damage({ which, damage: text }: Step): void {
    const [id, name] = [...stored().spool].at(which) ?? [];
    if (id !== undefined && name !== undefined) {
      damaged.add(id);
      writeFileSync(path.join(at.files.spool, name), text);
    }
  }

  /** True when the system refused a call of the step. */
  function isRefused(step: Step, given: (head: Batch | null) => void): boolean {
    using failing = step.fault && failFiles(at.path, step.fault, 'reading');
    try {
      act(step, given);
      return false;
    } catch (error) {
      if (failing === null || failing.calls.length < (step.fault?.at ?? 0)) {
        throw error;
      }
      return true;
    }
  }

  function count(before: Stored, after: Stored, sent: string | undefined): void {
    for (const id of before.spool.keys()) {
      const isLost = after.parked.has(id) ? damaged.has(id) : id !== sent;
      if (!after.spool.has(id) && isLost) {
        counted.droppedBatches += 1;
        counted.droppedObservations += accepted.get(id)?.observations.length ?? 0;
      }
    }
    counted.removedBatches += [...before.parked.keys()].filter((id) => !after.parked.has(id)).length;
  }

  function requireEach(now: Stored): void {
    const said = new Set(lines.map((line) => (line as { batch?: string }).batch));
    for (const [id, one] of accepted) {
      const name = now.spool.get(id) ?? now.parked.get(id);
      const folder = now.spool.has(id) ? at.files.spool : at.files.parked;
      if (name === undefined) {
        expect(confirmed.has(id) || said.has(id), `${id} is nowhere, and nothing was said of it`).toBe(true);
      } else if (!damaged.has(id)) {
        expect(JSON.parse(readFileSync(path.join(folder, name), 'utf8'))).toEqual(one);
      }
    }
  }

  function requireBounds(before: Stored, now: Stored): void {
    const bytes = (folder: string, names: Map<string, string>) =>
      [...names.values()].reduce((sum, name) => sum + statSync(path.join(folder, name)).size, 0);
    // The one that is under way is not dropped for the one that is new.
    expect(now.spool.size <= 2 || bytes(at.files.spool, now.spool) <= maxBytes).toBe(true);
    // What could not be removed from there is removed when the next one comes.
    if ([...now.parked.keys()].some((id) => !before.parked.has(id))) {
      expect(now.parked.size).toBeLessThanOrEqual(limits.parkedBatches);
      expect(now.parked.size <= 1 || bytes(at.files.parked, now.parked) <= maxBytes).toBe(true);
    }
  }

  function take(step: Step): void {
    if (step.action === 'damage') {
      damage(step);
      return;
    }
    const before = stored();
    let head: Batch | null | undefined;
    const refused = isRefused(step, (found) => {
      head = found;
    });
    const after = stored();
    if (head !== undefined) {
      const passed = [...before.spool.keys()];
      const over = head === null ? passed : passed.slice(0, passed.indexOf(head.batchId));
      expect(head ?? undefined).toEqual(accepted.get(head?.batchId ?? ''));
      expect(over.filter((id) => !damaged.has(id))).toEqual([]);
    }
    if (step.action === 'start' || (refused && step.fault?.isKill === true)) {
      spool = openSpool(at.files, maxBytes, log);
      counted = { ...none };
    } else {
      count(before, after, step.action === 'send' ? head?.batchId : undefined);
    }
    expect(spool.facts()).toMatchObject({ ...counted, batches: after.spool.size, parked: after.parked.size });
    requireEach(after);
    if (!refused) {
      requireBounds(before, after);
    }
  }

  const calm = { observations: 1, which: 0, damage: '', fault: null };
  for (const step of steps) {
    take(step);
  }
  for (let left = stored().spool.size; left > 0; left = stored().spool.size) {
    take({ ...calm, action: 'send' });
    expect(stored().spool.size).toBeLessThan(left);
  }
}
