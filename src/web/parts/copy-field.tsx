// A text to be taken elsewhere. Browsers give the clipboard only to pages over HTTPS or on this machine: else it is selected.
import { useId, useRef, useState } from 'preact/hooks';
import { text } from '../text/text.ts';

export function CopyField({ label, value }: { label: string; value: string }) {
  const t = text.value;
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const [said, setSaid] = useState('');
  const copy = async () => {
    field.current?.select();
    try {
      await navigator.clipboard.writeText(value);
      setSaid(t.detail.copied);
    } catch {
      setSaid(t.selectedForCopy);
    }
  };
  return (
    <div class="field copy-field">
      <label for={id}>{label}</label>
      <div>
        <input id={id} ref={field} readOnly value={value} spellcheck={false} />
        <button type="button" onClick={() => void copy()}>
          {t.detail.copy}
        </button>
      </div>
      <small role="status">{said}</small>
    </div>
  );
}
