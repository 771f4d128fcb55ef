// Frees the buffers of a long stream while it runs. Each chunk from a socket is a buffer outside of V8's heap, which is freed
// with its object. V8 would not collect these objects before a whole upload has arrived.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

let collect: ((options: { type: 'minor' }) => void) | null = null;

/** A minor collection of this thread: about a millisecond. */
export function collectYoung(): void {
  if (collect === null) {
    setFlagsFromString('--expose-gc');
    collect = runInNewContext('gc') as typeof collect;
  }
  collect?.({ type: 'minor' });
}
