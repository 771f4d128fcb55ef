// Databases that were set aside: people hear of each once, and see it as long as it lies there.
import { startJob } from '#kernel/time/job.ts';
import { hourMs } from '#kernel/time/time.ts';
import type { Base } from '../../feature.ts';
import type { Alarm } from './alarm.ts';
import { setAsideFiles } from './set-aside.ts';

export interface SetAsideLook extends AsyncDisposable {
  warnings(): readonly string[];
}

interface Options extends Pick<Base, 'clock' | 'log'> {
  /** The database. */
  file: string;
  alarm: Alarm;
}

/** A start sets files aside; it is over by then. */
const firstMs = 1000;

export function startSetAsideLook({ clock, log, file, alarm }: Options): SetAsideLook {
  const raised = new Set<string>();
  const job = startJob(clock, log, {
    name: 'the look for damaged databases',
    firstMs,
    everyMs: hourMs,
    async run() {
      for (const name of setAsideFiles(file).filter((one) => !raised.has(one))) {
        raised.add(name);
        await alarm.raise(name, sentence(name));
      }
    },
  });
  return {
    warnings: () => setAsideFiles(file).map(sentence),
    [Symbol.asyncDispose]: () => job[Symbol.asyncDispose](),
  };
}

function sentence(file: string): string {
  return `the database was damaged and is set aside as ${file}: gatehouse salvage reads what is left of it; delete it when you need it no more`;
}
