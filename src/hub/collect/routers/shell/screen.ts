// From bytes of a terminal to whole lines: takes out the pager's text, splits, decodes each line. No encoding of routers
// has a line end, a sign of a prompt or a question of the pager inside a character, so all before that is done in bytes.
// Pure: it never writes and knows no time, so the way the bytes were cut into chunks changes nothing. Each byte is looked
// at a fixed number of times, however it came: what is settled is never searched again.
import { createLineDecoder, type ScreenLine, toScreenLine } from './decoder.ts';
import { beginningAtEnd, endOfErasure, findQuestion, isQuestion, type Question } from './pager.ts';

export interface Screen {
  feed(bytes: Uint8Array): void;
  /** Decode what follows with this WHATWG label. Throws a RangeError for an unknown one. */
  decodeAs(label: string): void;
  /** The bytes after the last line end, each as one character; of a long line the last 256. */
  rest(): string;
  /** The same as text. */
  restText(): string;
  /** Forgets the text after the last line end: it was a prompt, and was answered. */
  clear(): void;
  /** True when the text ends in the pager's question. */
  isPaused(): boolean;
}

/** Receives each whole line without its line end. Of a line that is too long only the beginning comes, marked as damaged. */
export type OnLine = (line: ScreenLine) => void;

/**
 * A line longer than this is no answer of a router; it is counted as noise and dropped. Twice the widest console:
 * vendor_a breaks lines at 4096 columns at the latest.
 */
const maxLine = 8192;

/** More than any prompt or question. */
const shownRest = 256;

/** What is said of a line that is too long. */
const shownOverlong = 200;

/** Characters searched at a time, so that joining them with what was held back costs little. */
const pieceLength = 4096;

export function createScreen(label: string, onLine: OnLine): Screen {
  let decode = createLineDecoder(label);
  /** The unfinished line as far as it is settled, in pieces; `tail` is its end. */
  let kept: string[] = [];
  let keptLength = 0;
  let tail = '';
  /** Its end that may still become the pager's question. */
  let open = '';
  let question: Question | null = null;
  /** The beginning of the unfinished line, once that is too long to be one. */
  let overlong: string | null = null;

  const forgetLine = (): void => {
    kept = [];
    keptLength = 0;
    tail = '';
    overlong = null;
  };

  const endLine = (piece: string): void => {
    const isTooLong = overlong !== null || keptLength + piece.length > maxLine;
    const line = overlong ?? withoutReturns(kept.length === 0 ? piece : kept.join('') + piece);
    forgetLine();
    if (isTooLong) {
      onLine({ ...toScreenLine(line.slice(0, shownOverlong), decode), isDamaged: true });
    } else if (!isQuestion(line)) {
      onLine(toScreenLine(line, decode));
    }
  };

  const grow = (piece: string): void => {
    if (overlong !== null || piece === '') {
      return;
    }
    kept.push(piece);
    keptLength += piece.length;
    tail = (tail + piece).slice(-shownRest);
    if (keptLength > maxLine) {
      const beginning = kept.join('').slice(0, shownRest);
      forgetLine();
      overlong = beginning;
    }
  };

  /** Takes settled text: whole lines are handed on, the rest waits for its end. */
  const settle = (text: string): void => {
    let from = 0;
    const started = () => (keptLength === 0 ? skipReturns(text, from) : from);
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
      endLine(text.slice(Math.min(started(), end), end));
      from = end + 1;
    }
    grow(text.slice(started()));
  };

  /** Follows what comes behind a question; returns what is left of `text` when it was erased or is no question. */
  const follow = (asked: Question, text: string): string => {
    const { end, gone } = endOfErasure(asked, text);
    if (end < 0 && asked.length <= maxLine) {
      return '';
    }
    question = null;
    if (!gone) {
      settle(asked.text);
      const behind = asked.behind.join('');
      const held = end < 0 ? 0 : beginningAtEnd(behind);
      settle(behind.slice(0, behind.length - held));
      open = behind.slice(behind.length - held);
    }
    return end < 0 ? '' : text.slice(end);
  };

  const addPiece = (piece: string): void => {
    let text = piece;
    while (text !== '') {
      if (question) {
        text = follow(question, text);
        continue;
      }
      const all = open + text;
      const found = findQuestion(all);
      if (!found) {
        const held = beginningAtEnd(all);
        settle(all.slice(0, all.length - held));
        open = all.slice(all.length - held);
        return;
      }
      open = '';
      settle(all.slice(0, found.start));
      question = { text: all.slice(found.start, found.end), behind: [], length: 0, step: 'asked' };
      text = all.slice(found.end);
    }
  };

  const add = (text: string): void => {
    for (let at = 0; at < text.length; at += pieceLength) {
      addPiece(text.slice(at, at + pieceLength));
    }
  };

  const rest = () => (question ? tail : tail + open).slice(-shownRest);

  return {
    feed: (bytes) => add(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')),
    decodeAs(next) {
      decode = createLineDecoder(next);
    },
    rest,
    restText: () => decode(rest()),
    clear() {
      forgetLine();
      open = '';
      question = null;
    },
    isPaused: () => question?.step === 'asked',
  };
}

/** Where the carriage returns that start at `from` end. */
function skipReturns(text: string, from: number): number {
  let at = from;
  while (text[at] === '\r') {
    at += 1;
  }
  return at;
}

function withoutReturns(line: string): string {
  let end = line.length;
  while (line[end - 1] === '\r') {
    end -= 1;
  }
  return line.slice(skipReturns(line, 0), end);
}
