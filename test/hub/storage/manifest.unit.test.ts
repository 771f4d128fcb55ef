// A damaged manifest is said to be one.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { differentPages, manifestFile, readManifest } from '#hub/storage/backup/manifest.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const name = 'monitor_2026-01-01_09-00-00-123-0123abcd.db';
const good = {
  ...{ name, created: '2026-01-01T09:00:00.123Z', size: 1024, sha256: 'a'.repeat(64), schema: 21, version: '0.1.0' },
  ...{ pageSize: 512, pages: 'AAAAAAEAAAA=' },
};

test.each(['AAAA', 'AA==', 'AAAAAAEAAAAA'])('checksums that are no whole words: %s', (pages) => {
  using folder = temporaryFolder();
  const file = path.join(folder.path, name);
  writeFileSync(manifestFile(file), JSON.stringify(good));
  expect(differentPages(readManifest(file)?.pages ?? '', 'AAAAAAIAAAA=')).toEqual([2]);
  writeFileSync(manifestFile(file), JSON.stringify({ ...good, pages }));
  expect(() => readManifest(file)).toThrow(/is not the manifest of this generation/);
});
