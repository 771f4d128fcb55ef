// Makes text that came from the network harmless for messages to people.
import { clipText } from '#kernel/text/clip.ts';

/** Replaces control characters and those that hide text or turn its direction by blanks. Line ends stay. */
export function visible(text: string): string {
  return text.replace(/[^\P{C}\n]|[\u2028\u2029]/gu, ' ');
}

/** Addresses of the home's own networks are no danger, and easier to read as they are. */
const ownAddressOrDot = /\b(?:10\.\d{1,3}|192\.168|172\.(?:1[6-9]|2\d|3[01]))(?:\.\d{1,3}){2}\b(?!\.)|\./g;

/** Rewrites names and addresses so that no program makes links of them, such as `evil[.]example`. */
export function defanged(text: string): string {
  return text
    .replace(/http(s?):\/\//gi, 'hxxp$1://')
    .replace(ownAddressOrDot, (found) => (found === '.' ? '[.]' : found))
    .replaceAll('@', '[at]');
}

/** Returns a value as one line of at most `most` UTF-16 units that no reader makes a link of; `-` when nothing is left. */
export function toLine(value: string, most: number): string {
  return clipText(defanged(visible(value)).replace(/\s+/g, ' ').trim(), most) || '-';
}
