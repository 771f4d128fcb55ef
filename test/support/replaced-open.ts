// `open` of node:fs/promises as a test wants it: a disk that fails, somebody who swaps a file meanwhile.
import files from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

type Open = typeof files.open;

/** Until it is disposed, everybody in this process opens files with what `replacement` makes of the real one. */
export function replaceOpen(replacement: (real: Open) => Open): Disposable {
  const real = files.open;
  const put = (open: Open) => {
    files.open = open;
    // Modules that import it by name see the change too.
    syncBuiltinESMExports();
  };
  put(replacement(real));
  return { [Symbol.dispose]: () => put(real) };
}
