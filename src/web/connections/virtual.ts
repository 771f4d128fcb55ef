// Which rows of a long list are in sight.
import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from '@tanstack/virtual-core';
import type { RefObject } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';

export interface InSight {
  rows: readonly { index: number; start: number }[];
  height: number;
}

/** `rowHeight` in pixels. */
export function useVirtual(box: RefObject<HTMLElement | null>, count: number, rowHeight: number): InSight {
  const [, redraw] = useState({});
  const options = {
    count,
    getScrollElement: () => box.current,
    estimateSize: () => rowHeight,
    overscan: 10,
    observeElementRect,
    observeElementOffset,
    scrollToFn: elementScroll,
    onChange: () => redraw({}),
  };
  const [virtual] = useState(() => new Virtualizer<HTMLElement, HTMLElement>(options));
  virtual.setOptions(options);
  useLayoutEffect(() => virtual.measure(), [virtual, rowHeight]);
  useLayoutEffect(() => virtual._didMount(), [virtual]);
  useLayoutEffect(() => virtual._willUpdate());
  return { rows: virtual.getVirtualItems(), height: virtual.getTotalSize() };
}
