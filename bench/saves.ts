// What an answer "saved" costs: a note and a merge whose commit is synced to the disk, beside the same without the sync.
import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { createSignals } from '#hub/base/signals.ts';
import { startDevices } from '#hub/identify/devices/devices.ts';
import { openNoteFile } from '#hub/identify/notes/note-file.ts';
import { createNotes } from '#hub/identify/notes/notes.ts';
import { createSourceLabels } from '#hub/record/connections/store/source-labels.ts';
import { createLog } from '#kernel/process/log.ts';
import { Db, migrate, type Writer, type WriteSteps } from '#kernel/sqlite/sqlite.ts';
import { stopwatch, systemClock } from '#kernel/time/clock.ts';
import { quantile } from '../test/support/health-probe.ts';
import { temporaryFolder } from '../test/support/temporary-folder.ts';
import type { Benchmark } from './benchmark.ts';

export const savesBenchmark: Benchmark = {
  summary: 'a note, a merge and one row, with the disk synced before the answer and without',
  options: { dir: 'an empty folder on the disk to be measured (the system’s folder for temporary files)' },
  runs: 5,
  by: ['commit'],
  async run({ dir }, runs, progress) {
    const figures: object[] = [];
    using folder = temporaryFolder();
    const at = path.join(dir ?? folder.path, 'gatehouse-saves');
    for (let run = 1; run <= runs; run += 1) {
      progress(`run ${run} of ${runs}`);
      figures.push(await measured('synced', at, Db), await measured('not synced', at, Unsynced));
    }
    return figures;
  },
};

/** Every save is a write like those of polls. */
class Unsynced extends Db {
  override save<T>(work: (writer: Writer) => T | WriteSteps<T>): Promise<T> {
    return this.write(work);
  }
}

const times = 60;

/** Medians in milliseconds of the calls that the API makes, without HTTP. */
async function measured(commit: string, folder: string, Kind: typeof Db) {
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, 'monitor.db');
  migrate(file, path.join(import.meta.dirname, '../src/hub/base/migrations'));
  const db = new Kind(file);
  try {
    const log = createLog('bench', 'silent');
    await using devices = startDevices({
      db,
      clock: systemClock,
      log,
      signals: createSignals(log),
      sourceLabels: createSourceLabels,
    });
    const at = systemClock.now();
    await devices.record({
      observerId: 'bench',
      sightings: [1, 2].map((index) => ({
        address: `192.168.7.${index}`,
        mac: `00:00:5e:00:53:0${index}`,
        heardAt: at,
        sources: ['vendor_a'],
        observerId: 'bench',
        facts: {},
      })),
    });
    const [keep = '', drop = ''] = db.prepare('SELECT device_id FROM device ORDER BY id').pluck().all() as string[];
    const notes = createNotes({ db, file: openNoteFile(path.join(folder, 'notes.json')) });
    return {
      commit,
      rowMs: await median(() =>
        db.save((writer) => writer.prepare('UPDATE device SET last_seen = last_seen + 1').run()),
      ),
      noteMs: await median((index) => notes.write({ deviceId: keep, note: `note ${index}` })),
      mergeMs: await median(
        () => devices.merge(keep, drop),
        () => devices.split(drop),
      ),
    };
  } finally {
    await db.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function median(work: (index: number) => Promise<unknown>, undo: () => Promise<unknown> = async () => undefined) {
  const all: number[] = [];
  for (let index = 0; index < times; index += 1) {
    const elapsed = stopwatch();
    await work(index);
    all.push(elapsed());
    await undo();
  }
  return quantile(all, 0.5);
}
