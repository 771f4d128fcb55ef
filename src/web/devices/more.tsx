// The first entries of a long list; the others unfold.
import type { ComponentChildren } from 'preact';
import { words } from '../text/device/words.ts';
import { number } from '../text/format.ts';

interface Props<T> {
  all: readonly T[];
  most?: number;
  show: (part: readonly T[]) => ComponentChildren;
}

export function FirstOf<T>({ all, most = 8, show }: Props<T>) {
  return (
    <>
      {show(all.slice(0, most))}
      {all.length > most ? (
        <details class="rest">
          <summary>{words.value.more(number(all.length - most))}</summary>
          {show(all.slice(most))}
        </details>
      ) : null}
    </>
  );
}
