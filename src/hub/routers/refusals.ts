// Which kind of router refuses a command, by how it words that: a router of the other kind than its record says is named.
import { type RouterKind, ShellError } from './driver.ts';
import { parseVendorAError } from './vendor-a/error.ts';
import { parseVendorBError } from './vendor-b/error.ts';

const parsers: Record<RouterKind, (line: string) => string | null> = {
  vendor_a: parseVendorAError,
  vendor_b: parseVendorBError,
};

const advice: Record<RouterKind, string> = {
  vendor_a:
    'This does not look like a Yamaha RTX router: it does not answer as one. Choose the other kind for it (vendor_b, Cisco IOS).',
  vendor_b: 'This looks like a Yamaha RTX router. Choose that kind for it (vendor_a).',
};

/** Throws ShellError `wrong_vendor` when a line is the refusal of another kind than `kind`. */
export function requireKind(kind: RouterKind, lines: readonly string[]): void {
  const others = Object.entries(parsers).filter(([name]) => name !== kind);
  if (lines.some((line) => others.some(([, parse]) => parse(line) !== null))) {
    throw wrongVendor(kind);
  }
}

/** What says that a router is not of this kind. */
export function wrongVendor(kind: RouterKind): ShellError {
  return new ShellError('wrong_vendor', advice[kind]);
}
