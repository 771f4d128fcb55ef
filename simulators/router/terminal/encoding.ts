// Console text: its bytes in the router's character set, and its width in columns, where a double-byte character takes two.
import iconv from 'iconv-lite';

const asciiOnly = /^[\0-\x7f]*$/;

/** Bytes of `text`; `encoding` is `ascii`, `shift_jis`, `euc-jp` or `utf-8`. Characters it cannot hold become `?`. */
export function encode(text: string, encoding: string): Buffer {
  return asciiOnly.test(text) ? Buffer.from(text, 'latin1') : iconv.encode(text, encoding);
}

export function decode(bytes: Uint8Array, encoding: string): string {
  return iconv.decode(Buffer.from(bytes), encoding);
}

export function displayWidth(text: string): number {
  return asciiOnly.test(text) ? text.length : [...text].reduce((sum, character) => sum + characterWidth(character), 0);
}

/** Cuts a line into rows of at most `columns` columns, anywhere between two characters. A line that fits is one row. */
export function wrapRow(line: string, columns: number): readonly string[] {
  if (line.length * 2 <= columns || displayWidth(line) <= columns) {
    return [line];
  }
  const rows: string[] = [];
  let row = '';
  let width = 0;
  for (const character of line) {
    const more = characterWidth(character);
    if (width + more > columns) {
      rows.push(row);
      row = '';
      width = 0;
    }
    row += character;
    width += more;
  }
  return [...rows, row];
}

function characterWidth(character: string): 1 | 2 {
  const code = character.codePointAt(0) ?? 0;
  return code < 0x1100 || (code >= 0xff61 && code <= 0xffdc) ? 1 : 2;
}
