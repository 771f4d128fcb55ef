// Rows as a CSV file.

/** Cells are quoted; `undefined` and null are empty. */
export function toCsv(columns: readonly string[], rows: readonly (readonly unknown[])[]): string {
  return [columns, ...rows].map((row) => `${row.map((value) => toCell(String(value ?? ''))).join()}\r\n`).join('');
}

/** An apostrophe is put before what a spreadsheet would take for a formula, as in the export of the log. */
function toCell(value: string): string {
  const guarded = /^(?:\s*[=+\-@]|[\t\r])/.test(value) ? `'${value}` : value;
  return `"${guarded.replaceAll('"', '""')}"`;
}
