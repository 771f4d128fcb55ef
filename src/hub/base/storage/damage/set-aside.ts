// Damaged databases that were set aside: what they are called, and which there are.
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { isoTime } from '#kernel/time/clock.ts';

/** `FILE.damaged-YYYY-MM-DDTHH-MM-SS-mmmZ`: never the name of another one. */
export function createSetAsideName(file: string, now: number): string {
  return `${file}.damaged-${isoTime(now).replaceAll(/[:.]/g, '-')}`;
}

/** Lists the files that were set aside from `file` and still exist, the oldest first. */
export function listSetAside(file: string): string[] {
  const start = `${path.basename(file)}.damaged-`;
  return readdirSync(path.dirname(path.resolve(file)))
    .filter((name) => name.startsWith(start) && /^\d{4}-\d\d-\d\dT[\d-]+Z$/.test(name.slice(start.length)))
    .sort()
    .map((name) => path.join(path.dirname(file), name));
}
