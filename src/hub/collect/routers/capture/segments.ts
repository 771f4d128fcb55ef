// Removes the echo and the prompt from what was recorded of a command. One character is one byte.
import type { Step } from '#capture/bundle.ts';
import type { Segment } from './recorder.ts';

/** The part of a segment that a capture keeps. */
export interface Recorded {
  bytes: Buffer;
  steps: Step[];
}

export interface Answer extends Recorded {
  /** The prompt behind the answer; null when it did not end in one. */
  prompt: string | null;
}

/** Returns what came before the first prompt. The prompt may be there several times, because the hub types Enter to learn it. */
export function toGreeting({ bytes, steps }: Segment): Answer {
  const text = bytes.toString('latin1');
  const prompt = text.slice(text.lastIndexOf('\n') + 1);
  let end = text.length - prompt.length;
  for (let line = findLastLine(text, end); line.text === prompt || line.text === ''; line = findLastLine(text, end)) {
    if (line.from === end) {
      break;
    }
    end = line.from;
  }
  const typed = steps.filter((step) => 'bytes' in step);
  return { bytes: bytes.subarray(0, end), steps: cutSteps(typed, 0, end), prompt };
}

/** The line that ends at `end`, without its end. */
function findLastLine(text: string, end: number): { from: number; text: string } {
  const before = text.slice(0, end).replace(/\r*\n$/, '');
  const from = before.lastIndexOf('\n') + 1;
  return { from: before.length === end ? end : from, text: before.slice(from) };
}

/**
 * Returns the answer to a command, which is the first thing that was typed in the segment. With `isWhole` it ends in a prompt:
 * one of `prompts`, or else the last line.
 */
export function toAnswer(
  { bytes, steps }: Segment,
  command: string,
  { isWhole, prompts }: { isWhole: boolean; prompts: readonly string[] },
): Answer {
  const text = bytes.toString('latin1');
  const from = findEndOfEcho(text, command);
  const last = text.slice(text.lastIndexOf('\n') + 1);
  // A second key at the pager may stand behind the prompt as a blank.
  const known = prompts.flatMap((prompt) => [prompt, `${prompt} `]).filter((prompt) => text.endsWith(prompt));
  const ending = isWhole ? (known.sort((a, b) => b.length - a.length)[0] ?? last) : '';
  const to = Math.max(from, text.length - ending.length);
  const prompt = isWhole ? (prompts.find((one) => one === ending.trimEnd() || one === ending) ?? ending) : null;
  return { bytes: bytes.subarray(from, to), steps: cutSteps(steps.slice(1), from, to), prompt };
}

/** Where the line ends in which the router repeats the command; it may break it at its last column. 0 without an echo. */
function findEndOfEcho(text: string, command: string): number {
  const pattern = [...command].map((character) => RegExp.escape(character)).join('(?:\\r*\\n)?');
  const echo = new RegExp(`^[^\\n]*?(?:\\r*\\n)?[^\\n]*?${pattern}[ \\t]*\\r*\\n`).exec(text);
  return echo?.[0].length ?? 0;
}

/** Returns the steps of the bytes `from` to `to`, without what was typed before and after them. */
function cutSteps(steps: readonly Step[], from: number, to: number): Step[] {
  const kept: Step[] = [];
  let at = 0;
  let waitedMs = 0;
  for (const step of steps) {
    if (!('bytes' in step)) {
      if (at > from && at <= to) {
        kept.push(step);
      }
      continue;
    }
    const bytes = Math.min(at + step.bytes, to) - Math.max(at, from);
    at += step.bytes;
    waitedMs += step.afterMs;
    if (bytes > 0) {
      kept.push({ afterMs: Math.min(waitedMs, 3_600_000), bytes });
      waitedMs = 0;
    }
  }
  return kept;
}
