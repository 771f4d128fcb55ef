// Generations on a disk that fails: made whole or not at all, verified, prepared for a restore, and what a kill left removed.
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readDocuments, takeDocuments, writeDocuments } from '#hub/base/storage/backup/documents.ts';
import { createGenerationName } from '#hub/base/storage/backup/generation-name.ts';
import { findGeneration, readInventory, removeTemporaries, Verdicts } from '#hub/base/storage/backup/inventory.ts';
import { readManifest, toManifestFile } from '#hub/base/storage/backup/manifest.ts';
import { makeGeneration, makeSnapshot, measureDatabase, type Snapshot } from '#hub/base/storage/backup/snapshot.ts';
import { verifyGeneration } from '#hub/base/storage/backup/verify.ts';
import { openDatabase } from '#hub/base/storage/database.ts';
import { readNewestSchema } from '#hub/base/storage/product.ts';
import { prepareDatabase } from '#hub/base/storage/restore/prepare.ts';
import { changeClosed } from '#kernel/sqlite/database-copy.ts';
import { failFiles } from '../../../support/failing-files.ts';
import { fakeDisk } from '../../../support/fake-disk.ts';
import { makeFolder } from '../../../support/temporary-folder.ts';

const folder = makeFolder('generations');
const file = path.join(folder, 'monitor.db');
const backups = path.join(folder, 'backups');
const documents = { notes: '{"a":1}', settings: null };
const at = 1_790_000_000_000;
const steps: string[] = [];

const snapshot = (more = {}) =>
  makeSnapshot({ file, folder: backups, at, migration: null, documents, ...more }, (step) => steps.push(step));
let made: Snapshot;

