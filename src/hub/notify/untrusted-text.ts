// Text that came from the network, made harmless for messages to people.

/** Without control characters, and without those that hide text or turn its direction; line ends stay. */
export function visible(text: string): string {
  return text.replace(/[^\P{C}\n]|[\u2028\u2029]/gu, ' ');
}

/** Addresses of the home's own networks are no danger, and easier to read as they are. */
const ownAddressOrDot = /\b(?:10\.\d{1,3}|192\.168|172\.(?:1[6-9]|2\d|3[01]))(?:\.\d{1,3}){2}\b(?!\.)|\./g;

/** Names and addresses become no links: `evil[.]example`. */
export function defanged(text: string): string {
  return text
    .replace(/http(s?):\/\//gi, 'hxxp$1://')
    .replace(ownAddressOrDot, (found) => (found === '.' ? '[.]' : found))
    .replaceAll('@', '[at]');
}

/** A value on one line of at most `most` characters, which no reader makes a link of; `-` when nothing is left. */
export function toLine(value: string, most: number): string {
  return shorten(defanged(visible(value)).replace(/\s+/g, ' ').trim(), most) || '-';
}

/** At most `most` characters (code points), with an ellipsis where something is cut off. */
export function shorten(text: string, most: number): string {
  const characters = [...text];
  return characters.length > most ? `${characters.slice(0, most - 1).join('')}…` : text;
}
