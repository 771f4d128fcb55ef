// The files that a run of a scenario writes: what is wrong with them is said before anything starts.
import { appendFileSync, closeSync, openSync, rmSync } from 'node:fs';
import path from 'node:path';
import { messageOf } from '#kernel/errors.ts';
import { writeText } from '#kernel/files/files.ts';
import { UsageError } from '#kernel/process/program.ts';
import { realPath } from './plan.ts';

export type Journal = Disposable & { append: (line: string) => void };

interface OutputFiles {
  readyFile: string | undefined;
  journal: string | undefined;
}

/**
 * Empties the journal, and removes the ready file of an earlier run, since a script that waits for it would read ports that
 * are gone. Throws a UsageError for a file that cannot be written, and for one that is `scenario` or the other one.
 */
export function prepareOutputs(scenario: string, { readyFile, journal }: OutputFiles): Journal {
  const taken = new Map([[toRealPath(scenario), 'the scenario']]);
  for (const [option, file] of Object.entries({ '--ready-file': readyFile, '--journal': journal })) {
    const owner = file === undefined ? undefined : taken.get(toRealPath(file));
    if (owner !== undefined) {
      throw new UsageError(`${option}: ${file} is ${owner}: name another file`);
    }
    taken.set(toRealPath(file ?? ''), `that of ${option}`);
  }
  if (readyFile !== undefined) {
    tryFile('--ready-file', readyFile, () => {
      writeText(readyFile, '');
      rmSync(readyFile);
    });
  }
  const opened = journal === undefined ? null : tryFile('--journal', journal, () => openSync(journal, 'w', 0o600));
  return {
    append: (line) => (opened === null ? undefined : appendFileSync(opened, `${line}\n`)),
    [Symbol.dispose]: () => (opened === null ? undefined : closeSync(opened)),
  };
}

const toRealPath = (file: string) => realPath(file) ?? path.resolve(file);

function tryFile<T>(option: string, file: string, open: () => T): T {
  try {
    return open();
  } catch (cause) {
    const reason = messageOf(cause);
    throw new UsageError(`${option}: ${file} cannot be written: ${reason}: does its folder exist?`, { cause });
  }
}
