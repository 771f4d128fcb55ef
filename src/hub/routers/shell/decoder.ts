// Bytes of a terminal to text, chunk by chunk. The decoder of Node throws, also where it must not, when a character of
// EUC-JP of three bytes is cut by the end of a chunk and damaged behind it; so no character is ever cut there.

export interface Decoder {
  /** The text of whole characters; what is damaged becomes U+FFFD. */
  feed(bytes: Uint8Array): string;
  /** The text of what is left: an unfinished character. */
  end(): string;
}

/** Throws a RangeError for an unknown WHATWG label. */
export function createDecoder(label: string): Decoder {
  const decoder = new TextDecoder(label);
  if (decoder.encoding !== 'euc-jp') {
    return { feed: (bytes) => decoder.decode(bytes, { stream: true }), end: () => decoder.decode() };
  }
  let held = new Uint8Array(0);
  return {
    feed(bytes) {
      const all = held.length === 0 ? bytes : Buffer.concat([held, bytes]);
      const end = all.length - unfinished(all);
      held = all.slice(end);
      return decoder.decode(all.subarray(0, end), { stream: true });
    },
    end() {
      const rest = held;
      held = new Uint8Array(0);
      return decoder.decode(rest);
    },
  };
}

/** How many bytes at the end begin a character of EUC-JP that has not all of its bytes (WHATWG Encoding, EUC-JP decoder). */
function unfinished(bytes: Uint8Array): number {
  let missing = 0;
  let length = 0;
  for (const byte of bytes) {
    const isTrail = byte >= 0xa1 && byte <= 0xfe;
    if (missing > 0 && isTrail) {
      missing -= 1;
      length += 1;
    } else {
      // A byte that cannot continue it begins anew, when it can begin anything.
      missing = byte === 0x8f ? 2 : isTrail || byte === 0x8e ? 1 : 0;
      length = 1;
    }
  }
  return missing > 0 ? length : 0;
}
