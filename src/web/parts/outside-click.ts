// Finds out that somebody clicked beside an open dialog, which closes it.
import type { RefObject } from 'preact';
import { useLayoutEffect } from 'preact/hooks';

/** Calls `act` for a click that began outside of the rectangle of `dialog`; null: never. */
export function useOutsideClick(dialog: RefObject<HTMLDialogElement | null>, act: (() => void) | null): void {
  useLayoutEffect(() => {
    let isOutside = false;
    const onDown = ({ clientX, clientY }: PointerEvent) => {
      const box = dialog.current?.getBoundingClientRect();
      isOutside =
        box !== undefined && (clientX < box.left || clientX > box.right || clientY < box.top || clientY > box.bottom);
    };
    // Not when the mouse is pressed: the browser moves the focus after that.
    const onClick = () => {
      if (isOutside) {
        isOutside = false;
        act?.();
      }
    };
    addEventListener('pointerdown', onDown);
    addEventListener('click', onClick);
    return () => {
      removeEventListener('pointerdown', onDown);
      removeEventListener('click', onClick);
    };
  }, []);
}
