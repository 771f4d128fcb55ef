// Lines on their way to the screen: wrapped, paged, disturbed, encoded, and handed on in pieces as they are asked for.
import type { Random } from '../../support/random.ts';
import { encode, wrapRow } from './encoding.ts';
import type { Key } from './line-editor.ts';

export interface PrintOptions {
  encoding: string;
  /** Column of the hard wrap; null = none. */
  wrapAt: number | null;
  pager: { text: string; erase: string; rows: number | null };
  /** A log line after every fifth row; null = none. */
  logLine: string | null;
  /** Noise in every seventh row, and so many bytes of it first; null = none. */
  noise: { random: Random; first: number } | null;
  /** What happens after so many bytes of rows, always inside a row (before the first one when 0). It does not return. */
  cut: { afterBytes: number; act: () => Promise<never> } | null;
  send: (bytes: Uint8Array) => Promise<void>;
  /** What the first key that means something to the pager means; listens from the call on. */
  pagerKey: <T>(meaning: (key: Key) => T | undefined) => Promise<T>;
  isInterrupted: () => boolean;
  takeLogs: () => readonly string[];
}

const pieceSize = 8192;
const space = 0x20;
const lettersQuit: readonly number[] = [0x71, 0x51];

/** Prints the lines lazily: a row is worked out when the ones before it have been handed on. */
export async function printLines(lines: Iterable<string>, options: PrintOptions): Promise<void> {
  const { encoding, wrapAt, pager, cut, noise } = options;
  let text = '';
  let left = pager.rows;
  let printed = 0;
  let counted = 0;
  let held: string[] = [];

  const flush = async () => {
    const bytes = encode(text, encoding);
    text = '';
    if (bytes.length > 0) {
      await options.send(bytes);
    }
  };

  const cutInside = async (row: string, at: number): Promise<void> => {
    await flush();
    await options.send(encode(row, encoding).subarray(0, at));
    await cut?.act();
  };

  /** Holds back the last row that can be cut in two, and what follows it, so that a cut at the end is inside a row. */
  const putBeforeCut = async (row: string, afterBytes: number) => {
    const size = encode(row, encoding).length;
    if (afterBytes === 0) {
      await cutInside('', 0);
    }
    if (size < 2) {
      held.push(row);
    } else if (counted + size + 2 > afterBytes) {
      text += held.map((one) => `${one}\r\n`).join('');
      await cutInside(row, Math.min(Math.max(afterBytes - counted, 1), size - 1));
    } else {
      text += held.map((one) => `${one}\r\n`).join('');
      held = [row];
    }
    counted += size + 2;
  };

  const put = async (row: string) => {
    printed += 1;
    for (const log of options.takeLogs()) {
      text += `${log}\r\n`;
    }
    if (options.logLine !== null && printed % 5 === 0) {
      text += `${options.logLine}\r\n`;
    }
    if (cut) {
      await putBeforeCut(row, cut.afterBytes);
    } else if (noise && printed % 7 === 0) {
      await flush();
      await options.send(Buffer.concat([disturb(encode(row, encoding), noise.random), Buffer.from('\r\n')]));
    } else {
      text += `${row}\r\n`;
    }
    if (text.length >= pieceSize) {
      await flush();
    }
  };

  const page = async (): Promise<number | null> => {
    await flush();
    // Listens before it sends: the answer can come before `send` resolves.
    const answered = options.pagerKey((key) => rowsFor(key, pager.rows ?? 0));
    const [rows] = await Promise.all([answered, options.send(encode(pager.text, encoding))]);
    text += pager.erase;
    return rows;
  };

  if (noise && noise.first > 0) {
    await options.send(Buffer.from(Array.from({ length: noise.first }, () => noise.random.int(0, 255))));
  }
  for (const line of lines) {
    for (const row of wrapAt === null ? [line] : wrapRow(line, wrapAt)) {
      if (left === 0) {
        left = await page();
        if (left === null) {
          return flush();
        }
      }
      left = left === null ? null : left - 1;
      await put(row);
    }
    if (options.isInterrupted()) {
      return flush();
    }
  }
  if (cut) {
    const last = held[0] ?? '';
    await cutInside(last, Math.floor(encode(last, encoding).length / 2));
  }
  await flush();
}

/** Rows the key asks for at the pager, null to stop, undefined when it means nothing there. */
function rowsFor(key: Key, page: number): number | null | undefined {
  if (key.kind === 'end') {
    return 1;
  }
  if (key.kind === 'interrupt') {
    return null;
  }
  if (key.kind !== 'character') {
    return undefined;
  }
  return key.byte === space ? page : lettersQuit.includes(key.byte) ? null : undefined;
}

const noises = [
  Buffer.from([0]),
  Buffer.from([0xff, 0xfe]),
  Buffer.from('\x1b[K\x1b[2J', 'latin1'),
  Buffer.from([0x83]),
  Buffer.from([7]),
] as const;

/** Puts noise inside the row, at a place where taking it out again would leave a row that looks right but is not. */
function disturb(row: Buffer, random: Random): Buffer {
  const at = random.int(Math.min(1, row.length), Math.max(row.length - 1, 0));
  const lost = Math.min(3, row.length - at);
  return Buffer.concat([row.subarray(0, at), random.pick(noises), row.subarray(at + lost)]);
}
