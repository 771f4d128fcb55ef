// Programs of a mutation run whose test process was ended for time. A change can make them run for ever, and then they
// take the processor from what is measured next. Linux only: elsewhere nothing is found.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { systemClock } from '#kernel/time/clock.ts';

/** Waits for `work`, and every five seconds ends what it left: processes with `marker` whose parent has ended. */
export async function endingOrphans<T>(marker: string, work: Promise<T>): Promise<T> {
  const over = new AbortController();
  const sweeping = sweep(marker, over.signal);
  try {
    return await work;
  } finally {
    over.abort();
    await sweeping;
    endOrphans(marker);
  }
}

async function sweep(marker: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    endOrphans(marker);
    await systemClock.sleep(5000, signal).catch(() => undefined);
  }
}

/**
 * Ends each process whose environment has `marker` (`NAME=value`) and whose parent neither has it nor is this process.
 * Returns their ids.
 */
export function endOrphans(marker: string): number[] {
  const marked = new Map(
    processes()
      .filter(({ environment }) => environment.includes(marker))
      .map((one) => [one.id, one]),
  );
  const orphans = [...marked.values()].filter(({ parent }) => parent !== process.pid && !marked.has(parent));
  return orphans.map(({ id }) => id).filter(end);
}

interface Process {
  id: number;
  parent: number;
  environment: string[];
}

function processes(): Process[] {
  const ids = existsSync('/proc') ? readdirSync('/proc').filter((name) => /^\d+$/.test(name)) : [];
  return ids.flatMap((id) => {
    const environment = read(`/proc/${id}/environ`);
    const parent = /^PPid:\s*(\d+)$/m.exec(read(`/proc/${id}/status`))?.[1];
    return parent === undefined
      ? []
      : [{ id: Number(id), parent: Number(parent), environment: environment.split('\0') }];
  });
}

/** Empty for a process that has ended meanwhile, or is another user's. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) {
      return '';
    }
    throw error;
  }
}

function end(id: number): boolean {
  try {
    return process.kill(id, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') {
      return false;
    }
    throw error;
  }
}
