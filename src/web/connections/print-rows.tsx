// Prints the log. Its button loads the first rows; the browser's own command prints those that are loaded.
import { useEffect, useState } from 'preact/hooks';
import { PrintedAt } from '../parts/printed.tsx';
import { isPrinting, printPage } from '../state/printing.ts';
import type { Range } from '../state/range.ts';
import { fullDate, number } from '../text/format.ts';
import { words } from '../text/log/words.ts';
import { text } from '../text/text.ts';
import type { Pages } from './pages.ts';

/** More rows make a document that nobody reads. */
const mostRows = 1000;

/** How many rows are printed: those that are loaded, from the first one on without a gap. */
export function countPrinted(pages: Pages): number {
  const most = Math.min(pages.total ?? 0, mostRows);
  let count = 0;
  while (count < most && pages.row(count) !== null) {
    count += 1;
  }
  return count;
}

export function PrintButton({ pages }: { pages: Pages }) {
  const [isAsked, setAsked] = useState(false);
  const { total, error } = pages;
  const most = Math.min(total ?? 0, mostRows);
  const isLoaded = isAsked && countPrinted(pages) === most;
  // It runs after each drawing: a table that is scrolled meanwhile asks for other rows, which these must follow.
  useEffect(() => {
    if (isAsked && most > 0) {
      pages.want(0, most - 1);
    }
    if (isLoaded || error !== null) {
      setAsked(false);
    }
    if (isLoaded) {
      printPage();
    }
  });
  return (
    <button type="button" disabled={total === null || isAsked} aria-busy={isAsked} onClick={() => setAsked(true)}>
      {isAsked ? text.value.loading : text.value.print}
    </button>
  );
}

/** The lines above the rows on paper; nothing on a screen. */
export function PrintedAbout({ pages, period }: { pages: Pages; period: Range }) {
  const { total } = pages;
  if (!isPrinting.value || total === null) {
    return null;
  }
  const count = countPrinted(pages);
  return (
    <>
      {period.name === null ? null : <p>{text.value.rangeOwn(fullDate(period.from), fullDate(period.to))}</p>}
      {count < total ? <p>{words.value.printedPart(number(count), number(total))}</p> : null}
      <PrintedAt />
    </>
  );
}
