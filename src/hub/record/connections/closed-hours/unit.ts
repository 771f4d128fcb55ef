// Whole hours as tab-separated rows, until they fill a body, and the digest of each hour.
import { createHash } from 'node:crypto';
import type { Reader } from '#kernel/sqlite/sqlite.ts';
import { sha256 } from '#kernel/text/digest.ts';
import { HourRows } from '../store/hour-pack.ts';
import { readHourRows } from '../store/hour-rows.ts';
import { createRowTexts, type HourText } from './row-text.ts';
import type { Unit, UnitParams } from './type.ts';

/** Rows that one unit reads at most when most of them need not be sent. */
const maxRead = 200_000;
/** An hour may have half a million rows: each piece becomes bytes before the next one is read. */
const piecesPerBody = 20;

interface Piece {
  bytes: Uint8Array;
  rows: number;
}

/** `reader` must hold one snapshot. */
export function readUnit(reader: Reader, { wanted, hub, version, bodyRows }: UnitParams): Unit {
  const texts = createRowTexts(reader, hub);
  const rows = new HourRows();
  const hours: Unit['hours'] = [];
  const pieces: Piece[] = [];
  const pieceRows = Math.max(1, Math.floor(bodyRows / piecesPerBody));
  let readRows = 0;
  let unsentRows = 0;
  for (const { hour, digest: known } of wanted) {
    readHourRows(reader, hour, rows);
    // Most hours that were sent before have not changed: only their digest is computed.
    const compared = known === null ? null : readHour(texts.formatHour(hour, rows));
    const isSent = compared !== null && known !== null && Buffer.compare(compared.digest, known) === 0;
    const cut = (lines: readonly HourText[]) => void pieces.push(toPiece(lines, version));
    const found = isSent ? compared : readHour(texts.formatHour(hour, rows), { pieceRows, cut });
    hours.push({ hour, ...found, isSent });
    readRows += found.rows;
    unsentRows += isSent ? 0 : found.rows;
    if (unsentRows >= bodyRows || readRows >= maxRead) {
      break;
    }
  }
  return { hours, bodies: joinPieces(pieces, unsentRows, bodyRows - pieceRows) };
}

interface Cutting {
  pieceRows: number;
  cut(texts: readonly HourText[]): void;
}

/** Counts and digests the rows of an hour; with `cutting`, also cuts them into pieces to send. */
function readHour(texts: Iterable<HourText>, cutting: Cutting | null = null) {
  const digest = createHash('sha256');
  let taken: HourText[] = [];
  let rows = 0;
  for (const text of texts) {
    // Without the version, which differs with every try.
    digest.update(`${text.before}\t${text.after}\n`);
    rows += 1;
    if (cutting !== null && taken.push(text) >= cutting.pieceRows) {
      cutting.cut(taken);
      taken = [];
    }
  }
  if (taken.length > 0) {
    cutting?.cut(taken);
  }
  return { rows, digest: digest.digest().subarray(0, 16) };
}

function toPiece(texts: readonly HourText[], version: number): Piece {
  const lines = texts.map(({ before, after }) => `${before}\t${version}\t${after}\n`);
  return { bytes: Buffer.from(lines.join('')), rows: lines.length };
}

/** Joins pieces to bodies of about equal size, each of `most` rows or fewer before its last piece. */
function joinPieces(pieces: readonly Piece[], rows: number, most: number): Unit['bodies'] {
  const share = Math.ceil(rows / Math.max(1, Math.ceil(rows / Math.max(1, most))));
  const bodies: Unit['bodies'] = [];
  let taken: Piece[] = [];
  for (const [at, piece] of pieces.entries()) {
    taken.push(piece);
    const count = taken.reduce((sum, one) => sum + one.rows, 0);
    if (count >= share || at === pieces.length - 1) {
      const bytes = Buffer.concat(taken.map((one) => one.bytes));
      bodies.push({ bytes, rows: count, digest: sha256(bytes) });
      taken = [];
    }
  }
  return bodies;
}
