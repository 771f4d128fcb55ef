// What is known of each kind of router without talking to one: its name, and how it words a refusal.
import { type RouterKind, ShellError } from './driver.ts';
import { parseVendorAError } from './vendor-a/error.ts';
import { parseVendorBError } from './vendor-b/error.ts';

interface KindFacts {
  /** Display name of a router without another one. */
  name: string;
  parseRefusal(line: string): string | null;
  /** Said of a router that is configured as this kind and is of another one. */
  mismatch: string;
}

export const kinds: Record<RouterKind, KindFacts> = {
  vendor_a: {
    name: 'Yamaha RTX',
    parseRefusal: parseVendorAError,
    mismatch:
      'This does not look like a Yamaha RTX router: it does not answer as one. Choose the other kind for it (vendor_b, Cisco IOS).',
  },
  vendor_b: {
    name: 'Cisco IOS',
    parseRefusal: parseVendorBError,
    mismatch: 'This looks like a Yamaha RTX router. Choose that kind for it (vendor_a).',
  },
};

/** Throws ShellError `wrong_vendor` when a line is the refusal of another kind than `kind`. */
export function requireKind(kind: RouterKind, lines: readonly string[]): void {
  const others = Object.entries(kinds).filter(([name]) => name !== kind);
  if (lines.some((line) => others.some(([, { parseRefusal }]) => parseRefusal(line) !== null))) {
    throw wrongVendor(kind);
  }
}

export function wrongVendor(kind: RouterKind): ShellError {
  return new ShellError('wrong_vendor', kinds[kind].mismatch);
}
