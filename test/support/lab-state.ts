// All that a hub has stored and said, to compare before and after what must change nothing.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Db } from '#kernel/sqlite/sqlite.ts';
import type { DetectionLab } from './detection-lab.ts';

/** Every table but the audit trail, which has a row of each request; a digest of every file that is not the database. */
export async function takeState({ dataDir, chat }: Pick<DetectionLab, 'dataDir' | 'chat'>) {
  const files = readdirSync(dataDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith('monitor.db'))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .map((file) => [file, createHash('sha256').update(readFileSync(file)).digest('hex')]);
  const db = new Db(path.join(dataDir, 'monitor.db'));
  const names = db
    .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'audit%'")
    .pluck()
    .all();
  const tables = names.map((name) => [name, db.prepare(`SELECT * FROM "${name}"`).all()]);
  await db.close();
  return { files, tables, chat: chat.journal() };
}
