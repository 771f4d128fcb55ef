// Rows as CSV lines and as JSON objects.
import type { Cell, RowForm } from './cells.ts';

export const csvForm: RowForm = {
  begin: '"',
  between: '","',
  end: '"\r\n',
  separator: '',
  formatCell: (_, value) => (typeof value === 'number' && value >= 0 ? String(value) : escapeCell(toText(value))),
};

export const jsonForm: RowForm = {
  begin: '{',
  between: ',',
  end: '}',
  separator: ',',
  formatCell: (name, value) =>
    `"${name}":${typeof value === 'number' || value === null ? value : JSON.stringify(value)}`,
};

function toText(cell: Cell): string {
  return typeof cell === 'string' ? cell : Array.isArray(cell) ? cell.join('|') : String(cell ?? '');
}

/** Returns the content of a quoted cell, with an apostrophe before what a spreadsheet would take for a formula. */
function escapeCell(text: string): string {
  // Most cells have nothing to escape.
  if (!/["\r\t=+\-@]/.test(text)) {
    return text;
  }
  const guarded = /^(?:\s*[=+\-@]|[\t\r])/.test(text) ? `'${text}` : text;
  return guarded.replace(/\r\n?/g, '\n').replaceAll('"', '""');
}
