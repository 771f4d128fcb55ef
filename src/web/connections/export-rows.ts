// Downloads an export, counts its rows, and checks that it is complete. An incomplete file is never saved.
import { ApiError, open } from '../api/client.ts';
import type { ListQuery } from './pages.ts';

export type Format = 'csv' | 'json';

export interface Progress {
  rows: number;
  bytes: number;
  /** Rows that the file will have. */
  count: number;
  /** Rows that match. */
  total: number;
}

export interface Exported extends Progress {
  file: Blob;
  name: string;
}

/** Error code of an incomplete export; `details.rows` is the number of rows received. */
export const brokeOff = 'broke_off';

/** Rejects with ApiError, or with the reason of `signal`. */
export async function exportRows(
  query: ListQuery,
  format: Format,
  told: (progress: Progress) => void,
  signal: AbortSignal,
): Promise<Exported> {
  const answer = await open('GET /api/connections/export', { query: { ...query, format } }, signal);
  const count = Number(answer.headers.get('x-export-count'));
  const total = Number(answer.headers.get('x-export-total'));
  const counter = format === 'csv' ? countLines() : countObjects();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  const progress = { rows: 0, bytes: 0, count, total };
  told(progress);
  try {
    // Some browsers cannot iterate a stream.
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
  // A proxy may cut an answer without an error.
  if (progress.rows !== progress.count || !counter.isWhole()) {
    throw new ApiError(0, brokeOff, 'fewer rows came than were announced', { rows: progress.rows });
  }
  const type = answer.headers.get('content-type') ?? '';
  const name = /filename="([\w.-]+)"/.exec(answer.headers.get('content-disposition') ?? '')?.[1];
  return { ...progress, file: new Blob(chunks, { type }), name: name ?? `connections.${format}` };
}

interface Counter {
  /** Takes the next chunk and returns the rows counted so far. */
  add: (chunk: Uint8Array) => number;
  isWhole: () => boolean;
}

/** Counts lines of CSV, without the heading. Lines end with CR LF, and no cell contains CR. */
function countLines(): Counter {
  let lines = 0;
  let last = 0;
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

/** Counts objects inside the outermost JSON object, without the first one, which describes the export. */
function countObjects(): Counter {
  let depth = 0;
  let objects = 0;
  let isText = false;
  let isEscaped = false;
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
