// A spool in a process of its own: for limits that the system sets, and for kills. Each line that it prints is one JSON value.
import { chmodSync, chownSync, closeSync, openSync, readdirSync, writeSync } from 'node:fs';
import path from 'node:path';
import { openSpool } from '#agent/delivery/spool.ts';
import { agentFiles } from '#agent/folder.ts';
import { createLog } from '#kernel/process/log.ts';
import { spoolBatch } from './spool-lab.ts';

const [mode = '', folder = '', maxBytes = '1000000', rounds = '1000000'] = process.argv.slice(2);
const files = agentFiles(folder);
// The order of the lines is the order of what happened, also when the process is killed.
const print = (value: unknown) => void writeSync(1, `${JSON.stringify(value)}\n`);
const nobody = 65_534;

function readHead(): void {
  try {
    print({ head: spool.head()?.batchId ?? null });
  } catch (error) {
    print({ failed: (error as Error).message });
  }
}

/** Uses up what `ulimit -n` allows. */
function openAll(): number[] {
  const handles: number[] = [];
  for (;;) {
    try {
      handles.push(openSync('/dev/null', 'r'));
    } catch {
      return handles;
    }
  }
}

/** The folders belong to the user of the Agent, the batches to somebody else, as after a restore by root. */
function withoutRight(work: () => void): void {
  const all = readdirSync(files.spool).map((name) => path.join(files.spool, name));
  for (const file of all) {
    chmodSync(file, 0);
  }
  const isRoot = process.getuid?.() === 0;
  if (isRoot) {
    for (const place of [folder, files.spool, files.parked]) {
      chownSync(place, nobody, nobody);
    }
    process.seteuid?.(nobody);
  }
  work();
  if (isRoot) {
    process.seteuid?.(0);
  }
  for (const file of all) {
    chmodSync(file, 0o600);
  }
}

const spool = openSpool(files, Number(maxBytes), createLog('agent', 'info'));
switch (mode) {
  case 'many-files': {
    const handles = openAll();
    readHead();
    handles.forEach(closeSync);
    readHead();
    break;
  }
  case 'no-right':
    withoutRight(readHead);
    readHead();
    break;
  // Whatever a spool does, for as long as it lives: what it says of itself goes to stderr.
  case 'busy':
    for (let round = 1; round <= Number(rounds); round += 1) {
      const one = spoolBatch(round, 1 + (round % 5));
      spool.add(one);
      print({ accepted: one.batchId });
      const head = round % 3 === 0 ? spool.head() : null;
      if (head !== null && round % 2 === 0) {
        print({ sent: head.batchId });
        spool.delivered();
      } else if (head !== null) {
        spool.park();
      }
    }
    break;
  default:
    throw new Error(`${mode} is not known: name many-files, no-right or busy`);
}
