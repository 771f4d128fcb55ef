// The pager's question of both vendors, and how a device erases it once a key was typed. Pure.

/** A question that was found, with what came behind it as long as that may be its erasure. */
export interface Question {
  text: string;
  behind: string[];
  /** Characters in `behind`. */
  length: number;
  step: Step;
}

/** How much of an erasure has come: backspaces, blanks, backspaces; or a return, blanks, a return. */
type Step = 'asked' | 'back' | 'blank' | 'back again' | 'return' | 'blank after return';

/** Both vendors' questions; the Japanese one in each character set, whatever the screen is decoding with. */
const questionBytes: readonly (readonly number[])[] = [
  ascii(' --More-- '),
  ascii('---more---'),
  [...ascii('---'), 0x82, 0xc2, 0x82, 0xc3, 0x82, 0xad, ...ascii('---')],
  [...ascii('---'), 0xa4, 0xc4, 0xa4, 0xc5, 0xa4, 0xaf, ...ascii('---')],
  [...new TextEncoder().encode('---つづく---')],
];

export interface PagerWords {
  /** The first question in the text. */
  find(text: string): { start: number; end: number } | null;
  /** Characters at the end of the text that may be the beginning of a question. */
  beginningAtEnd(text: string): number;
  /** True for a line that is a question and nothing else. */
  isQuestion(line: string): boolean;
}

const wordsByLabel = new Map<string, PagerWords>();

/** The questions as they look when decoded with this WHATWG label. Throws a RangeError for an unknown one. */
export function pagerWords(label: string): PagerWords {
  const known = wordsByLabel.get(label) ?? createPagerWords(label);
  wordsByLabel.set(label, known);
  return known;
}

function createPagerWords(label: string): PagerWords {
  const texts = [...new Set(questionBytes.map((bytes) => new TextDecoder(label).decode(Uint8Array.from(bytes))))];
  const pattern = new RegExp(texts.map((text) => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|'), 'g');
  const beginnings = new Set(texts.flatMap((text) => Array.from(text, (_, at) => text.slice(0, at)).slice(1)));
  const longest = Math.max(...texts.map(({ length }) => length)) - 1;
  const inside = new Set(texts.flatMap((text) => text.split('')));
  const alone = new Set(texts.map((text) => text.trim()));
  return {
    find(text) {
      pattern.lastIndex = 0;
      const found = text.includes('--') ? pattern.exec(text) : null;
      return found && { start: found.index, end: pattern.lastIndex };
    },
    beginningAtEnd(text) {
      if (!inside.has(text[text.length - 1] ?? '')) {
        return 0;
      }
      for (let length = Math.min(longest, text.length); length > 0; length -= 1) {
        if (beginnings.has(text.slice(-length))) {
          return length;
        }
      }
      return 0;
    },
    isQuestion: (line) => line.includes('--') && alone.has(line.trim()),
  };
}

/**
 * Takes what follows a question, and notes how far its erasure has come. `end` is where what follows it starts, −1 when
 * all of the text may belong to it; `gone` says that it was erased, else it is plain text.
 */
export function endOfErasure(question: Question, text: string): { end: number; gone: boolean } {
  for (let at = 0; at < text.length; at += 1) {
    const next = nextStep(question.step, text[at]);
    if (next === 'gone' || next === 'gone before' || next === 'kept') {
      question.behind.push(text.slice(0, at));
      question.length += at;
      return { end: next === 'gone' ? at + 1 : at, gone: next !== 'kept' };
    }
    question.step = next;
  }
  question.behind.push(text);
  question.length += text.length;
  return { end: -1, gone: false };
}

/** `gone` with this character, `gone before` it, or `kept`: it does not belong to an erasure. */
function nextStep(step: Step, character: string | undefined): Step | 'gone' | 'gone before' | 'kept' {
  switch (step) {
    case 'asked':
      return character === '\b' ? 'back' : character === '\r' ? 'return' : 'kept';
    case 'back':
      return character === '\b' ? 'back' : character === ' ' ? 'blank' : 'kept';
    case 'blank':
      return character === ' ' ? 'blank' : character === '\b' ? 'back again' : 'kept';
    case 'back again':
      return character === '\b' ? 'back again' : 'gone before';
    case 'return':
      return character === ' ' ? 'blank after return' : 'kept';
    case 'blank after return':
      return character === ' ' ? 'blank after return' : character === '\r' ? 'gone' : 'kept';
  }
}

function ascii(text: string): number[] {
  return [...new TextEncoder().encode(text)];
}
