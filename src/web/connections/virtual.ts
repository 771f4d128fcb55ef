// Which rows of a long list are in sight. All rows are of one height, so that this is a division.
import type { RefObject } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';

export interface InSight {
  rows: readonly { index: number; start: number }[];
  height: number;
}

/** Rows above and below what is in sight: a key or a wheel meets a row that is there. */
const spare = 10;

/** `rowHeight` in pixels. */
export function useVirtual(box: RefObject<HTMLElement | null>, count: number, rowHeight: number): InSight {
  const [{ top, tall }, setSight] = useState({ top: 0, tall: 0 });
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) {
      return undefined;
    }
    const look = () => setSight({ top: element.scrollTop, tall: element.clientHeight });
    const size = new ResizeObserver(look);
    size.observe(element);
    element.addEventListener('scroll', look, { passive: true });
    look();
    return () => {
      size.disconnect();
      element.removeEventListener('scroll', look);
    };
  }, [box]);
  const first = Math.max(0, Math.min(Math.floor(top / rowHeight), count - 1) - spare);
  const last = Math.min(count, Math.ceil((top + tall) / rowHeight) + spare);
  const rows = Array.from({ length: Math.max(0, last - first) }, (_, index) => ({
    index: first + index,
    start: (first + index) * rowHeight,
  }));
  return { rows, height: count * rowHeight };
}
