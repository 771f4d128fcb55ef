// Files that people write by hand: a large one is a mistake, and is not read.
import { readFileSync, statSync } from 'node:fs';
import { messageOf } from '#kernel/errors.ts';

const mostBytes = 2 ** 20;

/** The text of a file of at most 1 MB. Throws the error that `mistake` makes of the reason. */
export function readSmallFile(file: string, mistake: (reason: string) => Error): string {
  try {
    const { size } = statSync(file);
    // A device or a pipe has no size before it is read.
    const text = size > mostBytes ? '' : readFileSync(file, 'utf8');
    const bytes = Math.max(size, Buffer.byteLength(text));
    if (bytes <= mostBytes) {
      return text;
    }
    throw new Error(`it has ${bytes} bytes, and ${mostBytes} is the most`);
  } catch (error) {
    throw mistake(`cannot be read: ${messageOf(error)}`);
  }
}
