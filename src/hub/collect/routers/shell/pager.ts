// The pager's question of both vendors, and how a device erases it once a key was typed. All of it in bytes. Pure.

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

/** Both vendors' questions, the Japanese one in Shift_JIS, EUC-JP and UTF-8: each character is a byte. */
const questions: readonly string[] = [
  ' --More-- ',
  '---more---',
  '---\x82\xc2\x82\xc3\x82\xad---',
  '---\xa4\xc4\xa4\xc5\xa4\xaf---',
  '---\xe3\x81\xa4\xe3\x81\xa5\xe3\x81\x8f---',
];
const anyQuestion = new RegExp(questions.join('|'), 'g');
const beginnings = new Set(questions.flatMap((text) => Array.from(text, (_, at) => text.slice(0, at)).slice(1)));
const longestBeginning = Math.max(...questions.map(({ length }) => length)) - 1;
const inQuestions = new Set(questions.join(''));
const alone = new Set(questions.map((text) => text.trim()));

/** Where the first question in the text stands. */
export function findQuestion(text: string): { start: number; end: number } | null {
  anyQuestion.lastIndex = 0;
  const found = text.includes('--') ? anyQuestion.exec(text) : null;
  return found && { start: found.index, end: anyQuestion.lastIndex };
}

/** The length of the longest end of `text` with which a question may begin; 0 when there is none. */
export function beginningAtEnd(text: string): number {
  if (!inQuestions.has(text[text.length - 1] ?? '')) {
    return 0;
  }
  for (let length = Math.min(longestBeginning, text.length); length > 0; length -= 1) {
    if (beginnings.has(text.slice(-length))) {
      return length;
    }
  }
  return 0;
}

/** True for a line that is a question and nothing else. */
export function isQuestion(line: string): boolean {
  return line.includes('--') && alone.has(line.trim());
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
