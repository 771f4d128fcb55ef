// Which rows of a long list are drawn. All rows have the same height.
export interface RowsInSight {
  rows: readonly { index: number; start: number }[];
  height: number;
}

/** Rows drawn above and below the visible ones, so that a key or a wheel finds a row. */
const spare = 10;

/** Most pixels of height that the list gets. Browsers draw no taller element: Firefox stops at 17.8 million pixels, Chromium at 33 million. */
const mostPixels = 15_000_000;

/**
 * `top` and `tall` are what is in sight of a box, in pixels. A list that would be taller than browsers allow is scrolled
 * through faster than it moves: the first row is at the top of the box and the last one at its end all the same.
 */
export function findRowsInSight(top: number, tall: number, count: number, rowHeight: number): RowsInSight {
  const whole = count * rowHeight;
  const height = Math.min(whole, mostPixels);
  const at = height < whole ? top * ((whole - tall) / (height - tall)) : top;
  const first = Math.max(0, Math.min(Math.floor(at / rowHeight), count - 1) - spare);
  const last = Math.min(count, Math.ceil((at + tall) / rowHeight) + spare);
  const rows = Array.from({ length: Math.max(0, last - first) }, (_, index) => ({
    index: first + index,
    start: (first + index) * rowHeight - at + top,
  }));
  return { rows, height };
}
