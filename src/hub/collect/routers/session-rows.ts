// Collects the rows of one session table, line by line. A router may print a log line in the middle of a row. The lines
// around it show whether it did; a row that cannot be trusted is dropped.
import { isProse } from './block-ends.ts';
import type { OnUnread, Session, UnreadReason } from './driver.ts';
import { createUnparsed, type Ending, type SessionTable } from './reader.ts';
import { checkRows } from './shell/too-much.ts';

/** Where a log line stands: on its own line, or behind a piece of another line. */
export type LogPlace = 'alone' | 'inside a line';

export class SessionRows {
  /** The session of the last row; null when that row held no session, or was dropped. */
  lastSession: Session | null = null;

  readonly #isPiece: (line: string, hasOpenRow: boolean) => boolean;
  readonly #onUnread: OnUnread | undefined;
  readonly #sessions: Session[] = [];
  readonly #unparsed = createUnparsed();
  readonly #unsupported = createUnparsed();
  #staticRows = 0;
  #dropped = 0;
  #logLines = 0;
  /** The last row, until a line shows that it is over. */
  #open: 'session' | 'static' | 'unsupported' | 'damaged' | null = null;
  /** The last line was a log line; sentences do not count. */
  #isAfterLog = false;
  /** A piece of a row came, and no line since then was understood. */
  #isAfterPiece = false;

  /** `isPiece` says whether a line that was not understood, and is no sentence, may be a piece of a row. */
  constructor(isPiece: (line: string, hasOpenRow: boolean) => boolean, onUnread?: OnUnread) {
    this.#isPiece = isPiece;
    this.#onUnread = onUnread;
  }

  /** Number of whole rows so far: sessions, static rows and rows in an unsupported form. */
  get count(): number {
    return this.#sessions.length + this.#staticRows + this.#unsupported.value().count;
  }

  /** Call this once for each row, before it is added. False: a log line may have cut off the start of the row. */
  acceptRow(row: string): boolean {
    const isCut = (this.#isAfterLog || this.#isAfterPiece) && /^\s*\d/.test(row);
    this.addPart();
    return !isCut;
  }

  addSession(session: Session): void {
    this.#begin('session', session);
    this.#sessions.push(session);
    checkRows(this.#sessions.length);
  }

  addStatic(): void {
    this.#begin('static');
    this.#staticRows += 1;
  }

  /** A whole row in a form that is not supported. */
  addUnsupported(row: string): void {
    this.#begin('unsupported');
    this.#unsupported.add(row);
    this.#onUnread?.(row, 'unsupported form');
    checkRows(this.#unsupported.value().count);
  }

  /** A row that cannot be read or trusted. */
  addDamaged(row: string): void {
    this.#begin('damaged');
    this.#drop(row, 'damaged row');
  }

  /** A line that was understood and belongs to the open row. */
  addPart(): void {
    this.#isAfterLog = false;
    this.#isAfterPiece = false;
  }

  /** A line that was understood and ends the open row, such as a header. */
  close(): void {
    this.#open = null;
    this.addPart();
  }

  /** A log line, after which the rest of a row may come. Inside a line, it cut the open row. */
  addLog(line: string, place: LogPlace): void {
    this.#logLines += 1;
    this.#isAfterLog = true;
    if (place === 'inside a line') {
      this.#isAfterPiece = true;
      this.#drop(line, 'cut by a log line');
      this.#dropOpen();
    }
  }

  /** A line that was not understood. If it is a piece of a row, the open row is wrong and is dropped. */
  addOther(line: string): void {
    if (this.#isRest(line)) {
      this.#drop(line, 'piece of a row');
      this.#dropOpen();
    } else {
      this.#unparsed.add(line);
      this.#onUnread?.(line, 'other text');
    }
  }

  /** `isWhole` is false when the table itself shows that something is missing. */
  end({ cut, noisy }: Ending, declared: number | null, isWhole: boolean): SessionTable {
    return {
      sessions: this.#sessions,
      staticRows: this.#staticRows,
      declared,
      complete: !cut && noisy === 0 && this.#dropped === 0 && isWhole,
      unparsed: this.#unparsed.value(noisy),
      unsupported: this.#unsupported.value(),
      logLines: this.#logLines,
    };
  }

  #begin(kind: 'session' | 'static' | 'unsupported' | 'damaged', session: Session | null = null): void {
    this.#open = kind;
    this.lastSession = session;
  }

  #drop(line: string, reason: UnreadReason): void {
    this.#dropped += 1;
    this.#unparsed.add(line);
    this.#onUnread?.(line, reason);
  }

  #dropOpen(): void {
    if (this.#open === 'session') {
      this.#sessions.pop();
    } else if (this.#open === 'static') {
      this.#staticRows -= 1;
    }
    this.#open = null;
    this.lastSession = null;
  }

  #isRest(line: string): boolean {
    if (isProse(line)) {
      return false;
    }
    const isRest = (this.#isAfterLog || startsLikeRest(line)) && this.#isPiece(line, this.#open !== null);
    this.#isAfterLog = false;
    this.#isAfterPiece = true;
    return isRest;
  }
}

/** Rows consist of numbers and their separators; other text starts with a letter. */
function startsLikeRest(line: string): boolean {
  return /^\s*[\d.:,*-]/.test(line);
}
