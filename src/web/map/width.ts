// How wide an element is, as it changes.
import type { RefObject } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';

export function useWidth(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const watched = element.current;
    if (watched === null) {
      return undefined;
    }
    // The observer tells the first width too, before the page is painted. Reading it here would lay the page out twice.
    const observer = new ResizeObserver(() => setWidth(watched.clientWidth));
    observer.observe(watched);
    return () => observer.disconnect();
  }, [element]);
  return width;
}
