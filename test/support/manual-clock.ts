// A clock that stands still until a test moves it. Waits of a second or less are real: they only let sockets settle.
import { type Clock, systemClock } from '#kernel/time/clock.ts';
import { type Sleeper, Sleepers } from '#simulators/support/sleepers.ts';

export class ManualClock implements Clock {
  #now: number;
  #monotonic = 0;
  readonly #sleepers = new Sleepers();

  constructor(now = Date.UTC(2026, 2, 1, 3, 0, 0)) {
    this.#now = now;
  }

  now = (): number => this.#now;

  /** Counts what `advance` and `skip` let pass, not what `put` and `jump` set. */
  monotonic = (): number => this.#monotonic;

  /** How many wait for an instant more than a second away. */
  get sleeping(): number {
    return this.#sleepers.all.size;
  }

  /** The next instant at which somebody wakes; null when nobody waits. */
  get nextAt(): number | null {
    return this.#sleepers.findNext()?.wakeAt ?? null;
  }

  /** Who waits for an instant more than a second away. */
  sleepers(): readonly Readonly<Sleeper>[] {
    return [...this.#sleepers.all];
  }

  sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
    ms <= 1000 ? systemClock.sleep(ms, signal) : this.#sleepers.sleep(this.#now, ms, signal);

  /** Moves time forward, waking every sleeper at its own instant and giving what it started some turns of the loop. */
  async advance(ms: number): Promise<void> {
    const target = this.#now + ms;
    for (let next = this.#sleepers.findNext(target); next; next = this.#sleepers.findNext(target)) {
      this.#pass(Math.max(this.#now, next.wakeAt));
      next.wake();
      await turns();
    }
    this.#pass(target);
    await turns();
  }

  /** Lets time pass without waking anybody. */
  skip(ms: number): void {
    this.#pass(this.#now + ms);
  }

  #pass(to: number): void {
    this.#monotonic += Math.max(0, to - this.#now);
    this.#now = to;
  }

  /** Puts the clock forward or back: waits last as long as they would have. */
  put(to: number): void {
    for (const sleeper of this.#sleepers.all) {
      sleeper.wakeAt += to - this.#now;
    }
    this.#now = to;
  }

  /** Sets the time without waking anybody: a clock that was put right, or wrong. */
  jump(to: number): void {
    this.#now = to;
  }
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}
