// Selects a range of bars by mouse or keyboard, to zoom into it, and follows the bar under the mouse.
import type { TargetedKeyboardEvent, TargetedPointerEvent } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { isKey } from '../frame/keys.ts';

interface Ends {
  /** The bar where the selection began, and the bar at its moving end. */
  begin: number;
  at: number;
}

export type Brush = ReturnType<typeof useBrush>;

/** `count`: number of bars. A click without a drag selects nothing. */
export function useBrush(count: number, zoom: (first: number, last: number) => void) {
  const [ends, setEnds] = useState<Ends | null>(null);
  const [pointed, setPointed] = useState<number | null>(null);
  /** The bar at which the mouse was pressed. */
  const pressed = useRef<number | null>(null);
  const chosen = ends && ([Math.min(ends.begin, ends.at), Math.max(ends.begin, ends.at)] as const);
  const forget = () => {
    pressed.current = null;
    setEnds(null);
  };
  const finish = () => {
    forget();
    if (chosen) {
      zoom(...chosen);
    }
  };
  const within = (bar: number) => Math.min(count - 1, Math.max(0, bar));
  const barAt = ({ clientX, currentTarget }: TargetedPointerEvent<HTMLElement>) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    return within(Math.floor(((clientX - left) / width) * count));
  };
  const move = (step: number, isMore: boolean) => {
    const at = ends ? within(ends.at + step) : step < 0 ? count - 1 : 0;
    setEnds({ begin: isMore && ends ? ends.begin : at, at });
  };
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLElement>) => {
    if (isKey('barBefore', event) || isKey('lessBars', event)) {
      move(-1, isKey('lessBars', event));
    } else if (isKey('barAfter', event) || isKey('moreBars', event)) {
      move(1, isKey('moreBars', event));
    } else if (isKey('zoom', event)) {
      finish();
    } else if (isKey('noZoom', event)) {
      forget();
    } else {
      return;
    }
    event.preventDefault();
  };
  return {
    /** The first and the last bar that are selected; null when none is. */
    chosen,
    /** The bar under the mouse; null when the mouse is elsewhere. */
    pointed,
    handlers: {
      tabIndex: 0,
      onKeyDown,
      onBlur: forget,
      onPointerDown(event: TargetedPointerEvent<HTMLElement>) {
        setEnds(null);
        pressed.current = event.button === 0 ? barAt(event) : null;
      },
      onPointerMove(event: TargetedPointerEvent<HTMLElement>) {
        const at = barAt(event);
        setPointed(at);
        if (pressed.current !== null && (ends !== null || at !== pressed.current)) {
          event.currentTarget.setPointerCapture(event.pointerId);
          setEnds({ begin: pressed.current, at });
        }
      },
      onPointerUp() {
        if (pressed.current !== null && ends !== null) {
          finish();
        }
        pressed.current = null;
      },
      onPointerCancel: forget,
      onPointerLeave: () => setPointed(null),
    },
  };
}
