// Reads the captured router output under fixtures/routers the way the product does: bytes through a screen.
import { readFileSync } from 'node:fs';
import type { Session } from '#hub/collect/routers/driver.ts';
import { createScreen } from '#hub/collect/routers/shell/screen.ts';

export interface Capture {
  lines: string[];
  noisy: number;
  /** The bytes do not end in a line end: something is missing. */
  cut: boolean;
}

export function readBytes(file: string): Buffer {
  return readFileSync(new URL(file, new URL('../../../../fixtures/routers/', import.meta.url)));
}

/** All lines of a capture, fed in pieces ending at `offsets`. */
export function readCapture(bytes: Uint8Array, label = 'utf-8', offsets: readonly number[] = []): Capture {
  const lines: string[] = [];
  let noisy = 0;
  const screen = createScreen(label, ({ text, isDamaged }) => {
    if (isDamaged) {
      noisy += 1;
    } else {
      lines.push(text);
    }
  });
  let from = 0;
  for (const offset of [...offsets, bytes.length]) {
    screen.feed(bytes.subarray(from, offset));
    from = offset;
  }
  return { lines, noisy, cut: screen.rest().trim() !== '' };
}

export function captureOf(file: string, label = 'utf-8'): Capture {
  return readCapture(readBytes(file), label);
}

/** When the tables of the captures were asked for, and when their lines were there. */
export const askedAt = Date.UTC(2026, 2, 1, 3);
export const readAt = askedAt + 700;

/** A clock that stands at `askedAt` when it is first asked, and at `readAt` from then on. */
export function captureClock(): () => number {
  let asked = 0;
  return () => {
    asked += 1;
    return asked === 1 ? askedAt : readAt;
  };
}

interface Expected {
  complete: boolean;
  static: number;
  dynamic: number;
  sessions: Session[];
}

interface ExpectedRow {
  proto: string;
  src: string;
  sport: number | null;
  dst: string;
  dport: number | null;
  /** Outer port or query id. */
  nat: number | null;
  ttlSec?: number;
  ageSec?: number;
  idleSec?: number;
  timeoutSec?: number;
  /** The outer address, where it is not that of the written fixtures. */
  outer?: string;
}

/** What a correct reader makes of a capture. vendor_a states its idle time by rule, so the caller tests it apart. */
export function expectedOf(file: string): Expected {
  const document = JSON.parse(readBytes(file).toString('utf8'));
  const sessions = (document.sessions as ExpectedRow[]).map((row) => ({
    proto: row.proto.toUpperCase(),
    src: row.src,
    sport: row.sport,
    dst: row.dst,
    dport: row.dport ?? 0,
    ttl: row.ttlSec ?? (row.timeoutSec === undefined ? null : row.timeoutSec - (row.idleSec ?? 0)),
    ageSec: row.ageSec ?? null,
    idleSec: row.idleSec ?? null,
    outerAddress: row.outer ?? '203.0.113.24',
    outerPort: row.nat,
    vrf: null,
    printedFrom: askedAt,
    printedTo: readAt,
  }));
  return { complete: document.complete, static: document.static, dynamic: document.dynamic, sessions };
}
