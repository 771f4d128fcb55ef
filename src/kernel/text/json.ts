// Untrusted JSON.
import { messageOf } from '../errors.ts';

/** Parses `text`; `undefined` when it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The place of the first mistake in `text`, both numbers from 1 on. `error` is what JSON.parse threw, and may not name it. */
export function findJsonMistake(text: string, error: unknown): { line: number; column: number } {
  const [, line, column] = /line (\d+) column (\d+)/.exec(messageOf(error)) ?? [];
  const before = text.slice(0, countJsonWords(text)).split('\n');
  return { line: Number(line ?? before.length), column: Number(column ?? (before.at(-1) ?? '').length + 1) };
}

/** Returns how many characters at the beginning of `text` are words of JSON. */
function countJsonWords(text: string): number {
  const word = /\s*(?:[{}[\],:]|"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*|true|false|null)\s*/y;
  let end = 0;
  while (word.test(text)) {
    end = word.lastIndex;
  }
  return end;
}
