// Notes of devices. A note for an unknown address or MAC waits until a device appears with it.
import { limits } from '#contract/limits.ts';
import { AppError } from '#kernel/errors.ts';
import type { Db, Writer } from '#kernel/sqlite/sqlite.ts';
import { clipText } from '#kernel/text/clip.ts';
import { composeNotes, type Part } from './composition.ts';
import type { NoteFile } from './note-file.ts';
import { formatNoteKey, isDeviceId, type NoteTarget, parseNoteKey } from './note-key.ts';

export interface NoteRequest {
  deviceId?: string | undefined;
  ip?: string | undefined;
  mac?: string | undefined;
  key?: string | undefined;
  note: string;
}

export type Notes = ReturnType<typeof createNotes>;

export function createNotes({ db, file }: { db: Db; file: NoteFile }) {
  const all = () => {
    const own = file.current();
    const waiting = [...own].filter(([key]) => !isDeviceId(key));
    return Object.fromEntries([...composeNotes(pickDeviceNotes(own), readParts(db)), ...waiting]);
  };
  /**
   * Runs `change` on the map, one at a time, and saves it in one transaction with what `change` writes. Devices
   * and notes may have changed by then: look them up in `change`, not before it.
   */
  const save = async <T>(change: (notes: Map<string, string>, writer: Writer) => T): Promise<T> => {
    const undo: (() => void)[] = [];
    try {
      return await db.save((writer) => {
        const before = file.current();
        const notes = new Map(before);
        const outcome = change(notes, writer);
        file.replace(notes);
        undo.push(() => file.replace(before));
        return outcome;
      });
    } catch (error) {
      for (const step of undo) {
        step();
      }
      throw error;
    }
  };

  return {
    /** Every note as shown: by device id, or by its key while it waits. */
    all,
    /** The device an address belongs to, as shown; null when none is known by it. */
    deviceAt: (ip: string) => findDevice(db, { ip, mac: null }),
    /**
     * Writes a note, or deletes it when it is blank. Throws AppError `invalid_body` for a request that names nothing,
     * `not_found` for an unknown device id, `note_limit` for a new note beyond the limit, `save_failed`; then nothing has
     * changed.
     */
    write({ note, ...request }: NoteRequest) {
      const text = note.trim();
      return save((notes, writer) => {
        const { deviceId, key } = resolveOwner(db, notes, request);
        const isNew = !notes.has(key);
        if (deviceId !== null) {
          markCovered(writer, deviceId);
          for (const other of findWaitingKeys(db, notes, deviceId)) {
            notes.delete(other);
          }
        }
        notes.delete(key);
        if (text !== '') {
          if (isNew && notes.size >= limits.notes && all()[key] === undefined) {
            throw createLimitError(notes.size);
          }
          notes.set(key, text);
        }
        return { deviceId, key };
      });
    },
    /** Attaches waiting notes to the devices that have appeared. True when there were any. */
    async attach() {
      if (findAppeared(db, file.current()).length === 0) {
        return false;
      }
      return save((notes) => {
        const found = findAppeared(db, notes);
        for (const { key, deviceId } of found) {
          const texts = [notes.get(deviceId), notes.get(key)].filter((text) => text !== undefined);
          notes.set(deviceId, clipText([...new Set(texts)].join('\n'), limits.note));
          notes.delete(key);
        }
        return found.length > 0;
      });
    },
  };
}

/** Waiting notes whose devices have appeared. */
function findAppeared(db: Db, notes: ReadonlyMap<string, string>): { key: string; deviceId: string }[] {
  return listWaiting(notes).flatMap(([key, target]) => {
    const deviceId = findDevice(db, target);
    return deviceId === null ? [] : [{ key, deviceId }];
  });
}

/** Keys of the notes that wait for this device. Only those with one of its addresses or MACs are looked up. */
function findWaitingKeys(db: Db, notes: ReadonlyMap<string, string>, deviceId: string): string[] {
  const rows = db
    .prepare(
      `SELECT l.address AS name FROM lease l JOIN device d ON d.id = l.device JOIN device r ON r.id = d.root
       WHERE r.device_id = @deviceId
       UNION SELECT i.mac FROM interface i JOIN device d ON d.id = i.device JOIN device r ON r.id = d.root
       WHERE r.device_id = @deviceId`,
    )
    .all({ deviceId }) as { name: string }[];
  const names = new Set(rows.map(({ name }) => name));
  return listWaiting(notes)
    .filter(([, { ip, mac }]) => names.has(ip ?? '') || names.has(mac ?? ''))
    .filter(([, target]) => findDevice(db, target) === deviceId)
    .map(([key]) => key);
}

