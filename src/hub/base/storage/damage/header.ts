// A database whose header names another program or schema than its tables: the disk returned wrong bits. Its rows are
// whole, and stay.

import { isThere } from '#kernel/files/files.ts';
import { copyChecked } from '#kernel/files/large-files.ts';
import type { Log } from '#kernel/process/log.ts';
import { changeClosed, readStranger, schemaDifferences } from '#kernel/sqlite/database-copy.ts';
import { readDatabaseHeader } from '#kernel/sqlite/database-header.ts';
import { isDamage } from '#kernel/sqlite/refused-write.ts';
import { migrationsFolder, productKind, readNewestSchema } from '../product.ts';
import { createSetAsideName } from './set-aside.ts';

interface Options {
  databaseFile: string;
  now: number;
  log: Log;
}

/**
 * Corrects application id and version of the schema where all tables are those of this program's schema; the file as it was
 * is set aside before. Anything else stays as it is, and is judged by whoever opens it.
 */
export async function correctHeader({ databaseFile: file, now, log }: Options): Promise<void> {
  const wrong = describeWrongHeader(file);
  if (wrong === null) {
    return;
  }
  const setAside = createSetAsideName(file, now);
  for (const end of ['', '-wal']) {
    if (isThere(file + end)) {
      await copyChecked(file + end, setAside + end);
    }
  }
  changeClosed(file, (writer) =>
    writer.exec(`PRAGMA application_id = ${productKind.applicationId}; PRAGMA user_version = ${readNewestSchema()}`),
  );
  log.error(
    {},
    `${file} had a damaged header (${wrong}): it is corrected, and as it was it is set aside as ${setAside}`,
  );
}

function describeWrongHeader(file: string): string | null {
  try {
    const header = readDatabaseHeader(file);
    if (typeof header === 'string' || !header.hasKnownFormats) {
      return null;
    }
    const { id, schema } = readStranger(file, (reader) => {
      const value = (name: string) => Number(reader.prepare(`PRAGMA ${name}`).pluck().get());
      return { id: value('application_id'), schema: value('user_version') };
    });
    const isOurs = id === productKind.applicationId || id === 0;
    const isOlder = schema < readNewestSchema() && schemaDifferences(file, migrationsFolder).length === 0;
    const isExpected = isOurs && (schema === readNewestSchema() || isOlder);
    if (isExpected || schemaDifferences(file, migrationsFolder, readNewestSchema()).length > 0) {
      return null;
    }
    return `application id ${id}, schema ${schema}`;
  } catch (error) {
    if (isDamage(error)) {
      return null;
    }
    throw error;
  }
}
