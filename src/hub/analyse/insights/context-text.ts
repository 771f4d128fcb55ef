// Texts and addresses on their way to a provider: visible, cut, and never an address that a router or a node is managed at.
import { canonicalIp } from '#kernel/net/address.ts';
import { visibleText } from '#kernel/text/visible-text.ts';

/** Written for an address that is not sent. */
export const withheld = '(withheld)';

/** UTF-16 units of a name, and of a host name. */
const nameLength = 100;
const hostLength = 253;

export type ContextTexts = ReturnType<typeof createContextTexts>;

/** `managed`: addresses in any spelling; each is replaced wherever a text holds it. */
export function createContextTexts(managed: ReadonlySet<string>) {
  const redact = createRedactor(managed);
  // Twice: a cut can leave a whole address where the text had more digits.
  const clean = (text: string, most: number) => redact(visibleText(redact(visibleText(text, 4 * most)), most));
  const some = (text: string | null, most: number) => {
    const cleaned = text === null ? '' : clean(text, most).trim();
    return cleaned === '' ? null : cleaned;
  };
  return {
    /** A name of a device, a node or an organisation; null when there is none. */
    name: (text: string | null) => some(text, nameLength),
    host: (text: string | null) => some(text, hostLength),
    /** A word of this program or of a router: a level, a kind, a protocol, an id. */
    word: (text: string) => clean(text, nameLength),
  };
}

function createRedactor(managed: ReadonlySet<string>): (text: string) => string {
  const dotted = [...managed].filter((ip) => !ip.includes(':'));
  // Names are made from addresses with hyphens, too.
  const parts = dotted.map((ip) => ip.split('.').join('[._-]'));
  const pattern = dotted.length === 0 ? null : new RegExp(`(?<!\\d)(?:${parts.join('|')})(?!\\d)`, 'g');
  return (text) => {
    const plain = pattern ? text.replace(pattern, withheld) : text;
    return plain.replace(/(?<![\da-f:.])[\da-f:.]*:[\da-f:.]*/gi, (one) => redactV6(one, managed));
  };
}

function redactV6(text: string, managed: ReadonlySet<string>): string {
  const ip = canonicalIp(text.replace(/(?<!:):$|\.+$/g, ''));
  return managed.has(ip ?? '') ? withheld : text;
}
