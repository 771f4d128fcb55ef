// A button that erases what was kept for a privacy rule, and the outcome of the last erasure of that rule.
import { useEffect, useRef } from 'preact/hooks';
import { ask } from '../api/client.ts';
import { every } from '../clock.ts';
import { useAsked } from '../state/loaded.ts';
import { number } from '../text/format.ts';
import { words } from '../text/privacy/words.ts';
import { ConfirmButton } from './confirm-dialog.tsx';

const askedAgainMs = 1000;

interface Props {
  ruleId: string;
  name: string;
  /** An erasure that was asked for here has ended: what is shown of the device is read again. */
  erased?: () => void;
}

export function EraseKept({ ruleId, name, erased }: Props) {
  const w = words.value;
  const { value, reload } = useAsked('GET /api/privacy/erase', {});
  const job = value?.job?.ruleId === ruleId ? value.job : null;
  const isRunning = value?.job?.status === 'running';
  useEffect(() => (isRunning ? every(askedAgainMs, reload) : undefined), [isRunning]);
  const wasAsked = useRef(false);
  useEffect(() => {
    if (wasAsked.current && job?.status === 'completed') {
      wasAsked.current = false;
      erased?.();
    }
  }, [job?.id, job?.status]);
  const erase = async () => {
    await ask('POST /api/privacy/erase', { body: { ruleId } });
    wasAsked.current = true;
    reload();
  };
  const { connections = 0, destinations = 0 } = job?.erased ?? {};
  const { backups = 0, clickhouseHours = 0, conversations = 0 } = job?.remains ?? {};
  return (
    <>
      {isRunning ? (
        <p role="status">{w.erasing}</p>
      ) : (
        <p class="actions">
          <ConfirmButton label={w.erase} title={w.eraseTitle(name)} act={erase}>
            <p>{w.eraseHelp}</p>
          </ConfirmButton>
        </p>
      )}
      {job?.status === 'failed' ? <p class="problem">{w.failed}</p> : null}
      {job?.status === 'completed' ? (
        <p class="help" role="status">
          {w.erased(number(connections), number(destinations))}{' '}
          {w.remains(number(backups), number(clickhouseHours), number(conversations))}
        </p>
      ) : null}
    </>
  );
}
