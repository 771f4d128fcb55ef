// What a page can read of a backup file before it sends it: whether it is one, when it was made, its version.
import type { limits } from '#contract/limits.ts';
import { parseInstant } from '../../clock.ts';

/** Fails to compile when the contract has another limit. */
export const mostBytes: (typeof limits)['uploadBytes'] = 104_857_600;

export interface BackupFile {
  file: Blob;
  /** From the name that the hub gave it, else when the file was changed. */
  at: number;
  isNamed: boolean;
  schema: number;
}

/** A SQLite database begins with this text (https://sqlite.org/fileformat2.html#the_database_header). */
const magic = 'SQLite format 3\0';
const headerBytes = 100;
const schemaAt = 60;
const productAt = 68;
/** The application id of a database of Gatehouse: "GHOU", or 0 where an early version made it. */
const products = [0x47_48_4f_55, 0];

/** Null when the file is not a backup of Gatehouse. */
export async function readBackupFile(file: File): Promise<BackupFile | null> {
  const header = new DataView(await file.slice(0, headerBytes).arrayBuffer());
  if (header.byteLength < headerBytes || !startsWithMagic(header) || !products.includes(header.getUint32(productAt))) {
    return null;
  }
  const made = parseMadeAt(file.name);
  return { file, at: made ?? file.lastModified, isNamed: made !== null, schema: header.getUint32(schemaAt) };
}

function startsWithMagic(header: DataView): boolean {
  return new TextDecoder('latin1').decode(new Uint8Array(header.buffer, 0, magic.length)) === magic;
}

/** When a backup of this name was made, such as `monitor_2026-11-28_04-24-00-000-0123abcd.db`; null for other names. */
export function parseMadeAt(name: string): number | null {
  const [, day, hour, minute, second] = /_(\d{4}-\d\d-\d\d)_(\d\d)-(\d\d)-(\d\d)-\d{3}-/.exec(name) ?? [];
  const at = day === undefined ? Number.NaN : parseInstant(`${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(at) ? null : at;
}
