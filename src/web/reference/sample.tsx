// A text of a program, to be read and taken elsewhere.
import { useId, useRef, useState } from 'preact/hooks';
import { text } from '../text/text.ts';

export function Sample({ title, value }: { title: string; value: string }) {
  const t = text.value;
  const id = useId();
  const shown = useRef<HTMLPreElement>(null);
  const [said, setSaid] = useState('');
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(value);
      setSaid(t.detail.copied);
    } catch {
      // Browsers give the clipboard only to pages over HTTPS or on this machine.
      if (shown.current) {
        getSelection()?.selectAllChildren(shown.current);
      }
      setSaid(t.selectedForCopy);
    }
  };
  return (
    <div class="sample">
      <h4 id={id}>{title}</h4>
      <button type="button" aria-describedby={id} onClick={() => void copy()}>
        {t.detail.copy}
      </button>
      <small role="status">{said}</small>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard */}
      <section tabIndex={0} aria-labelledby={id}>
        <pre ref={shown}>{value}</pre>
      </section>
    </div>
  );
}
