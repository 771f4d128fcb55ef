// Rows of figures as a table of plain text, numbers to the right.

/** One line per row under a line of names; all rows have the same members. */
export function formatTable(rows: readonly object[]): string {
  const names = Object.keys(rows[0] ?? {});
  const cells = rows.map((row) => Object.values(row).map(shown));
  const widths = names.map((name, at) => Math.max(name.length, ...cells.map((row) => row[at]?.length ?? 0)));
  const isNumber = Object.values(rows[0] ?? {}).map((value) => typeof value === 'number');
  const line = (row: readonly string[]) =>
    row.map((cell, at) => (isNumber[at] ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0))).join('  ');
  return `${[names, ...cells].map((row) => line(row).trimEnd()).join('\n')}\n`;
}

function shown(value: unknown): string {
  return typeof value === 'number' && !Number.isInteger(value) ? value.toFixed(1) : String(value);
}
