// Which rows of a long list are in sight of its box.
import type { RefObject } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';
import { findRowsInSight, type RowsInSight } from './sight.ts';

/** `rowHeight` in pixels. */
export function useVirtual(box: RefObject<HTMLElement | null>, count: number, rowHeight: number): RowsInSight {
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
  return findRowsInSight(top, tall, count, rowHeight);
}
