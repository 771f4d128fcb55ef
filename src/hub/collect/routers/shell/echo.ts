// Takes the echo of a typed command out of what a device answers. Pure.
import type { ScreenLine } from './decoder.ts';
import { type Prompt, withoutPrompt } from './prompt.ts';

/** The device may repeat its prompt before the echo, print empty lines before it, and break it at its line width. */
export function createEchoFilter(command: string, prompt: Prompt) {
  let held: ScreenLine[] = [];
  let echo = '';
  let over = false;
  return {
    /** The lines to hand on now: none while the echo may still be coming, held ones when it turns out to be none. */
    take(line: ScreenLine): readonly ScreenLine[] {
      if (over) {
        return [line];
      }
      const { raw } = line;
      if (raw === '' || (echo === '' && raw.trim() === '')) {
        return [];
      }
      const text = echo === '' ? withoutPrompt(raw, prompt) : echo + raw;
      if (echo === '' && text.trim() === '') {
        return [];
      }
      if (text.trim() === command) {
        over = true;
        held = [];
        return [];
      }
      if (text !== '' && command.startsWith(text)) {
        echo = text;
        held.push(line);
        return [];
      }
      if (line.isDamaged) {
        return [line];
      }
      const lines = [...held, line];
      held = [];
      echo = '';
      return lines;
    },
    /** True when the echo was seen, so that a prompt from here on belongs to this command. */
    isOver: () => over,
    /** The lines held back so far, when the answer ends without an echo. */
    held: (): readonly ScreenLine[] => held,
  };
}
