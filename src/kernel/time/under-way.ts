// What is under way, however it ends.

export interface UnderWay {
  /** Returns `work` itself. */
  track<T>(work: Promise<T>): Promise<T>;
  isAny(): boolean;
  settled(): Promise<void>;
}

export function createUnderWay(): UnderWay {
  const all = new Set<Promise<unknown>>();
  return {
    track(work) {
      const ended = work
        .then(
          () => undefined,
          () => undefined,
        )
        .finally(() => all.delete(ended));
      all.add(ended);
      return work;
    },
    isAny: () => all.size > 0,
    async settled() {
      while (all.size > 0) {
        await Promise.all(all);
      }
    },
  };
}
