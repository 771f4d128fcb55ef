// Holds requests until somebody releases them, and tells a test when enough of them are held.

export function createHolding() {
  const held = new Set<() => void>();
  const waiting = new Set<{ count: number; resolve: () => void }>();
  const settle = () => {
    for (const one of [...waiting].filter(({ count }) => held.size >= count)) {
      waiting.delete(one);
      one.resolve();
    }
  };
  return {
    /** Holds one request. Resolves when it is released, or when `gone` says that its client has left. */
    async hold(gone: AbortSignal): Promise<void> {
      if (gone.aborted) {
        return;
      }
      const { promise, resolve } = Promise.withResolvers<void>();
      held.add(resolve);
      gone.addEventListener('abort', resolve as () => void, { once: true });
      settle();
      await promise;
      held.delete(resolve);
    },
    count: () => held.size,
    /** Resolves when `count` requests are held at the same time. */
    waitForHeld(count: number): Promise<void> {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.add({ count, resolve });
      settle();
      return promise;
    },
    release(): number {
      const released = [...held];
      held.clear();
      for (const resolve of released) {
        resolve();
      }
      return released.length;
    },
  };
}
