// Takes what a report shows elsewhere. Browsers give the clipboard only to pages over HTTPS or on this machine: else it is
// selected.
import type { RefObject } from 'preact';
import { useState } from 'preact/hooks';
import { words } from '../text/insights/words.ts';
import { text } from '../text/text.ts';

const longest = 200;

export function CopyReport({ report }: { report: RefObject<HTMLElement | null> }) {
  const [said, setSaid] = useState('');
  const copy = async () => {
    const shown = report.current;
    if (shown === null) {
      return;
    }
    try {
      await navigator.clipboard.writeText(plain(shown.innerText));
      setSaid(text.value.detail.copied);
    } catch {
      getSelection()?.selectAllChildren(shown);
      setSaid(text.value.selectedForCopy);
    }
  };
  return (
    <p class="copy-report">
      <button type="button" onClick={() => void copy()}>
        {words.value.copy}
      </button>{' '}
      <span role="status">{said}</span>
    </p>
  );
}

/** Without what steers a terminal or the direction of text; names of others are not endless there. */
function plain(shown: string): string {
  const lines = shown.replace(/[^\P{C}\n\t]+/gu, '').split('\n');
  return lines.map((line) => (line.length > longest ? `${line.slice(0, longest)}…` : line)).join('\n');
}
