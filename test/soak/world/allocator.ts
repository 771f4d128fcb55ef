// What allocates memory for the hub of a soak. The C library keeps much of what was freed: its highest need of any moment so far,
// which rises with every burst and looks like a leak. jemalloc gives free pages back within a second.
import { existsSync } from 'node:fs';

/** Where the systems we know put it: Debian on two processors, Fedora, Arch. */
const places = [
  '/usr/lib/x86_64-linux-gnu/libjemalloc.so.2',
  '/usr/lib/aarch64-linux-gnu/libjemalloc.so.2',
  '/usr/lib64/libjemalloc.so.2',
  '/usr/lib/libjemalloc.so.2',
];

export interface Allocator {
  /** For the table. */
  name: string;
  env: Readonly<Record<string, string>>;
}

/** jemalloc where it is installed; else the C library with the settings of the launcher (docs/operations.md). */
export function allocator(): Allocator {
  const library = places.find((place) => existsSync(place));
  if (library === undefined) {
    return {
      name: 'the C library, which keeps what was freed; with libjemalloc2 installed, the memory of native code is judged too',
      env: { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '262144' },
    };
  }
  const givesBack = 'narenas:2,background_thread:true,dirty_decay_ms:1000,muzzy_decay_ms:0';
  // As JSON, without what it says of each arena: a line each 128 MiB that are allocated.
  const statistics = 'stats_interval:134217728,stats_interval_opts:Jgmdablxe';
  return { name: 'jemalloc', env: { LD_PRELOAD: library, MALLOC_CONF: `${givesBack},${statistics}` } };
}
