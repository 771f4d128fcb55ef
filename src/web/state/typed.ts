// A text field whose value takes effect when the typing pauses.
import { useEffect, useRef, useState } from 'preact/hooks';
import { after } from '../clock.ts';

const restMs = 250;

/** Calls `commit` when the typing pauses. A changed `value` replaces what was typed. */
export function useTyped(value: string, commit: (text: string) => void) {
  const [draft, setDraft] = useState<{ text: string; of: string } | null>(null);
  const waiting = useRef<{ stop: () => void; finish: () => void } | null>(null);
  useEffect(() => () => waiting.current?.stop(), []);
  return {
    /** What the field shows: the value, or the newer text. */
    text: draft !== null && draft.of === value ? draft.text : value,
    type(text: string) {
      waiting.current?.stop();
      const finish = () => {
        waiting.current?.stop();
        waiting.current = null;
        setDraft({ text, of: text.trim() });
        commit(text.trim());
      };
      waiting.current = { stop: after(restMs, finish), finish };
      setDraft({ text, of: value });
    },
    /** Commits the typed text at once. */
    finish: () => waiting.current?.finish(),
  };
}
