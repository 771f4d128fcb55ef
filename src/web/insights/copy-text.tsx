// Takes a text elsewhere. Browsers give the clipboard only to pages over HTTPS or on this machine: else it is selected.
import type { RefObject } from 'preact';
import { useState } from 'preact/hooks';
import { text } from '../text/text.ts';

interface Props {
  label: string;
  /** What is selected where it cannot be copied. */
  of: RefObject<HTMLElement | null>;
  take: (shown: HTMLElement) => string;
}

export function CopyText({ label, of, take }: Props) {
  const [said, setSaid] = useState('');
  const copy = async () => {
    const shown = of.current;
    if (shown === null) {
      return;
    }
    try {
      await navigator.clipboard.writeText(take(shown));
      setSaid(text.value.detail.copied);
    } catch {
      getSelection()?.selectAllChildren(shown);
      setSaid(text.value.selectedForCopy);
    }
  };
  return (
    <p class="copy-report">
      <button type="button" onClick={() => void copy()}>
        {label}
      </button>{' '}
      <span role="status">{said}</span>
    </p>
  );
}
