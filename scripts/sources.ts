// The project's own source files, read from disk.
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

/** Repository path → text of every TypeScript file of src, simulators and gate. */
export function readSources(): Map<string, string> {
  const files = globSync('{src,simulators,gate}/**/*.{ts,tsx}', { cwd: root }).sort();
  return new Map(files.map((file) => [file, readFileSync(path.join(root, file), 'utf8')]));
}
