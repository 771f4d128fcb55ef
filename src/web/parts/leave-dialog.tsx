// Asks whether changes that are not saved may be lost. Escape stays on the page.
import { leaveUnsaved, stay } from '../state/unsaved.ts';
import { words } from '../text/start/words.ts';
import { Modal } from './modal.tsx';

export function LeaveDialog() {
  const t = words.value.unsaved;
  return (
    <Modal title={t.title} kind="leave" close={stay}>
      <p>{t.help}</p>
      <p class="actions">
        <button type="button" class="main" onClick={stay}>
          {t.stay}
        </button>
        <button type="button" class="danger-button" onClick={leaveUnsaved}>
          {t.leave}
        </button>
      </p>
    </Modal>
  );
}
