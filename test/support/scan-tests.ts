// Reads the test files below a folder and what they cite.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Citations, parseCitations } from './coverage.ts';

export interface TestScan extends Citations {
  /** Paths from the root, in order. */
  files: string[];
}

/** `folder` is a path from `root`; `ending` is what the names of test files end with. */
export function scanTests(root: string, folder: string, ending = '.test.ts'): TestScan {
  const files = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith(ending) && !file.includes('node_modules'))
    .map((file) => join(folder, file))
    .sort();
  const scanned = files.map((file) => parseCitations(file, readFileSync(join(root, file), 'utf8')));
  return {
    files,
    citations: scanned.flatMap(({ citations }) => citations),
    unreadable: scanned.flatMap(({ unreadable }) => unreadable),
    crowded: scanned.flatMap(({ crowded }) => crowded),
  };
}
