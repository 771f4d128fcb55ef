// The schedule of a soak: drawn from its seed alone, before anything runs.
import { type FaultName, faultNames, findKind, type Subject, subjects } from './catalogue.ts';
import { createChance, pickWeighted } from './chance.ts';

export interface PlannedFault {
  /** From 1 on, in the order of their beginnings. */
  number: number;
  kind: FaultName;
  subject: Subject;
  /** Since the start of the soak, milliseconds. */
  atMs: number;
  lastsMs: number;
  /** 0 ≤ n < 1, for what else the fault must choose. */
  draw: number;
}

export interface PlanOptions {
  seed: number;
  minutes: number;
  /** Nothing but this kind of fault; every kind when null. */
  only: FaultName | null;
}

/** The last faults are over, and what they befell has recovered, before the run ends. */
export const lastQuietMs = 20_000;
/** What a start needs before the first fault. */
const firstQuietMs = 25_000;
/** A run of fewer minutes is no soak but a trial of the program: it begins at once, and waits for no recovery at its end. */
const trialMinutes = 5;

/**
 * Of the length of a run that has so many minutes: the hub is not restarted between these, so that memory can be judged.
 * Shorter ones are too short for that anyway.
 */
const longLife = { leastMinutes: 20, from: 0.2, to: 0.93 } as const;

/**
 * Every subject has faults of its own, one after the other, with a rest between them; those of different subjects overlap.
 * A subject whose fault would not be over in time is left alone.
 */
export function drawPlan({ seed, minutes, only }: PlanOptions): PlannedFault[] {
  const isTrial = minutes < trialMinutes;
  const endMs = minutes * 60_000 - lastQuietMs;
  const faults = subjects.flatMap((subject, index) => {
    const { next: random } = createChance(seed * 1009 + index);
    const all = faultNames.filter(
      (name) => findKind(name).subjects.includes(subject) && (only === null || name === only),
    );
    const found: Omit<PlannedFault, 'number'>[] = [];
    let atMs = (isTrial ? 5000 : firstQuietMs) + Math.floor(random() * 15_000);
    for (;;) {
      const place = atMs / (minutes * 60_000);
      const isMiddle = minutes >= longLife.leastMinutes && place > longLife.from && place < longLife.to;
      const kinds = all.map((name) => ({ name, ...findKind(name) })).filter((one) => !(isMiddle && one.isRestart));
      const kind = pickWeighted(kinds, random());
      const { lastsMs, restMs } = kind ?? { lastsMs: [0, 0] as const, restMs: 30_000 };
      const length = Math.floor(lastsMs[0] + random() * (lastsMs[1] - lastsMs[0]));
      const draw = random();
      if (atMs + length + (isTrial ? 0 : restMs) > endMs) {
        return found;
      }
      if (kind) {
        found.push({ kind: kind.name, subject, atMs, lastsMs: length, draw });
      }
      atMs += length + restMs + Math.floor(random() * 0.3 * restMs);
    }
  });
  return faults.sort((a, b) => a.atMs - b.atMs).map((fault, index) => ({ number: index + 1, ...fault }));
}

/** The schedule for people: a line for each fault, and how many of each kind. */
export function describePlan(faults: readonly PlannedFault[]): string {
  const lines = faults.map(
    ({ number, kind, subject, atMs, lastsMs }) =>
      `${String(number).padStart(4)}  ${clock(atMs)}  ${subject.padEnd(9)} ${kind}${lastsMs > 0 ? `, ${(lastsMs / 1000).toFixed(1)} s` : ''}`,
  );
  const counts = [...Map.groupBy(faults, ({ kind }) => kind)].map(([kind, all]) => `${kind} ${all.length}`);
  return `${lines.join('\n')}\n${faults.length} faults: ${counts.join(', ')}\n`;
}

/** Minutes and seconds. */
export function clock(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  return `${String(Math.floor(seconds / 60)).padStart(2, '0')}:${String(seconds % 60).padStart(2, '0')}`;
}
