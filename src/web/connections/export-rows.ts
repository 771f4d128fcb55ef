// An export while it comes: how many rows are here, and whether it came whole. What broke off is never given to anybody.
import { ApiError, open } from '../api/client.ts';
import type { ListQuery } from './pages.ts';

export type Format = 'csv' | 'json';

export interface Progress {
  rows: number;
  bytes: number;
  /** Rows that will come. */
  count: number;
  /** Rows that match. */
  total: number;
}

export interface Exported extends Progress {
  file: Blob;
  name: string;
}

/** Code of the error when it ended before its end; `details.rows` came until then. */
export const brokeOff = 'broke_off';

/** Rejects with ApiError, or with the reason of `signal`. */
export async function exportRows(
  query: ListQuery,
  format: Format,
  told: (progress: Progress) => void,
  signal: AbortSignal,
): Promise<Exported> {
  const answer = await open('GET /api/connections/export', { query: { ...query, format } }, signal);
  const [count, total] = ['count', 'total'].map((name) => Number(answer.headers.get(`x-export-${name}`)));
  const counter = format === 'csv' ? countLines() : countObjects();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  const progress = { rows: 0, bytes: 0, count: count ?? 0, total: total ?? 0 };
  told(progress);
  try {
    // Not every browser can iterate a stream.
    const reader = answer.body?.getReader();
    for (let part = await reader?.read(); part?.value !== undefined; part = await reader?.read()) {
      chunks.push(part.value);
      progress.rows = counter.add(part.value);
      progress.bytes += part.value.length;
      told({ ...progress });
    }
  } catch (error) {
    if (signal.aborted) {
      throw error;
    }
    throw new ApiError(0, brokeOff, String(error), { rows: progress.rows });
  }
  // Something in between may end an answer early without a word.
  if (progress.rows !== progress.count || !counter.isWhole()) {
    throw new ApiError(0, brokeOff, 'fewer rows came than were announced', { rows: progress.rows });
  }
  const type = answer.headers.get('content-type') ?? '';
  const name = /filename="([\w.-]+)"/.exec(answer.headers.get('content-disposition') ?? '')?.[1];
  return { ...progress, file: new Blob(chunks, { type }), name: name ?? `connections.${format}` };
}

interface Counter {
  /** Rows until the end of this chunk. */
  add: (chunk: Uint8Array) => number;
  isWhole: () => boolean;
}

/** Lines of the CSV end with CR LF, and no cell has a CR; the first line has the names. */
function countLines(): Counter {
  let [lines, last] = [0, 0];
  return {
    add(chunk) {
      for (const byte of chunk) {
        lines += byte === 0x0d ? 1 : 0;
      }
      last = chunk.at(-1) ?? last;
      return Math.max(0, lines - 1);
    },
    isWhole: () => last === 0x0a,
  };
}

/** Objects within the outermost one, of which the first says what was exported. */
function countObjects(): Counter {
  let [depth, objects] = [0, 0];
  let [isText, isEscaped] = [false, false];
  return {
    add(chunk) {
      for (const byte of chunk) {
        if (isText) {
          isText = isEscaped || byte !== 0x22;
          isEscaped = !isEscaped && byte === 0x5c;
        } else if (byte === 0x22) {
          isText = true;
        } else if (byte === 0x7b) {
          depth += 1;
          objects += depth === 2 ? 1 : 0;
        } else if (byte === 0x7d) {
          depth -= 1;
        }
      }
      return Math.max(0, objects - 1);
    },
    isWhole: () => objects > 0 && depth === 0,
  };
}
