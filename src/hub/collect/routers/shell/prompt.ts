// What stands at the end of a terminal's text: a prompt, a question for a password, a question about saving.
// A prompt is known by its bytes, each as one character: its encoding may be another one than that of the rest.
import { decodePrompt } from './decoder.ts';

/** A prompt as the device prints it: `stem` is all before its `>` or `#`, and may be empty. */
export interface Prompt {
  stem: string;
  level: '>' | '#';
}

/** Reads the last line of the screen as a prompt; `null` when it cannot be one. */
export function parsePrompt(rest: string): Prompt | null {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a control byte is no part of a prompt
  const parts = /^([^\u0000-\u001f\u007f]{0,240})([>#]) ?$/.exec(rest);
  const stem = parts?.[1] ?? '';
  return parts && decodePrompt(stem).length <= 80 ? { stem, level: parts[2] === '#' ? '#' : '>' } : null;
}

/** True when the last line is this prompt and nothing else. Asked of every line of a table: a pattern would cost more. */
export function isPrompt(rest: string, { stem, level }: Prompt): boolean {
  const after = rest.length - stem.length;
  const isLong = after === 2 && rest.endsWith(' ');
  return (after === 1 || isLong) && rest[stem.length] === level && rest.startsWith(stem);
}

/** `Password:` waiting for an answer. */
export function asksForPassword(rest: string): boolean {
  return /(?:^|\s)(?:password|パスワード)\s?[:：]\s*$/i.test(rest);
}

/** A name or a password is asked for: a login inside the shell, which this program does not answer. */
export function asksForLogin(rest: string): boolean {
  return asksForPassword(rest) || /(?:^|\s)(?:user ?name|login)\s?[:：]\s*$/i.test(rest);
}

/** `Save new configuration ? (Y/N)` and its like; the answer is always the single key N. */
export function asksToSave(rest: string): boolean {
  return /\(Y\/N\)\s*$/i.test(rest);
}

/** What remains of a line after the prompts that stand before it, as when a command is echoed behind its prompt. */
export function withoutPrompt(line: string, { stem }: Prompt): string {
  let from = 0;
  for (;;) {
    const sign = line.startsWith(stem, from) ? line[from + stem.length] : '';
    if (sign !== '>' && sign !== '#') {
      return line.slice(from);
    }
    from += stem.length + 1;
    from += line[from] === ' ' ? 1 : 0;
  }
}
