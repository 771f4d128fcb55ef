// What describes a generation, as texts: its name, its manifest, its digest. Anything else is said to be none.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatContentDigest, parseContentDigest } from '#hub/base/storage/backup/digest.ts';
import { createGenerationName, parseGenerationName } from '#hub/base/storage/backup/generation-name.ts';
import { findDifferentPages, readManifest, toManifestFile, writeManifest } from '#hub/base/storage/backup/manifest.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const name = 'monitor_2026-01-01_09-00-00-123-0123abcd.db';
const good = {
  ...{ name, created: '2026-01-01T09:00:00.123Z', size: 1024, sha256: 'a'.repeat(64), schema: 21, version: '0.1.0' },
  ...{ pageSize: 512, pages: 'AAAAAAEAAAA=' },
};

test('a manifest is read when every member is right, to the bound, and refused when one is not', () => {
  using folder = temporaryFolder();
  const file = path.join(folder.path, name);
  expect(readManifest(file)).toBeNull();
  const written = { ...good, size: 0, schema: 0, pages: '' };
  writeManifest(file, written);
  expect(readManifest(file)).toEqual(written);
  const wrong: [keyof typeof good, ...unknown[]][] = [
    ['name', 'monitor_2026-01-01_09-00-00-123-0123abce.db', 7],
    ['created', 7],
    ['size', -1, 0.5, '1024'],
    ['sha256', `b${good.sha256}`, `${good.sha256}b`, 'a'.repeat(63), 'A'.repeat(64)],
    ['schema', -1, 0.5],
    ['version', null],
    ['pageSize', 511, 512.5],
    ['pages', 'AAAA', 'AA==', 'AAAAAAEAAAAA', '????'],
  ];
  for (const [member, ...values] of wrong) {
    for (const value of [undefined, ...values]) {
      writeFileSync(toManifestFile(file), JSON.stringify({ ...good, [member]: value }));
      expect(() => readManifest(file), `${member} ${String(value)}`).toThrow(/is not the manifest of this generation/);
    }
  }
});

test('the pages that differ are counted from 1, as many as are asked for', () => {
  const text = (words: number[]) => Buffer.from(Uint32Array.from(words).buffer).toString('base64');
  const words = fc.array(fc.integer({ min: 0, max: 2 }), { maxLength: 14 });
  fc.assert(
    fc.property(words, words, fc.option(fc.integer({ min: 1, max: 12 }), { nil: undefined }), (before, after, most) => {
      const all = Array.from({ length: Math.max(before.length, after.length) }, (_, at) => at);
      const wanted = all.filter((at) => before[at] !== after[at]).map((at) => at + 1);
      expect(findDifferentPages(text(before), text(after), most)).toEqual(wanted.slice(0, most ?? 10));
    }),
  );
});

test('the name of a generation says when it was made and what it is; a name with anything more or less says nothing', () => {
  const at = fc.integer({ min: 0, max: Date.UTC(9999, 11, 31) });
  fc.assert(
    fc.property(at, fc.option(fc.integer({ min: 0, max: 999 })), (createdAt, migration) => {
      const made = createGenerationName(createdAt, migration);
      expect(parseGenerationName(made)).toEqual({ kind: migration === null ? 'normal' : 'migration', createdAt });
      for (const other of [
        `x${made}`,
        `${made}x`,
        made.slice(1),
        made.slice(0, -1),
        made.replace('monitor', '../monitor'),
      ]) {
        expect(parseGenerationName(other)).toBeNull();
      }
    }),
  );
  expect(createGenerationName(0, 7)).toMatch(/^monitor_migration-007_1970-01-01_00-00-00-000-[0-9a-f]{8}\.db$/);
  expect(parseGenerationName('monitor_2026-02-30_09-00-00-123-0123abcd.db')).toBeNull();
});

test('a digest is read back among others; one that is no SHA-256 is refused, and other digests ask for nothing', () => {
  const sha256 = '0f'.repeat(32);
  const own = formatContentDigest(sha256);
  for (const header of [own, `md5=:AAAA:, ${own}`, `${own},md5=:AAAA:`, [own, 'md5=:AAAA:']]) {
    expect(parseContentDigest(header)).toBe(sha256);
  }
  for (const header of [undefined, '', 'md5=:AAAA:', `x-${own}`, 'sha-2567=:AAAA:']) {
    expect(parseContentDigest(header)).toBeNull();
  }
  for (const header of [
    'sha-256=:AAAA:',
    'sha-256=AAAA',
    `md5=:AAAA:, sha-256=:${'A'.repeat(44)}:`,
    own.slice(0, -1),
  ]) {
    expect(() => parseContentDigest(header)).toThrow(expect.objectContaining({ code: 'digest_mismatch' }));
  }
});
