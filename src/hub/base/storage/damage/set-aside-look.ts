// Databases that were set aside: an alert is sent once for each, and a warning is shown as long as the file exists.
import { startJob } from '#kernel/time/job.ts';
import { hourMs } from '#kernel/time/time.ts';
import type { Base } from '../../feature.ts';
import { createStatement, type Statement } from '../../statements.ts';
import type { Alarm } from './alarm.ts';
import { listSetAside } from './set-aside.ts';

interface Options extends Pick<Base, 'clock' | 'log'> {
  /** The database. */
  file: string;
  alarm: Alarm;
}

/** The start of the hub, which sets files aside, has ended by then. */
const firstMs = 1000;

export function startSetAsideLook({ clock, log, file, alarm }: Options) {
  const raised = new Set<string>();
  const job = startJob(clock, log, {
    name: 'the look for damaged databases',
    firstMs,
    everyMs: hourMs,
    async run() {
      for (const name of listSetAside(file).filter((one) => !raised.has(one))) {
        raised.add(name);
        await alarm.raise(name, describeSetAside(name).sentence);
      }
    },
  });
  return {
    warnings: () => listSetAside(file).map(describeSetAside),
    [Symbol.asyncDispose]: () => job[Symbol.asyncDispose](),
  };
}

function describeSetAside(file: string): Statement {
  return createStatement(
    'database_set_aside',
    `the database was damaged and is set aside as ${file}: gatehouse salvage reads what is left of it; delete it when you need it no more`,
    { file },
  );
}
