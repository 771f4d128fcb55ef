// What the world refuses the hub: writes of files that come short or find no room, a database that another program holds
// or that refuses rows. Files are refused at the boundary to the system, node:fs; the database by a second connection.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import Database from 'better-sqlite3';
import { systemClock } from '#kernel/time/clock.ts';

export type FileRefusal = 'no-space' | 'short-write' | 'no-sync' | 'no-rename';

export interface Refusals extends Disposable {
  /** The next write of a file below the folder meets this. */
  refuseFile(how: FileRefusal): void;
  /** Holds the write lock of the database for `ms` of real time, as another program could. */
  holdDatabase(ms: number): Promise<void>;
  /** Resolves when no other program holds the database. */
  released(): Promise<void>;
  /** Rows of this table are refused until `acceptRows`. */
  refuseRows(table: string): Promise<void>;
  acceptRows(): Promise<void>;
  /** Whether some rows were refused at some time since `mark` was asked for. */
  rowsRefusedSince(mark: number): boolean;
  mark(): number;
  /** Everything is accepted again. */
  calm(): Promise<void>;
  /** How many of each were met. */
  readonly met: Readonly<Record<FileRefusal, number>>;
}

const originals = { writeSync: fs.writeSync, fsyncSync: fs.fsyncSync, renameSync: fs.renameSync };

/** Takes the place of three functions of node:fs until it is disposed; files outside `folder` are not touched. */
export function startRefusals(folder: string, database: string): Refusals {
  const armed: FileRefusal[] = [];
  const met: Record<FileRefusal, number> = { 'no-space': 0, 'short-write': 0, 'no-sync': 0, 'no-rename': 0 };
  const take = (...hows: FileRefusal[]): FileRefusal | null => {
    const [next] = armed;
    if (next === undefined || !hows.includes(next)) {
      return null;
    }
    armed.shift();
    met[next] += 1;
    return next;
  };
  const isOurs = (fd: number) => fs.readlinkSync(`/proc/self/fd/${fd}`).startsWith(folder);

  replace({
    writeSync: ((fd: number, data: string | NodeJS.ArrayBufferView, ...rest: never[]) => {
      const how = armed.length > 0 && isOurs(fd) ? take('no-space', 'short-write') : null;
      if (how === 'no-space') {
        throw refused('ENOSPC', 'no space left on device', 'write');
      }
      if (how === 'short-write') {
        const [offset = 0, length] = rest as number[];
        const bytes = typeof data === 'string' ? Buffer.from(data) : toBytes(data);
        return originals.writeSync(fd, bytes, offset, Math.floor((length ?? bytes.length - offset) / 2));
      }
      return (originals.writeSync as (...all: unknown[]) => number)(fd, data, ...rest);
    }) as typeof fs.writeSync,
    fsyncSync(fd) {
      if (armed.length > 0 && isOurs(fd) && take('no-sync')) {
        throw refused('EIO', 'i/o error', 'fsync');
      }
      originals.fsyncSync(fd);
    },
    renameSync(from, to) {
      if (armed.length > 0 && String(to).startsWith(folder) && take('no-rename')) {
        throw refused('ENOSPC', 'no space left on device', 'rename');
      }
      originals.renameSync(from, to);
    },
  });

  const db = new Database(database, { timeout: 0 });
  let isHeld = false;
  let isRefusingRows = false;
  /** How often rows began to be refused. */
  let refusing = 0;
  /** The hub may be writing at any instant: tried until it is not. */
  const exec = async (sql: string): Promise<boolean> => {
    for (let tries = 0; tries < 200; tries += 1) {
      try {
        db.exec(sql);
        return true;
      } catch (error) {
        if ((error as { code?: string }).code !== 'SQLITE_BUSY') {
          throw error;
        }
        await systemClock.sleep(5);
      }
    }
    return false;
  };
  const refusals: Refusals = {
    met,
    refuseFile: (how) => void armed.push(how),
    async holdDatabase(ms) {
      if (isHeld) {
        return;
      }
      isHeld = true;
      if (await exec('BEGIN IMMEDIATE')) {
        await systemClock.sleep(ms);
        db.exec('ROLLBACK');
      }
      isHeld = false;
    },
    mark: () => (isRefusingRows ? refusing - 1 : refusing),
    rowsRefusedSince: (mark) => refusing > mark,
    async refuseRows(table) {
      if (!isHeld) {
        refusing += 1;
        isRefusingRows = true;
        await exec(
          `CREATE TRIGGER IF NOT EXISTS storm_${table} BEFORE INSERT ON ${table}
           BEGIN SELECT RAISE(ABORT, 'refused by the storm'); END`,
        );
        // Rows may have been accepted again while this waited for the lock: they are refused from here on.
        isRefusingRows = true;
      }
    },
    async acceptRows() {
      const names = db
        .prepare(`SELECT name FROM sqlite_schema WHERE type = 'trigger' AND name LIKE 'storm\\_%' ESCAPE '\\'`)
        .pluck()
        .all() as string[];
      for (const name of isHeld ? [] : names) {
        await exec(`DROP TRIGGER IF EXISTS ${name}`);
      }
      isRefusingRows &&= isHeld;
    },
    async released() {
      while (isHeld) {
        await systemClock.sleep(10);
      }
    },
    async calm() {
      armed.length = 0;
      await refusals.released();
      await refusals.acceptRows();
    },
    [Symbol.dispose]() {
      replace(originals);
      db.close();
    },
  };
  return refusals;
}

function replace(functions: Partial<typeof originals>): void {
  Object.assign(fs, functions);
  syncBuiltinESMExports();
}

function toBytes({ buffer, byteOffset, byteLength }: NodeJS.ArrayBufferView): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

function refused(code: string, text: string, call: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code}: ${text}, ${call}`), { code, syscall: call });
}
