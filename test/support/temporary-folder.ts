// Folders of tests, in the system's folder for temporary files.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** A new, empty folder; whoever makes it removes it. */
export function makeFolder(name: string): string {
  return mkdtempSync(path.join(tmpdir(), `gatehouse-${name}-`));
}

/** A folder that is gone when its scope ends. */
export function temporaryFolder(): Disposable & { readonly path: string } {
  const folder = makeFolder('test');
  return { path: folder, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Path below `folder` → text of the file. */
export function writeTree(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [file, text] of Object.entries(files)) {
    const place = path.join(folder, file);
    mkdirSync(path.dirname(place), { recursive: true });
    writeFileSync(place, text);
  }
}
