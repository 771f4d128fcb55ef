// The text of a line that a router printed. Its settings name an encoding, but the line may be in another one: a prompt
// or a whole session can stay in the encoding that it began with.

/** A line as bytes, one character each, and as text. */
export interface ScreenLine {
  raw: string;
  text: string;
  /** It holds control bytes, or bytes that are no text in any encoding: it is counted, never cleaned. */
  isDamaged: boolean;
}

/** The text of a line whose characters are its bytes. */
export type DecodeLine = (raw: string) => string;

// biome-ignore lint/suspicious/noControlCharactersInRegex: control bytes are what this looks for
const noisy = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\ufffd]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII
const ascii = /^[\u0000-\u007f]*$/;
/** Not decodable; C1 controls are what Node's EUC-JP makes of bytes that it does not have. */
const undecoded = /[\u0080-\u009f\ufffd]/;
/** Half-width katakana: what EUC-JP looks like when it is read as Shift_JIS. */
const halfWidth = /[\uff61-\uff9f]/;
const kana = /[\u3041-\u30fe]/;
/** Two in a row: one damaged byte and the letter behind it can look like one Japanese character. */
const japanese = /[\u2010-\u33ff\u4e00-\u9fff\uff01-\uff60]{2}/;

const eucJp = createByteDecoder('euc-jp');
const shiftJis = createByteDecoder('shift_jis');

/** Decodes with this WHATWG label, or with the encoding that a Japanese line is plainly in. Throws a RangeError for an unknown label. */
export function createLineDecoder(label: string): DecodeLine {
  const decode = createByteDecoder(label);
  return (raw) => {
    if (ascii.test(raw)) {
      return raw;
    }
    const bytes = Buffer.from(raw, 'latin1');
    // Other encodings hardly ever make valid UTF-8, but UTF-8 read as Shift_JIS can look like a text.
    const utf8 = bytes.toString();
    if (japanese.test(utf8) && !undecoded.test(utf8)) {
      return utf8;
    }
    const text = decode(bytes);
    const isUndecoded = undecoded.test(text);
    if (!isUndecoded && !halfWidth.test(text)) {
      return text;
    }
    // A router may mean half-width text. Another encoding is believed only when the line then has Japanese with kana.
    const fits = (other: string) => !isDoubtful(other) && japanese.test(other) && (isUndecoded || kana.test(other));
    return [eucJp, shiftJis].map((other) => other(bytes)).find(fits) ?? text;
  };
}

/** The text of a prompt, whose encoding no setting names. */
export function decodePrompt(raw: string): string {
  const bytes = Buffer.from(raw, 'latin1');
  const utf8 = bytes.toString();
  const texts = [utf8, eucJp(bytes), shiftJis(bytes)];
  return texts.find((text) => !isDoubtful(text)) ?? texts.find((text) => !undecoded.test(text)) ?? utf8;
}

export function toScreenLine(raw: string, decode: DecodeLine): ScreenLine {
  const text = decode(raw);
  return { raw, text, isDamaged: noisy.test(text) };
}

function isDoubtful(text: string): boolean {
  return undecoded.test(text) || halfWidth.test(text);
}

function createByteDecoder(label: string): (bytes: Uint8Array) => string {
  const decoder = new TextDecoder(label, { ignoreBOM: true });
  return (bytes) => decoder.decode(bytes);
}
