// Says in plain words why a backup was not restored, and what to do.
import type { ComponentChildren } from 'preact';
import type { ApiError } from '../../api/client.ts';
import { describeError } from '../../parts/outcome.tsx';
import { bytes } from '../../text/format.ts';
import { words } from '../../text/restore/words.ts';
import { mostBytes } from './backup-file.ts';

/** `hasBegun`: the hub had all that it needs, so a lost connection does not say how the restore ended. */
export function describeRestoreProblem(error: ApiError, hasBegun: boolean): ComponentChildren {
  const t = words.value.problems;
  if (error.code === 'unreachable') {
    return hasBegun ? t.unknownEnd : `${t.lost} ${t.nothingChanged}`;
  }
  const sentences: Readonly<Record<string, string>> = {
    upload_rejected: t.damaged,
    generation_damaged: t.damaged,
    digest_mismatch: t.damaged,
    malformed_request: t.lost,
    payload_too_large: t.tooLarge(bytes(mostBytes)),
    backup_busy: t.busy,
    disk_full: t.noRoom,
  };
  // A proxy in front of the hub answers 413 without a code.
  const sentence = sentences[error.status === 413 ? 'payload_too_large' : error.code];
  return sentence === undefined ? describeError(error) : `${sentence} ${t.nothingChanged}`;
}
