// How far a check or a restore is: the share of the file that was sent, then the step that the hub is at.
import { useEffect, useState } from 'preact/hooks';
import { ask } from '../../api/client.ts';
import { every } from '../../clock.ts';
import { bytes } from '../../text/format.ts';
import { words } from '../../text/restore/words.ts';

const lookAgainMs = 500;

interface Props {
  label: string;
  /** Bytes of the file that is sent; null when the backup is in the hub. */
  size: number | null;
  /** The share that was sent, up to 1. */
  share: number;
}

export function RestoreProgress({ label, size, share }: Props) {
  const t = words.value;
  const [step, setStep] = useState('starting');
  const isSending = size !== null && share < 1;
  useEffect(() => {
    if (isSending) {
      return undefined;
    }
    // While the hub replaces the database it does not answer, and then the session has ended: the last step stays.
    const look = () =>
      ask('GET /api/backup/list', {}).then(
        ({ activity }) => setStep((before) => activity?.step ?? before),
        () => stop(),
      );
    const stop = every(lookAgainMs, () => void look());
    return stop;
  }, [isSending]);
  const steps: Readonly<Record<string, string>> = t.steps;
  return (
    <>
      <progress aria-label={label} {...(isSending ? { max: 1, value: share } : {})} />
      <p role="status">{isSending ? t.sent(bytes(share * size), bytes(size)) : (steps[step] ?? t.steps.starting)}</p>
    </>
  );
}
