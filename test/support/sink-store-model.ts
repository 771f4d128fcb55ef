// What the store of the sink must know after any sequence of looks, sends, refusals and restores, kept in plain maps.
import type { Backlog, SinkState } from '#hub/record/sink/sink-store.ts';

const hourMs = 3_600_000;
/** An hour whose rows were refused waits so long. */
const refusedMs = 6 * hourMs;

interface DueHour {
  rows: number;
  /** It was sent before, and may be the same still. */
  isCheck: boolean;
  look: number;
  notBefore: number;
}

export interface Look {
  position: number;
  hours: readonly number[];
  changed: readonly number[] | null;
  rows: ReadonlyMap<number, number>;
  sweeps: boolean;
  recent: number;
  closedAt: number;
  now: number;
}

export class SinkStoreModel {
  readonly #sent = new Map<number, number>();
  readonly #due = new Map<number, DueHour>();
  #state: SinkState = { position: null, sweptAt: null, lastSentAt: null, lostHours: 0 };
  #look: number;

  /** `look` is the number of the latest look. */
  constructor(look: number) {
    this.#look = look;
  }

  state(): SinkState {
    return { ...this.#state };
  }

  backlog(): Backlog {
    const unsent = [...this.#due].filter(([, { isCheck }]) => !isCheck);
    return {
      hours: unsent.length,
      rows: unsent.reduce((sum, [, { rows }]) => sum + rows, 0),
      oldest: unsent.length === 0 ? null : Math.min(...unsent.map(([hour]) => hour)),
      refused: unsent.filter(([, { notBefore }]) => notBefore > 0).length,
    };
  }

  known(): number[] {
    return [...new Set([...this.#sent.keys(), ...this.#due.keys()])].sort((a, b) => a - b);
  }

  /** Hour, digest of what the server has, and the look that found it. */
  due(now: number, most: number): [hour: number, digest: number | null, look: number][] {
    return [...this.#due]
      .filter(([, { notBefore }]) => notBefore <= now || notBefore > now + refusedMs)
      .sort(([a, one], [b, other]) => Number(one.isCheck) - Number(other.isCheck) || a - b)
      .slice(0, most)
      .map(([hour, { look }]) => [hour, this.#sent.get(hour) ?? null, look]);
  }

  look({ position, hours, changed, rows, sweeps, recent, closedAt, now }: Look): void {
    this.#look += 1;
    const isAll = sweeps || changed === null;
    const newest = hours.at(-1);
    const isNew = newest !== undefined && !this.known().includes(newest);
    const unknown = hours.filter((hour) => !this.known().includes(hour));
    for (const [at, hour] of hours.entries()) {
      const isRecent = isNew && at >= hours.length - recent;
      if (isAll || isRecent || unknown.includes(hour) || changed?.includes(hour)) {
        const before = this.#due.get(hour) ?? { rows: 0, isCheck: this.#sent.has(hour), notBefore: 0 };
        this.#due.set(hour, { ...before, rows: Math.max(before.rows, rows.get(hour) ?? 0), look: this.#look });
      }
    }
    const open = Math.floor(closedAt / hourMs);
    for (const hour of this.known().filter((one) => one < open && !hours.includes(one))) {
      const isLost = this.#due.get(hour)?.isCheck === false && hour < (hours[0] ?? open);
      this.#state.lostHours += Number(isLost);
      this.#due.delete(hour);
      this.#sent.delete(hour);
    }
    this.#state.position = position;
    this.#state.sweptAt = isAll ? now : this.#state.sweptAt;
  }

  /** `hours` with their digests and the looks that found them. */
  sent(hours: readonly [hour: number, digest: number, look: number][], hasBodies: boolean, now: number): void {
    for (const [hour, digest, look] of hours) {
      this.#sent.set(hour, digest);
      const due = this.#due.get(hour);
      if (due?.look === look) {
        this.#due.delete(hour);
      } else if (due) {
        this.#due.set(hour, { ...due, isCheck: true, notBefore: 0 });
      }
    }
    this.#state.lastSentAt = hasBodies ? now : this.#state.lastSentAt;
  }

  refused(hour: number, now: number): void {
    const due = this.#due.get(hour);
    if (due) {
      this.#due.set(hour, { ...due, isCheck: false, notBefore: now + refusedMs });
    }
  }

  tryRefused(): void {
    for (const [hour, due] of this.#due) {
      this.#due.set(hour, { ...due, notBefore: 0 });
    }
  }

  forget(): void {
    this.#sent.clear();
    for (const [hour, due] of this.#due) {
      this.#due.set(hour, { ...due, isCheck: false, notBefore: 0 });
    }
    this.#state.position = null;
  }
}
