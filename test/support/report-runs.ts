// Loaded into a hub by `--import`: at SIGUSR2 it collects garbage and prints how many databases and caches are in memory, as
// one JSON line on stdout.
import { writeSync } from 'node:fs';
import { queryObjects } from 'node:v8';
import { isMainThread } from 'node:worker_threads';
import { Db } from '#kernel/sqlite/sqlite.ts';
import { ExpiringCache } from '#kernel/time/expiring-cache.ts';

if (isMainThread) {
  process.on('SIGUSR2', () => {
    const [databases, caches] = [Db, ExpiringCache].map((each) => queryObjects(each, { format: 'count' }));
    writeSync(1, `${JSON.stringify({ databases, caches })}\n`);
  });
}
