// What is being typed, and the value that it becomes when the typing rests.
import { useEffect, useRef, useState } from 'preact/hooks';
import { after } from '../clock.ts';

const restMs = 250;

export interface Typed {
  /** What the field shows: the value, or what was typed since. */
  text: string;
  type: (text: string) => void;
  /** Takes over at once what was typed. */
  finish: () => void;
}

/** Calls `commit` once the typing rests. When `value` becomes something else meanwhile, that is shown. */
export function useTyped(value: string, commit: (text: string) => void): Typed {
  const [draft, setDraft] = useState<{ text: string; of: string } | null>(null);
  const waiting = useRef<{ stop: () => void; finish: () => void } | null>(null);
  useEffect(() => () => waiting.current?.stop(), []);
  return {
    text: draft !== null && draft.of === value ? draft.text : value,
    type(text) {
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
    finish: () => waiting.current?.finish(),
  };
}
