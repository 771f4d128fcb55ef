// From bytes of a terminal to whole lines: decodes, takes out the pager's text, splits, counts what is damaged.
// Pure: it never writes and knows no time, so the way the bytes were cut into chunks changes nothing.

export interface Screen {
  feed(bytes: Uint8Array): void;
  /** Decode what follows with this WHATWG label. Throws a RangeError for an unknown one. */
  decodeAs(label: string): void;
  /** The text after the last line end, as it would stand on the screen. */
  rest(): string;
  /** Forgets the text after the last line end: it was a prompt, and was answered. */
  clear(): void;
  /** True when the text ends in the pager's question. */
  isPaused(): boolean;
}

export interface ScreenEvents {
  /** A whole line without its line end. */
  line(text: string): void;
  /** A whole line that holds control bytes or undecodable characters: it is counted, never cleaned. */
  noise(text: string): void;
}

/** Both vendors' pager questions; the Japanese one in each character set, whatever the screen is decoding with. */
const pagerBytes: readonly (readonly number[])[] = [
  ascii(' --More-- '),
  ascii('---more---'),
  [...ascii('---'), 0x82, 0xc2, 0x82, 0xc3, 0x82, 0xad, ...ascii('---')],
  [...ascii('---'), 0xa4, 0xc4, 0xa4, 0xc5, 0xa4, 0xaf, ...ascii('---')],
  [...new TextEncoder().encode('---つづく---')],
];

// biome-ignore lint/suspicious/noControlCharactersInRegex: control bytes are what this looks for
const noisy = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\ufffd]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the erase sequences of both vendors
const erased = /^(?:\u0008+ +\u0008+(?=[^\u0008])|\r +\r)/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: what may still become an erase sequence
const erasing = /^(?:\u0008+ *\u0008*|\r *)$/;

/** A line longer than this is no answer of a router; it is counted as noise and not kept. */
const maxLine = 65_536;

export function createScreen(label: string, events: ScreenEvents): Screen {
  let decoder = new TextDecoder(label);
  let pagers = pagerTexts(label);
  let rest = '';
  /** Where the pager's question at the end of `rest` starts; −1 without one. */
  let pagerAt = -1;
  let paused = false;
  let overlong = false;

  const emit = (text: string): void => {
    const line = text.replace(/^\r+|\r+$/g, '');
    if (overlong || line.length > maxLine || noisy.test(line)) {
      overlong = false;
      events.noise(line.slice(0, 200));
    } else if (!pagers.some((pager) => line.trim() === pager.trim())) {
      events.line(line);
    }
  };

  const takePagers = (): void => {
    pagerAt = -1;
    paused = false;
    let from = 0;
    for (let found = findPager(rest, pagers, from); found; found = findPager(rest, pagers, from)) {
      const after = rest.slice(found.end);
      const gone = erased.exec(after);
      if (gone) {
        rest = rest.slice(0, found.start) + after.slice(gone[0].length);
        from = found.start;
      } else if (after === '' || erasing.test(after)) {
        pagerAt = found.start;
        paused = after === '';
        return;
      } else {
        from = found.end;
      }
    }
  };

  const split = (): void => {
    const limit = pagerAt < 0 ? rest.length : pagerAt;
    let from = 0;
    for (let end = rest.indexOf('\n'); end >= 0 && end < limit; end = rest.indexOf('\n', from)) {
      emit(rest.slice(from, end));
      from = end + 1;
    }
    rest = rest.slice(from);
    pagerAt = pagerAt < 0 ? -1 : pagerAt - from;
    if (rest.length > maxLine) {
      overlong = true;
      rest = '';
      pagerAt = -1;
      paused = false;
    }
  };

  const add = (text: string): void => {
    rest += text;
    takePagers();
    split();
  };

  return {
    feed: (bytes) => add(decoder.decode(bytes, { stream: true })),
    decodeAs(next) {
      const fresh = new TextDecoder(next);
      add(decoder.decode());
      decoder = fresh;
      pagers = pagerTexts(next);
    },
    rest: () => (pagerAt < 0 ? rest : rest.slice(0, pagerAt)).replace(/^\r+/, ''),
    clear() {
      rest = '';
      pagerAt = -1;
      paused = false;
    },
    isPaused: () => paused,
  };
}

function findPager(text: string, pagers: readonly string[], from: number): { start: number; end: number } | null {
  if (!text.includes('--', from)) {
    return null;
  }
  let first: { start: number; end: number } | null = null;
  for (const pager of pagers) {
    const start = text.indexOf(pager, from);
    if (start >= 0 && (first === null || start < first.start)) {
      first = { start, end: start + pager.length };
    }
  }
  return first;
}

function pagerTexts(label: string): string[] {
  return [...new Set(pagerBytes.map((bytes) => new TextDecoder(label).decode(Uint8Array.from(bytes))))];
}

function ascii(text: string): number[] {
  return [...new TextEncoder().encode(text)];
}
