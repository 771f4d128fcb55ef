// Text that leaves the page.

const longest = 200;

/** Without what steers a terminal or the direction of text. */
export function printable(text: string): string {
  return text.replace(/[^\P{C}\n\t]+/gu, '');
}

/** A report as text; names of others are not endless there. */
export function reportText(report: HTMLElement): string {
  const parts = [...report.children].filter(({ tagName }) => tagName !== 'NAV') as HTMLElement[];
  const lines = printable(parts.map((part) => part.innerText).join('\n')).split('\n');
  return lines.map((line) => (line.length > longest ? `${line.slice(0, longest)}…` : line)).join('\n');
}
