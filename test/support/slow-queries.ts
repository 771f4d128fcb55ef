// A table of queries that takes a while to load, and says in a file beside it that it has.
import { writeFileSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import { systemClock } from '#kernel/time/clock.ts';

await systemClock.sleep(500);
writeFileSync(`${workerData.file}.loaded`, '');

export const queries = {};
