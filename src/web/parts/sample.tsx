// A text of a program, to be read and taken elsewhere.
import { useId, useRef } from 'preact/hooks';
import { text } from '../text/text.ts';
import { selectText, useCopy } from './copy.tsx';

export function Sample({ title, value }: { title: string; value: string }) {
  const id = useId();
  const shown = useRef<HTMLPreElement>(null);
  const { outcome, copy } = useCopy();
  return (
    <div class="sample">
      <h4 id={id}>{title}</h4>
      <button type="button" aria-describedby={id} onClick={() => void copy(value, () => selectText(shown.current))}>
        {text.value.detail.copy}
      </button>
      <small role="status">{outcome}</small>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard */}
      <section tabIndex={0} aria-labelledby={id}>
        <pre ref={shown}>{value}</pre>
      </section>
    </div>
  );
}
