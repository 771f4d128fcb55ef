// Where the built web UI lies.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../../../../dist/web', import.meta.url));

/** Undefined where it was not built. */
export function webFolder(): string | undefined {
  return existsSync(path.join(folder, 'index.html')) ? folder : undefined;
}
