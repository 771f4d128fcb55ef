// The title of the document: what is shown, from the closest part to the program.
import { computed, signal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';

interface Part {
  name: string;
  /** The name is from outside, such as that of a device. */
  isOutside: boolean;
}

const parts = signal<readonly Part[]>([]);

/** The parts of a place that are shown, such as a section or a drawer, the newest first, without names from outside. */
export const titleParts = computed(() => parts.value.flatMap(({ name, isOutside }) => (isOutside ? [] : [name])));

/** The newest part, if its name is from outside. A title has no element that could keep its direction from other words. */
export const outsideTitle = computed((): string | null => {
  const [newest] = parts.value;
  return newest?.isOutside ? newest.name : null;
});

/** Names a part of a place in the title while the component is mounted; null: the place itself is shown. */
export function useTitle(name: string | null, { isOutside = false } = {}): void {
  useLayoutEffect(() => {
    if (name === null) {
      return undefined;
    }
    const part = { name, isOutside };
    parts.value = [part, ...parts.peek()];
    return () => {
      parts.value = parts.peek().filter((one) => one !== part);
    };
  }, [name, isOutside]);
}
