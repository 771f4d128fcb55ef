// Keyboard of the list and of the drawer: to the next alert, actions, undo.
import { useLayoutEffect } from 'preact/hooks';
import { isKey } from '../frame/keys.ts';
import { isTypingOrDialog } from '../frame/typing.ts';
import type { Alert } from '../state/alerts.ts';
import { begin, undoLast } from './act.ts';

interface Handlers {
  /** False while a drawer or dialog above handles the keys. */
  isOn: boolean;
  /** The alerts that an action is for. */
  targets: () => readonly Alert[];
  move: (step: 1 | -1) => void;
}

export function useAlertKeys({ isOn, targets, move }: Handlers): void {
  // A layout effect: what is shown is what the keys act on.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!isOn || event.defaultPrevented || isTypingOrDialog(event)) {
        return;
      }
      const name = (['expect', 'mute', 'resolve'] as const).find((one) => isKey(one, event));
      if (isKey('alertAfter', event)) {
        move(1);
      } else if (isKey('alertBefore', event)) {
        move(-1);
      } else if (isKey('undo', event)) {
        void undoLast();
      } else if (name) {
        void begin(name, targets());
      } else {
        return;
      }
      // The letter must not be typed into the dialog that it opens.
      event.preventDefault();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  });
}
