// After a lab nothing of it is left: what is, is named, and the test is red.
import { systemClock, yieldToEventLoop } from '#kernel/time/clock.ts';
import type { ManualClock } from './manual-clock.ts';
import { forgetOpened, noteOpened, type OpenResource, openResources, placesIn } from './open-resources.ts';

/** A timer that was ended, and mostly a connection, is gone after so many turns of the loop. */
const turns = 20;

export interface LeakWatch {
  clock?: ManualClock | undefined;
  /** How long connections, threads, files and sleepers have to go; 20 s when absent, for a busy machine. */
  closingMs?: number;
}

/** How many labs of this process are up: what the process holds open is judged when the last one has ended. */
let up = 0;
let before: ReadonlySet<string> | null = null;

/**
 * Watches from now on. Disposing it comes after everything else of the lab and rejects with what is left: of this clock
 * always, of the process with the last lab.
 */
export function watchLeaks({ clock, closingMs = 20_000 }: LeakWatch = {}): AsyncDisposable {
  if (before === null) {
    noteOpened();
    before = new Set(openResources().settling.map(({ key }) => key));
  }
  up += 1;
  return {
    async [Symbol.asyncDispose]() {
      up -= 1;
      const giveUpAt = systemClock.now() + closingMs;
      const open = up === 0 ? await leftOpen(giveUpAt) : [];
      const left = [...open, ...(await sleepersLeft(clock, giveUpAt))];
      if (left.length > 0) {
        throw new Error(leakMessage(left));
      }
    },
  };
}

/** What the error says; pure. */
export function leakMessage(left: readonly Omit<OpenResource, 'key'>[]): string {
  const lines = left.map(({ name, openedBy }) => {
    return `- ${name}${openedBy.length === 0 ? '' : `, opened by ${openedBy.join(' from ')}`}`;
  });
  return `this is left after the lab has ended:\n${lines.join('\n')}`;
}

async function leftOpen(giveUpAt: number): Promise<OpenResource[]> {
  for (let turn = 0; turn < turns; turn += 1) {
    await yieldToEventLoop();
  }
  const { timers } = openResources();
  for (;;) {
    const left = openResources().settling.filter(({ key }) => before?.has(key) !== true);
    if (up > 0) {
      // Another lab has begun while this one waited: it looks when it ends.
      return [];
    }
    if (left.length === 0 || systemClock.now() > giveUpAt) {
      forgetOpened();
      before = null;
      return [...left, ...timers];
    }
    await systemClock.sleep(5);
  }
}

/** Who sleeps for a peer ends when the peer's socket has said that it is closed, a little after the socket is gone. */
async function sleepersLeft(clock: ManualClock | undefined, giveUpAt: number): Promise<Omit<OpenResource, 'key'>[]> {
  while (clock && clock.sleeping > 0 && systemClock.now() < giveUpAt) {
    await systemClock.sleep(5);
  }
  return (clock?.sleepers() ?? []).map(({ ms, from }) => ({
    name: `sleeper of ${ms} ms on the manual clock`,
    openedBy: placesIn(from.stack ?? ''),
  }));
}
