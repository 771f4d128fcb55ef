// The title of the document: what is shown, from the closest part to the program.
import { computed, signal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';

const parts = signal<readonly { name: string }[]>([]);

/** The parts of a place that are shown, such as a section or a drawer, the newest first. */
export const titleParts = computed(() => parts.value.map(({ name }) => name));

/** Names a part of a place in the title while the component is mounted; null: the place itself is shown. */
export function useTitle(name: string | null): void {
  useLayoutEffect(() => {
    if (name === null) {
      return undefined;
    }
    const part = { name };
    parts.value = [part, ...parts.peek()];
    return () => {
      parts.value = parts.peek().filter((one) => one !== part);
    };
  }, [name]);
}
