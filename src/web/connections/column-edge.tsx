// The edge of a heading: dragging it or the arrow keys change the width of the column. A double click restores it.
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { isKey } from '../frame/keys.ts';
import { words } from '../text/log/words.ts';
import { clampWidth, leastWidth, mostWidth } from './column-widths.ts';
import { type ColumnName, chooseWidth, columnTitle, draggedWidth } from './columns.ts';

/** Pixels by which one press of a key changes a width. */
const stepWidth = 16;

export function ColumnEdge({ name }: { name: ColumnName }) {
  const edge = useRef<HTMLDivElement>(null);
  /** Where the pointer was pressed, and how wide the column was then; null while nothing is dragged. */
  const start = useRef<{ x: number; width: number } | null>(null);
  const [width, setWidth] = useState(leastWidth);
  const measure = () => Math.round(edge.current?.parentElement?.getBoundingClientRect().width ?? leastWidth);
  // The width of a column that nobody set depends on the window and on all others.
  useLayoutEffect(() => {
    const size = new ResizeObserver(() => setWidth(measure()));
    if (edge.current?.parentElement) {
      size.observe(edge.current.parentElement);
    }
    return () => size.disconnect();
  }, []);
  const onKey = (event: KeyboardEvent) => {
    if (isKey('narrower', event)) {
      chooseWidth(name, clampWidth(measure() - stepWidth));
    } else if (isKey('wider', event)) {
      chooseWidth(name, clampWidth(measure() + stepWidth));
    } else if (isKey('usualWidth', event)) {
      chooseWidth(name, null);
    } else {
      return;
    }
    event.preventDefault();
  };
  const end = () => {
    start.current = null;
    const dragged = draggedWidth.peek();
    draggedWidth.value = null;
    if (dragged) {
      chooseWidth(name, dragged.width);
    }
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: an `hr` is a break between texts and takes no focus.
    <div
      ref={edge}
      class="column-edge"
      role="separator"
      aria-orientation="vertical"
      aria-label={words.value.widthOf(columnTitle(name))}
      aria-valuenow={width}
      aria-valuemin={leastWidth}
      aria-valuemax={mostWidth}
      tabIndex={0}
      onKeyDown={onKey}
      onDblClick={() => chooseWidth(name, null)}
      onPointerDown={(event) => {
        if (event.button === 0) {
          event.currentTarget.setPointerCapture(event.pointerId);
          start.current = { x: event.clientX, width: measure() };
        }
      }}
      onPointerMove={({ clientX }) => {
        // A click moves nothing: the column keeps the width that the window gives it.
        if (start.current !== null && (clientX !== start.current.x || draggedWidth.peek() !== null)) {
          draggedWidth.value = { name, width: clampWidth(start.current.width + clientX - start.current.x) };
        }
      }}
      onPointerUp={end}
      onPointerCancel={end}
    />
  );
}
