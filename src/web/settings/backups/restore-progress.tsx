// How far a check or a restore is: the share of the file that was sent, then that the hub works.
import { bytes } from '../../text/format.ts';
import { words } from '../../text/restore/words.ts';

interface Props {
  label: string;
  /** Bytes of the file that is sent; null when the backup is in the hub. */
  size: number | null;
  /** The share that was sent, up to 1. */
  share: number;
  /** Shown while the hub works. */
  working: string;
}

export function RestoreProgress({ label, size, share, working }: Props) {
  const isSending = size !== null && share < 1;
  return (
    <>
      <progress aria-label={label} {...(isSending ? { max: 1, value: share } : {})} />
      <p role="status">{isSending ? words.value.sent(bytes(share * size), bytes(size)) : working}</p>
    </>
  );
}
