// From bytes of a terminal to whole lines: takes out the pager's text, splits, decodes each line. No encoding of routers
// has a line end, a sign of a prompt or a question of the pager inside a character, so all before that is done in bytes.
// Pure: it never writes and knows no time, so the way the bytes were cut into chunks changes nothing. Each byte is looked
// at a fixed number of times, however it came: what is settled is never searched again.
import { createLineDecoder, type ScreenLine, toScreenLine } from './decoder.ts';
import { beginningAtEnd, endOfErasure, findQuestion, isQuestion, type Question } from './pager.ts';

export type Screen = ReturnType<typeof createScreen>;

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

export function createScreen(label: string, onLine: OnLine) {
  let decode = createLineDecoder(label);
  const lines = createLineSplitter((line, isTooLong) => {
    if (isTooLong) {
      onLine({ ...toScreenLine(line.slice(0, shownOverlong), decode), isDamaged: true });
    } else if (!isQuestion(line)) {
      onLine(toScreenLine(line, decode));
    }
  });
  /** The end of the text that may still become the pager's question. */
  let open = '';
  let question: Question | null = null;

  /** Hands on what cannot be part of a question any more. */
  const settle = (text: string): void => {
    const held = beginningAtEnd(text);
    lines.add(text.slice(0, text.length - held));
    open = text.slice(text.length - held);
  };

  /** Follows what comes behind a question; returns what is left of `text` when it was erased or is no question. */
  const follow = (asked: Question, text: string): string => {
    const { end, gone } = endOfErasure(asked, text);
    if (end < 0 && asked.length <= maxLine) {
      return '';
    }
    question = null;
    if (!gone) {
      lines.add(asked.text);
      settle(asked.behind.join(''));
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
        settle(all);
        return;
      }
      open = '';
      lines.add(all.slice(0, found.start));
      question = { text: all.slice(found.start, found.end), behind: [], length: 0, step: 'asked' };
      text = all.slice(found.end);
    }
  };

  const rest = () => (question ? lines.tail() : lines.tail() + open).slice(-shownRest);

  return {
    feed(bytes: Uint8Array) {
      const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
      for (let at = 0; at < text.length; at += pieceLength) {
        addPiece(text.slice(at, at + pieceLength));
      }
    },
    /** Decode what follows with this WHATWG label. Throws a RangeError for an unknown one. */
    decodeAs(next: string) {
      decode = createLineDecoder(next);
    },
    /** The bytes after the last line end, each as one character; of a long line the last 256. */
    rest,
    /** Returns the same bytes, decoded. */
    restText: () => decode(rest()),
    /** Forgets the text after the last line end: it was a prompt, and was answered. */
    clear() {
      lines.clear();
      open = '';
      question = null;
    },
    /** True when the text ends in the pager's question. */
    isPaused: () => question?.step === 'asked',
  };
}

/** Cuts text into lines. `onLine` gets each without its end; of a line that is too long, only its beginning. */
function createLineSplitter(onLine: (line: string, isTooLong: boolean) => void) {
  /** The unfinished line; `tail` is its end. */
  let pieces: string[] = [];
  let length = 0;
  let tail = '';
  /** The beginning of the unfinished line, once that is too long to be one. */
  let overlong: string | null = null;

  const clear = (): void => {
    pieces = [];
    length = 0;
    tail = '';
    overlong = null;
  };

  const endLine = (piece: string): void => {
    const isTooLong = overlong !== null || length + piece.length > maxLine;
    const line = overlong ?? withoutReturns(pieces.length === 0 ? piece : pieces.join('') + piece);
    clear();
    onLine(line, isTooLong);
  };

  const grow = (piece: string): void => {
    if (overlong !== null || piece === '') {
      return;
    }
    pieces.push(piece);
    length += piece.length;
    tail = (tail + piece).slice(-shownRest);
    if (length > maxLine) {
      const beginning = pieces.join('').slice(0, shownRest);
      clear();
      overlong = beginning;
    }
  };

  return {
    add(text: string): void {
      let from = 0;
      const started = () => (length === 0 ? skipReturns(text, from) : from);
      for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
        endLine(text.slice(Math.min(started(), end), end));
        from = end + 1;
      }
      grow(text.slice(started()));
    },
    clear,
    tail: () => tail,
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
