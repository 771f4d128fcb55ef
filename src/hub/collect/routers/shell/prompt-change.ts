// Follows a prompt that is another one than before: somebody renamed the router, or set its character set.
import type { ScreenLine } from './decoder.ts';
import { type Prompt, parsePrompt } from './prompt.ts';
import type { Over, Terminal } from './terminal.ts';

/**
 * What looks like a prompt and stays may also be the beginning of a line. Enter shows which, once in a command: behind a
 * prompt the same prompt comes again, and then `adopt` is called.
 */
export function watchPromptChange(
  { terminal, known }: { terminal: Terminal; known: Prompt },
  over: Pick<Over<unknown>, 'whenQuiet'>,
  adopt: (prompt: Prompt) => void,
) {
  const waitMs = terminal.settleMs * 4;
  let asked: string | null = null;
  let isOver = false;
  let held: ScreenLine[] = [];
  return {
    /** The lines to hand on now: what may be a new prompt that Enter ended is held back. */
    take(line: ScreenLine): readonly ScreenLine[] {
      const isAnswer = held.length === 0 ? line.raw === asked : line.raw === '';
      if (asked !== null && !isOver && isAnswer) {
        held.push(line);
        return [];
      }
      isOver = asked !== null;
      const lines = [...held, line];
      held = [];
      return lines;
    },
    /** Checks the last line on the screen, once the echo of the command was seen. */
    look(rest: string): void {
      const prompt = parsePrompt(rest);
      if (prompt === null || isOver || (known.stem + known.level).startsWith(rest)) {
        return;
      }
      if (asked === null) {
        over.whenQuiet(waitMs, () => {
          asked = rest;
          terminal.write('\r');
        });
      } else if (rest === asked && held.length > 0) {
        over.whenQuiet(waitMs, () => {
          held = [];
          adopt(prompt);
        });
      }
    },
    /** The lines still held back when the answer ends without a new prompt. */
    held: (): readonly ScreenLine[] => held,
  };
}
