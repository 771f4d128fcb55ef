// The settings as YAML: every section and every value, so that the text says all and is the same after each round.
import { Document, isMap, isScalar, visit } from 'yaml';
import { type Settings, settingsSchema } from '../../base/settings/schema.ts';
import { isObject, mapSecretSpots, type Section, type Spot } from './section.ts';

/** Of the form of the text: another one is refused. */
export const textVersion = 1;

const header = ` Configuration of a Gatehouse hub: gatehouse config diff FILE, gatehouse config apply FILE.
 Secrets are not in it: { secret: NAME } stands for one, null for none.`;

/** Returns the settings as text. `showSecret` returns what stands in the text for a secret. */
export function formatConfig(
  sections: readonly Section[],
  all: Settings,
  showSecret: (name: string, value: string) => unknown = (name) => ({ secret: name }),
): string {
  // Parsing puts the members in the order of the schema, whatever was saved last.
  const ordered = settingsSchema.parse(all);
  const shown = sections.map((section) => {
    const content = mapSecretSpots(section, section.show(ordered), (spot) =>
      // A restore may have left a password empty that a router cannot be without: the reference asks for it.
      typeof spot.value !== 'string' || spot.value === section.noSecret
        ? null
        : showSecret(toSecretName(section, spot), spot.value),
    );
    return [section.name, content] as const;
  });
  const document = new Document(
    { version: textVersion, ...Object.fromEntries(shown) },
    { aliasDuplicateObjects: false },
  );
  document.commentBefore = header;
  for (const { key } of isMap(document.contents) ? document.contents.items : []) {
    const about = sections.find(({ name }) => isScalar(key) && key.value === name)?.about;
    if (about !== undefined && isScalar(key)) {
      key.spaceBefore = true;
      key.commentBefore = ` ${about}`;
    }
  }
  visit(document, {
    Map: (_key, map) => {
      map.flow = map.items.length === 1 && map.has('secret');
    },
  });
  // Texts are quoted, because readers of YAML 1.1 take off for false and 09:00 for 540.
  return document.toString({ lineWidth: 0, defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'PLAIN' });
}

/** The secrets by the names that `formatConfig` gives them. */
export function listSecrets(sections: readonly Section[], all: Settings): Map<string, string> {
  const secrets = new Map<string, string>();
  formatConfig(sections, all, (name, value) => {
    if (value !== '') {
      secrets.set(name, value);
    }
    return name;
  });
  return secrets;
}

/** An element of a list is named by its id: its number changes when another one goes. */
function toSecretName({ name }: Section, { place, holder }: Spot): string {
  const steps = place.map((step) => (typeof step === 'number' && isObject(holder) ? String(holder.id) : step));
  return [name, ...steps].join('.');
}
