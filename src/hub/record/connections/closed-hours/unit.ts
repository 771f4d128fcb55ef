// Whole hours as tab-separated rows, until they fill a body, and the digest of each hour.
import { createHash } from 'node:crypto';
import type { Reader } from '#kernel/sqlite/sqlite.ts';
import { sha256 } from '#kernel/text/digest.ts';
import { HourRows } from '../store/hour-pack.ts';
import { readHourRows } from '../store/hour-rows.ts';
import { createRowTexts, type HourText } from './row-text.ts';
import type { Unit, UnitParams } from './type.ts';

/** Rows that are read at most when little of them is to be sent. */
const maxRead = 200_000;
/** Pieces of a body: rows become bytes before the next are read, since an hour may have half a million of them. */
const piecesOfBody = 20;

/** Rows as they are sent. */
interface Piece {
  bytes: Uint8Array;
  rows: number;
}

/** For one snapshot. */
export function readUnit(reader: Reader, { wanted, hub, version, bodyRows }: UnitParams): Unit {
  const texts = createRowTexts(reader, hub);
  const rows = new HourRows();
  const hours: Unit['hours'] = [];
  const pieces: Piece[] = [];
  const pieceRows = Math.max(1, Math.floor(bodyRows / piecesOfBody));
  const sum = { read: 0, toSend: 0 };
  for (const { hour, digest: known } of wanted) {
    readHourRows(reader, hour, rows);
    // Most hours that were sent before are as they were: nothing but their digest is made.
    const compared = known === null ? null : readHour(texts.ofHour(hour, rows));
    const isSent = compared !== null && known !== null && Buffer.compare(compared.digest, known) === 0;
    const cut = (lines: readonly HourText[]) => void pieces.push(pieceOf(lines, version));
    const found = isSent ? compared : readHour(texts.ofHour(hour, rows), { pieceRows, cut });
    hours.push({ hour, ...found, isSent });
    sum.read += found.rows;
    sum.toSend += isSent ? 0 : found.rows;
    if (sum.toSend >= bodyRows || sum.read >= maxRead) {
      break;
    }
  }
  return { hours, bodies: bodiesOf(pieces, sum.toSend, bodyRows - pieceRows) };
}

interface Cutting {
  pieceRows: number;
  cut(texts: readonly HourText[]): void;
}

/** Rows and digest of an hour, whose texts are cut into pieces where they are to be sent. */
function readHour(texts: Iterable<HourText>, cutting: Cutting | null = null) {
  const digest = createHash('sha256');
  let taken: HourText[] = [];
  let rows = 0;
  for (const text of texts) {
    // Without the version: that is another one with every try.
    digest.update(`${text.before}\t${text.behind}\n`);
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

function pieceOf(texts: readonly HourText[], version: number): Piece {
  const lines = texts.map(({ before, behind }) => `${before}\t${version}\t${behind}\n`);
  return { bytes: Buffer.from(lines.join('')), rows: lines.length };
}

/** Bodies of about equal size: each takes pieces until it has its share, which is `most` rows or fewer. */
function bodiesOf(pieces: readonly Piece[], rows: number, most: number): Unit['bodies'] {
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
