// Waits for something that another process brings about; gives up after a long while, saying what it saw last.
import { systemClock } from '#kernel/time/clock.ts';

/** Looks every 100 ms. `judge` returns undefined while it is not so yet, and throws when it never will be. */
export async function eventually<S, T>(
  look: () => Promise<S>,
  judge: (seen: S) => T | undefined,
  withinMs = 300_000,
): Promise<T> {
  const giveUpAt = systemClock.now() + withinMs;
  for (;;) {
    const seen = await look();
    const found = judge(seen);
    if (found !== undefined) {
      return found;
    }
    if (systemClock.now() > giveUpAt) {
      throw new Error(`not so within ${withinMs / 1000} s; seen last: ${JSON.stringify(seen, null, 1)}`);
    }
    await systemClock.sleep(100);
  }
}

/** Waits until `isSo`, looking every 100 ms. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  await eventually(
    async () => isSo(),
    (seen) => seen || undefined,
  );
}
