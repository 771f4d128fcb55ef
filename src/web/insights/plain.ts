// Text that leaves the page.
import { visibleText } from '../parts/outside.ts';

const longest = 200;

/** The report as text, each line cut to 200 characters. */
export function toPlainReport(report: HTMLElement): string {
  const parts = [...report.children].filter(({ tagName }) => tagName !== 'NAV') as HTMLElement[];
  const lines = visibleText(parts.map((part) => part.innerText).join('\n')).split('\n');
  return lines.map((line) => (line.length > longest ? `${line.slice(0, longest)}…` : line)).join('\n');
}