function createLimitError(count: number): AppError {
  return new AppError(
    'note_limit',
    `${count} notes are stored, at most ${limits.notes} can be: change one of them, or delete one by saving it empty`,
  );
}

/** The owner of a note: a device as shown, or the key of a waiting note, also of a deleted device. */
function resolveOwner(
  db: Db,
  notes: ReadonlyMap<string, string>,
  { deviceId, ip, mac, key }: Omit<NoteRequest, 'note'>,
): { deviceId: string | null; key: string } {
  const id = deviceId ?? (key !== undefined && isDeviceId(key) ? key : undefined);
  if (id !== undefined) {
    const shown = findShownDevice(db, id);
    if (shown === null && notes.has(id)) {
      return { deviceId: null, key: id };
    }
    if (shown === null) {
      throw new AppError('not_found', 'there is no device with this id; GET /api/devices lists them');
    }
    return { deviceId: shown, key: shown };
  }
  const target = parseNoteKey([ip, mac].filter((part) => part).join('|')) ?? parseNoteKey(key ?? '');
  if (target === null) {
    throw new AppError('invalid_body', 'deviceId, ip or mac must name a device: an IP address or a MAC address');
  }
  const found = findDevice(db, target);
  return { deviceId: found, key: found ?? formatNoteKey(target) };
}

function pickDeviceNotes(notes: ReadonlyMap<string, string>): Map<string, string> {
  return new Map([...notes].filter(([key]) => isDeviceId(key)));
}

function listWaiting(notes: ReadonlyMap<string, string>): [string, NoteTarget][] {
  return [...notes.keys()].flatMap((key): [string, NoteTarget][] => {
    const target = isDeviceId(key) ? null : parseNoteKey(key);
    return target === null ? [] : [[key, target]];
  });
}

function findShownDevice(db: Db, deviceId: string): string | null {
  const row = db
    .prepare('SELECT r.device_id AS deviceId FROM device d JOIN device r ON r.id = d.root WHERE d.device_id = ?')
    .get(deviceId.toLowerCase()) as { deviceId: string } | undefined;
  return row?.deviceId ?? null;
}

/** By its address, through its current or last holder; else by its MAC. */
function findDevice(db: Db, { ip, mac }: NoteTarget): string | null {
  const byAddress = db.prepare(
    `SELECT r.device_id AS deviceId FROM lease l JOIN device d ON d.id = l.device JOIN device r ON r.id = d.root
     WHERE l.address = ? ORDER BY l.until IS NOT NULL, CASE WHEN l.until IS NULL THEN l.since ELSE -l.until END, l.id LIMIT 1`,
  );
  const byMac = db.prepare(
    `SELECT r.device_id AS deviceId FROM interface i JOIN device d ON d.id = i.device JOIN device r ON r.id = d.root
     WHERE i.mac = ?`,
  );
  // NULL equals nothing.
  const row = (byAddress.get(ip) ?? byMac.get(mac)) as { deviceId: string } | undefined;
  return row?.deviceId ?? null;
}

function readParts(db: Db): Part[] {
  const rows = db
    .prepare(
      `SELECT k.device_id AS keep, d.device_id AS dropped, d.note_covered AS covered
       FROM device d JOIN device k ON k.id = d.merged_into WHERE d.merged_into IS NOT NULL ORDER BY d.archived_at, d.id`,
    )
    .all() as { keep: string; dropped: string; covered: 0 | 1 }[];
  return rows.map(({ keep, dropped, covered }) => ({ keep, dropped, isCovered: covered === 1 }));
}

/** Marks the note of the device as covering its merged parts. */
function markCovered(writer: Writer, deviceId: string): void {
  writer
    .prepare('UPDATE device SET note_covered = 1 WHERE merged_into = (SELECT id FROM device WHERE device_id = ?)')
    .run(deviceId);
}
