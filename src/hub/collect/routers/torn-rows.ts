// A router may print a log line in the middle of a row: what stands around it shows whether it did.
import { isProse } from './block-ends.ts';

/** Where a log line stands: on a line of its own, or behind the piece of another one. */
export type LogPlace = 'alone' | 'inside a line';

/** Follows the lines of one table. A row stays open until a line that is no part of it was understood. */
export interface TornRows {
  /** A log line, after which the rest of a row may come; `inside a line`, it stands behind a piece of one. */
  log(place: LogPlace): void;
  /** False for a row that cannot be trusted: its protocol number may be the end of a longer one, or of a name, that was cut. */
  row(line: string): boolean;
  /** A line that was understood and is no row: a part of the open row, or a header. */
  other(): void;
  /** True when a line that was not understood is a piece of a row: the open row, if any, is then not what the router has. */
  isRest(line: string): boolean;
  /** Log lines so far. */
  logLines(): number;
}

/** `isPiece` says whether a line that was not understood, and is no sentence, may be a piece of a row. */
export function createTornRows(isPiece: (line: string) => boolean): TornRows {
  let logLines = 0;
  let isAfterLog = false;
  let isAfterPiece = false;
  const understood = (): void => {
    isAfterLog = false;
    isAfterPiece = false;
  };
  return {
    log(place) {
      logLines += 1;
      isAfterLog = true;
      isAfterPiece ||= place === 'inside a line';
    },
    row(line) {
      const isTrusted = !((isAfterLog || isAfterPiece) && /^\s*\d/.test(line));
      understood();
      return isTrusted;
    },
    other: understood,
    isRest(line) {
      if (isProse(line)) {
        return false;
      }
      const isRest = (isAfterLog || startsLikeRest(line)) && isPiece(line);
      isAfterLog = false;
      isAfterPiece = true;
      return isRest;
    },
    logLines: () => logLines,
  };
}

/** Text of another kind starts with a letter; numbers and what joins them are what rows are made of. */
function startsLikeRest(line: string): boolean {
  return /^\s*[\d.:,*-]/.test(line);
}
