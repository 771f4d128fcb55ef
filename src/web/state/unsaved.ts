// Forms with changes that are not saved: before the page leaves them, the user is asked.
import { effect, signal } from '@preact/signals';

const unsaved = signal<ReadonlySet<object>>(new Set());

/** What waits for the answer of the user: it leaves the page. Null while nothing is asked. */
export const asking = signal<(() => void) | null>(null);

/** `form` is any object that stands for one form. */
export function setUnsaved(form: object, isUnsaved: boolean): void {
  if (unsaved.value.has(form) !== isUnsaved) {
    const others = [...unsaved.value].filter((one) => one !== form);
    unsaved.value = new Set(isUnsaved ? [...others, form] : others);
  }
}

/** Whether nothing would be lost. If not, asks the user, who may have `leave` called. */
export function mayLeave(leave: () => void): boolean {
  if (unsaved.value.size === 0) {
    return true;
  }
  asking.value = leave;
  return false;
}

export function stay(): void {
  asking.value = null;
}

export function leaveUnsaved(): void {
  const leave = asking.value;
  asking.value = null;
  unsaved.value = new Set();
  leave?.();
}

/** Has the browser ask before the tab is closed. */
const keepTab = (event: BeforeUnloadEvent) => event.preventDefault();

effect(() => {
  if (unsaved.value.size > 0) {
    addEventListener('beforeunload', keepTab);
  } else {
    removeEventListener('beforeunload', keepTab);
  }
});