beforeAll(async () => {
  const db = openDatabase(file);
  await db.write((writer) => writer.prepare("INSERT INTO observer (router_id, kind) VALUES ('one', 'vendor_a')").run());
  await db.close();
  made = await snapshot();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const emptied = () => {
  rmSync(backups, { recursive: true, force: true });
  mkdirSync(backups);
};
/** The generation alone, in a new folder of generations. */
async function anew(): Promise<string> {
  emptied();
  made = await snapshot();
  return made.file;
}
const stored = () => {
  const found = findGeneration(backups, made.name);
  if (found === null) {
    throw new Error('there is no generation');
  }
  return found;
};

test('a generation is described by its manifest, and the folder is made where there is none', async () => {
  rmSync(backups, { recursive: true, force: true });
  steps.length = 0;
  made = await snapshot({ migration: 17 });
  expect(steps).toEqual(['copying', 'verifying']);
  expect(statSync(backups).mode & 0o777).toBe(0o700);
  expect(readdirSync(backups).sort()).toEqual([made.name, `${made.name}.json`]);
  const size = statSync(made.file).size;
  expect(made).toMatchObject({ size, sha256: readManifest(made.file)?.sha256 });
  expect(readManifest(made.file)).toMatchObject({
    size,
    created: new Date(at).toISOString(),
    schema: readNewestSchema(),
  });
  expect(stored()).toMatchObject({ kind: 'migration', createdAt: at, size, schema: readNewestSchema(), error: null });
  const copy = new Database(made.file, { readonly: true });
  expect(copy.prepare('SELECT name, content FROM generation_document').all()).toEqual([
    { name: 'notes', content: '{"a":1}' },
  ]);
  copy.close();
});

test('when the disk fails at any call nothing is left, and what is said says so', async () => {
  let isOver = false;
  for (let call = 1; !isOver; call += 1) {
    emptied();
    using failing = failFiles(backups, { at: call, count: 1, error: 'EIO' });
    const outcome = await snapshot().catch((error: unknown) => error);
    failing[Symbol.dispose]();
    isOver = failing.calls.length < call;
    if (outcome instanceof Error) {
      expect(outcome).toMatchObject({ code: 'backup_failed', message: expect.stringContaining('nothing was stored') });
      expect([failing.calls[call - 1], ...readdirSync(backups)]).toEqual([failing.calls[call - 1]]);
    } else {
      made = outcome as Snapshot;
      expect(await verifyGeneration(stored())).toBeNull();
    }
  }
  // A folder that cannot be made is left alone.
  await expect(snapshot({ folder: path.join(file, 'backups') })).rejects.toMatchObject({ code: 'backup_failed' });
});

test('a generation is what its manifest says, or it is said what is not', async () => {
  const generation = await anew();
  const good = readFileSync(generation);
  expect(await verifyGeneration(stored())).toBeNull();
  const pages = good.length / 4096;
  const flipped = Buffer.from(good);
  for (const page of [2, 5]) {
    flipped[(page - 1) * 4096 + 9] = (flipped[(page - 1) * 4096 + 9] ?? 0) ^ 1;
  }
  writeFileSync(generation, flipped);
  expect(await verifyGeneration(stored())).toMatchObject({
    ...{ code: 'backup_pages_changed', values: { pages: '2, 5', total: pages } },
    sentence: expect.stringContaining(`page 2, 5 of ${pages} differs`),
  });
  writeFileSync(generation, Buffer.concat([good, Buffer.alloc(4096)]));
  expect(await verifyGeneration(stored())).toMatchObject({
    ...{ code: 'backup_size_changed', values: { size: good.length + 4096, expected: good.length } },
    sentence: expect.stringContaining(`it has ${good.length + 4096} bytes, ${good.length} when it was made`),
  });
  writeFileSync(generation, good);
  writeFileSync(toManifestFile(generation), '{}');
  expect(await verifyGeneration(stored())).toMatchObject({
    ...{ code: 'backup_unverified', values: { detail: expect.stringMatching(/is not the manifest/) } },
    sentence: expect.stringMatching(/^it could not be verified \(.* is not the manifest/),
  });
});

/** A copy of a database with `value` as a number of four bytes at `offset` of its header. */
function writeHeader(bytes: Buffer, offset: number, value: number): Buffer {
  const copy = Buffer.from(bytes);
  copy.writeUInt32BE(value, offset);
  return copy;
}

test('a file that came without its manifest gets one when it is whole, and only then', async () => {
  const generation = await anew();
  const [good, manifest] = [readFileSync(generation), readManifest(generation)];
  rmSync(toManifestFile(generation));
  expect(await verifyGeneration(stored())).toBeNull();
  expect(readManifest(generation)).toEqual(manifest);
  const bad: [Buffer, says: RegExp, cause: string][] = [
    [Buffer.from('text'), /not an SQLite database/, 'no_database'],
    [good.subarray(0, 8192), /it was cut/, 'damaged'],
    [Buffer.from(good).fill(0xa5, 8192, 16_384), /./, 'damaged'],
    [writeHeader(good, 60, 999), /has schema 999, newer than/, 'later_version'],
    [writeHeader(good, 60, 0), /no schema of a hub/, 'other_database'],
    [writeHeader(good, 68, 1), /of another program/, 'other_database'],
  ];
  for (const [bytes, says, cause] of bad) {
    rmSync(toManifestFile(generation), { force: true });
    writeFileSync(generation, bytes);
    expect(await verifyGeneration(stored())).toMatchObject({
      ...{ code: 'backup_unusable', values: { detail: expect.stringMatching(says), cause } },
      sentence: expect.stringMatching(says),
    });
    expect(readManifest(generation)).toBeNull();
  }
  writeFileSync(generation, good);
  const over = new AbortController();
  const verified = verifyGeneration(stored(), over.signal);
  over.abort(new Error('it is over'));
  await expect(verified).rejects.toThrow('it is over');
  expect(readManifest(generation)).toBeNull();
});

test('generations are listed by age and then by name; links, folders and other names are none', async () => {
  const generation = await anew();
  const names = [
    createGenerationName(at - 1),
    createGenerationName(at + 5),
    createGenerationName(at + 5),
    createGenerationName(at + 9, 3),
  ];
  names.forEach((name) => void cpSync(generation, path.join(backups, name)));
  symlinkSync(generation, path.join(backups, createGenerationName(at)));
  mkdirSync(path.join(backups, createGenerationName(at)));
  writeFileSync(path.join(backups, 'monitor.db'), '');
  const [first = '', a = '', b = '', last = ''] = names;
  const listed = readInventory(backups);
  expect(listed.map(({ name }) => name)).toEqual([first, made.name, ...[a, b].sort(), last]);
  expect(readInventory(path.join(backups, 'absent'))).toEqual([]);
  writeFileSync(generation, 'x');
  expect(stored()).toMatchObject({ schema: null, error: { code: 'backup_unusable', sentence: 'it is not SQLite' } });
  using _failing = failFiles(backups, { at: 1, count: 1, error: 'EIO' }, 'reading');
  expect(stored()).toMatchObject({
    schema: null,
    error: { sentence: expect.stringMatching(/^it could not be verified \(EIO/) },
  });
});

test('a verdict is of the file as it was verified, and of no other one', async () => {
  const generation = await anew();
  const verdicts = new Verdicts();
  expect(verdicts.entry(stored())).not.toHaveProperty('error');
  const fact = { code: 'backup_unusable', values: { detail: 'it is damaged' } } as const;
  verdicts.note(stored(), 'failed', { ...fact, sentence: 'it is damaged' });
  const isDamaged = { integrity: 'failed', error: 'it is damaged', errorFacts: [fact] };
  expect(verdicts.entry(stored())).toMatchObject(isDamaged);
  utimesSync(generation, 1, 1);
  expect(verdicts.entry(stored())).toMatchObject({ integrity: 'unchecked', errorFacts: [] });
  verdicts.note(stored(), 'ok', null);
  expect(verdicts.entry(stored())).toMatchObject({ integrity: 'ok' });
  const other = path.join(backups, 'other');
  cpSync(generation, other);
  // Another file while the first one lies there: the system cannot give it the same number.
  renameSync(other, generation);
  utimesSync(generation, 1, 1);
  expect(verdicts.entry(stored())).toMatchObject({ integrity: 'unchecked', errorFacts: [] });
});

test('what a killed program left in the folder goes; what a running one writes, and everything else, stays', async () => {
  await anew();
  const ended = spawnSync('true').pid;
  const [left, whole] = [createGenerationName(at), made.name];
  const gone = [
    `${left}.json`,
    ...[`${left}.${ended}.tmp`, `${left}.${ended}.tmp-journal`, `${left}.json.${ended}.tmp`],
    ...[`${whole}.${ended}.tmp`, `${whole}.json.${process.pid}.tmp`, `${left}.${process.pid}.tmp`],
  ];
  const stay = [
    ...[whole, `${whole}.json`, 'notes.txt', 'monitor_x.db.json', `monitor_x.db.${ended}.tmp`],
    ...[`${left}.1.tmp`, `${left}.json.1.tmp`, `x${left}.json`, `${left}.json.bak`, `${left}.01.tmp`],
  ];
  [...gone, ...stay]
    .filter((name) => !name.startsWith(whole) || gone.includes(name))
    .forEach((name) => void writeFileSync(path.join(backups, name), ''));
  removeTemporaries(backups);
  expect(readdirSync(backups).sort()).toEqual(stay.sort());
  removeTemporaries(path.join(backups, 'absent'));
});

test('a restore is prepared whole or not at all, and the source stays what it is', async () => {
  const generation = await anew();
  const good = readFileSync(generation);
  const target = path.join(folder, 'incoming', 'monitor.db.incoming');
  const refusal = { code: 'generation_damaged', what: 'the generation' } as const;
  const prepare = () => prepareDatabase({ source: generation, target, refusal }, (step) => steps.push(step));
  mkdirSync(path.dirname(target));
  const lies = () => readdirSync(path.dirname(target));
  let isOver = false;
  for (let call = 1; !isOver; call += 1) {
    // Of an attempt before.
    for (const end of ['', '-wal', '-shm', '-journal']) {
      writeFileSync(target + end, 'x');
    }
    steps.length = 0;
    using failing = failFiles(path.dirname(target), { at: call, count: 1, error: 'EIO' });
    const outcome = await prepare().catch((error: unknown) => error);
    failing[Symbol.dispose]();
    isOver = failing.calls.length < call;
    if (isOver) {
      expect(failing.calls).toContain('fsync monitor.db.incoming');
      expect(outcome).toEqual({ schema: readNewestSchema(), documents });
      expect([lies(), steps]).toEqual([
        [path.basename(target)],
        ['copying', 'verifying', 'bringing to the schema of this program'],
      ]);
    } else if (failing.calls[call - 1]?.startsWith('fsync')) {
      expect([outcome, lies()]).toMatchObject([{ code: 'backup_failed' }, []]);
    } else {
      expect(outcome).toBeInstanceOf(Error);
    }
  }
  expect(readFileSync(generation).equals(good)).toBe(true);
  const wrong: [what: string, change: () => void, says: RegExp][] = [
    ['a page', () => writeFileSync(generation, Buffer.from(good).fill(1, 8192, 8193)), /content is not what it was/],
    [
      'one byte more',
      () => writeFileSync(toManifestFile(generation), JSON.stringify({ ...readManifest(generation), size: 1 })),
      /content is not/,
    ],
    ['no manifest of it', () => writeFileSync(toManifestFile(generation), '{}'), /not the manifest of this generation/],
    ['cut', () => truncateSync(generation, 8192), /was cut/],
  ];
  const manifest = readFileSync(toManifestFile(generation));
  for (const [what, change, says] of wrong) {
    change();
    const refused = await prepare().catch((error: unknown) => error);
    expect([what, refused]).toMatchObject([what, { code: 'generation_damaged', message: expect.stringMatching(says) }]);
    expect([what, existsSync(target) && what !== 'cut']).toEqual([what, false]);
    writeFileSync(generation, good);
    writeFileSync(toManifestFile(generation), manifest);
  }
});

test('a backup needs room for its size, a restore for twice its size, and each for eight megabytes more', async () => {
  const generation = await anew();
  const { size } = statSync(generation);
  const target = path.join(folder, 'prepared.db');
  const refusal = { code: 'generation_damaged', what: 'the generation' } as const;
  const prepare = () => prepareDatabase({ source: generation, target, refusal }, () => undefined);
  const needed = measureDatabase(file) + 8_388_608;
  using disk = fakeDisk({ bavail: needed, blocks: needed, bsize: 1 });
  await snapshot();
  disk.says = { bavail: needed - 1, blocks: needed, bsize: 1 };
  expect(() => snapshot()).toThrow(/a backup needs/);
  disk.says = { bavail: 2 * size + 8_388_608, blocks: needed, bsize: 1 };
  await prepare();
  disk.says = { bavail: 2 * size + 8_388_607, blocks: needed, bsize: 1 };
  await expect(prepare()).rejects.toThrow(/a restore needs/);
  rmSync(target);
  truncateSync(generation, size - 4096);
  expect(measureDatabase(generation)).toBe(size);
  truncateSync(generation, size + 4096);
  expect(measureDatabase(generation)).toBe(size + 4096);
});

test('a copy that is empty or damaged becomes no generation', async () => {
  emptied();
  const about = { folder: backups, at, migration: null, documents: { notes: null, settings: null } };
  const page = (temporary: string) => {
    cpSync(file, temporary);
    changeClosed(temporary, () => undefined);
    writeFileSync(temporary, readFileSync(temporary).fill(0xa5, 8192, 12_288));
  };
  for (const [fill, says] of [
    [(temporary: string) => writeFileSync(temporary, ''), 'it is empty'],
    [page, '[^]+'],
  ] as const) {
    await expect(makeGeneration(about, () => undefined, fill)).rejects.toMatchObject({
      ...{ code: 'backup_failed', message: expect.stringMatching(`database is not whole \\(${says}\\): nothing`) },
    });
    expect(readdirSync(backups)).toEqual([]);
  }
});

test('notes and settings travel in the table of a copy, without what opens the hub; an older schema has no such table', async () => {
  await anew();
  const [notesFile, documentFile] = [path.join(folder, 'notes.json'), path.join(folder, 'monitor.json')];
  expect(readDocuments({ notesFile, documentFile })).toEqual({ notes: null, settings: null });
  writeFileSync(notesFile, '{"192.168.1.2": "a printer"}\n');
  writeFileSync(documentFile, JSON.stringify({ port: 1, adminTokenHash: 'a', passwordRecord: 'b' }));
  const read = readDocuments({ notesFile, documentFile });
  expect(read.notes).toBe('{"192.168.1.2": "a printer"}\n');
  expect(JSON.parse(read.settings ?? '')).toEqual({ port: 1, adminTokenHash: null, passwordRecord: null });
  writeFileSync(documentFile, '[1]');
  expect(() => readDocuments({ notesFile, documentFile })).toThrow();
  const copy = path.join(folder, 'copy.db');
  cpSync(made.file, copy);
  changeClosed(copy, (writer) => writeDocuments(writer, { notes: 'other', settings: null }));
  expect(changeClosed(copy, takeDocuments)).toEqual({ notes: 'other', settings: null });
  expect(changeClosed(copy, takeDocuments)).toEqual({ notes: null, settings: null });
  changeClosed(copy, (writer) => writer.exec('DROP TABLE generation_document'));
  changeClosed(copy, (writer) => writeDocuments(writer, read));
  expect([measureDatabase(copy), measureDatabase(path.join(folder, 'absent'))]).toEqual([statSync(copy).size, 0]);
});
