// What test/support/report-memory.ts prints of a program, and jemalloc of what native code allocated.

/** MiB, after a collection of garbage. */
export interface Memory {
  rss: number;
  anonymous: number;
  heapUsed: number;
  external: number;
  /** Part of `external`. */
  arrayBuffers: number;
  /** Compiled code of the main thread, part of `heapUsed`. */
  machineCode: number;
  bytecode: number;
  threadHeaps: number;
  /** In use by objects of the other threads, part of `threadHeaps`. */
  threadObjects: number;
  /** Compiled code of the other threads, part of `threadObjects`. */
  threadCode: number;
  /** Other threads that answered. */
  threads: number;
  /** By native code and not freed, buffers of `external` among it; null without jemalloc. */
  allocated: number | null;
}

/** The first report of a text, with what jemalloc said last before it; null when there is none. */
export function parseMemory(text: string): Memory | null {
  // Statistics of jemalloc end without a line feed.
  const report = /\{"memory":\{[^}]*\}\}/.exec(text);
  if (report === null) {
    return null;
  }
  const { memory } = JSON.parse(report[0]) as { memory: Omit<Memory, 'allocated'> };
  const statistics = text
    .slice(0, report.index)
    .matchAll(/\{"jemalloc":\{"stats":\{"allocated":(\d+)/g)
    .toArray();
  const bytes = statistics.at(-1)?.[1];
  return { ...memory, allocated: bytes === undefined ? null : Number(bytes) / 1_048_576 };
}
