// Copies a text to the clipboard. Browsers allow it only over HTTPS or on localhost; elsewhere the text is selected.
import type { RefObject } from 'preact';
import { useId, useRef, useState } from 'preact/hooks';
import { text } from '../text/text.ts';

interface Copying {
  /** The message to show: copied, or selected for copying. Empty before the first attempt. */
  outcome: string;
  /** When the browser refuses, calls `select`, which selects the text for copying by hand. */
  copy: (value: string, select: () => void) => Promise<void>;
}

export function useCopy(): Copying {
  const [outcome, setOutcome] = useState('');
  const copy = async (value: string, select: () => void) => {
    try {
      await navigator.clipboard.writeText(value);
      setOutcome(text.value.detail.copied);
    } catch {
      select();
      setOutcome(text.value.selectedForCopy);
    }
  };
  return { outcome, copy };
}

export function selectText(element: HTMLElement | null): void {
  if (element) {
    getSelection()?.selectAllChildren(element);
  }
}

export function CopyField({ label, value }: { label: string; value: string }) {
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const { outcome, copy } = useCopy();
  return (
    <div class="field copy-field">
      <label for={id}>{label}</label>
      <div>
        <input id={id} ref={field} readOnly value={value} spellcheck={false} />
        <button
          type="button"
          onClick={() => {
            field.current?.select();
            void copy(value, () => {});
          }}
        >
          {text.value.detail.copy}
        </button>
      </div>
      <small role="status">{outcome}</small>
    </div>
  );
}

interface CopyTextProps {
  label: string;
  source: RefObject<HTMLElement | null>;
  toText: (shown: HTMLElement) => string;
}

export function CopyText({ label, source, toText }: CopyTextProps) {
  const { outcome, copy } = useCopy();
  const copyShown = () => {
    const shown = source.current;
    if (shown) {
      void copy(toText(shown), () => selectText(shown));
    }
  };
  return (
    <p class="copy-report">
      <button type="button" onClick={copyShown}>
        {label}
      </button>{' '}
      <span role="status">{outcome}</span>
    </p>
  );
}
