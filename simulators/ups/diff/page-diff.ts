// Compares two sets of saved pages by the ids in them: what was renamed, what is missing, what is new, what looks different.
import { type IdentifiedElement, readInventory } from './page-inventory.ts';

export interface Change {
  kind: 'renamed' | 'missing' | 'new' | 'changed';
  /** Id in the old pages; null: it is new. */
  from: string | null;
  /** Id in the new pages; null: it is missing. */
  to: string | null;
  /** Why it is thought to be the same element, or what differs. */
  because: string;
  /** Pages in which it is so. */
  pages: readonly string[];
}

export interface PageDiff {
  changes: readonly Change[];
  unpaired: readonly string[];
}

/** Pages are paired by name; two single pages are a pair whatever their names. */
export function diffPages(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): PageDiff {
  const isPair = before.size === 1 && after.size === 1;
  const pairs = isPair
    ? [[[...before.keys()][0] ?? '', [...before.values()][0] ?? '', [...after.values()][0] ?? ''] as const]
    : [...before].flatMap(([name, text]) => {
        const other = after.get(name);
        return other === undefined ? [] : [[name, text, other] as const];
      });
  const found = pairs.flatMap(([name, old, young]) => comparePage(readInventory(old), readInventory(young), name));
  const unpaired = isPair
    ? []
    : [
        ...[...before.keys()].filter((name) => !after.has(name)),
        ...[...after.keys()].filter((name) => !before.has(name)),
      ];
  return { changes: mergeChanges(found), unpaired };
}

/** The same change in several pages is one, explained by an English page when there is one. */
function mergeChanges(found: readonly Change[]): Change[] {
  const all = new Map<string, Change>();
  for (const change of found) {
    const key = JSON.stringify([change.kind, change.from, change.to]);
    const known = all.get(key);
    const explained = change.pages.some((name) => /\.en\b/.test(name)) ? change : (known ?? change);
    all.set(key, { ...explained, pages: [...(known?.pages ?? []), ...change.pages] });
  }
  const order = ['renamed', 'missing', 'new', 'changed'];
  return [...all.values()].sort((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind));
}

function comparePage(
  before: readonly IdentifiedElement[],
  after: readonly IdentifiedElement[],
  page: string,
): Change[] {
  const pages = [page];
  const gone = before.filter(({ id }) => !after.some((other) => other.id === id));
  const fresh = after.filter(({ id }) => !before.some((other) => other.id === id));
  const renamed = pairRenamed(gone, fresh);
  const isOld = ({ id }: IdentifiedElement) => renamed.some(({ from }) => from === id);
  const isNew = ({ id }: IdentifiedElement) => renamed.some(({ to }) => to === id);
  return [
    ...renamed.map(({ from, to, because }): Change => ({ kind: 'renamed', from, to, because, pages })),
    ...gone
      .filter((element) => !isOld(element))
      .map(({ id, label }): Change => ({ kind: 'missing', from: id, to: null, because: describeLabel(label), pages })),
    ...fresh
      .filter((element) => !isNew(element))
      .map(({ id, label }): Change => ({ kind: 'new', from: null, to: id, because: describeLabel(label), pages })),
    ...before.flatMap((old): Change[] => {
      const young = after.find(({ id }) => id === old.id);
      const because = young ? describeDifferences(old, young) : '';
      return because === '' ? [] : [{ kind: 'changed', from: old.id, to: old.id, because, pages }];
    }),
  ];
}

interface Match {
  from: string;
  to: string;
  because: string;
}

/** Pairs what is gone with what is new, the likeliest first, each once. */
function pairRenamed(gone: readonly IdentifiedElement[], fresh: readonly IdentifiedElement[]): Match[] {
  const likely = gone.flatMap((old) =>
    fresh.flatMap((young) => {
      const reasons = findLikenesses(old, young);
      const score = reasons.reduce((sum, [, weight]) => sum + weight, 0);
      return score >= 3 ? [{ old, young, score, because: reasons.map(([reason]) => reason).join(', ') }] : [];
    }),
  );
  const taken = new Set<string>();
  return likely
    .sort((a, b) => b.score - a.score)
    .flatMap(({ old, young, because }) => {
      if (taken.has(`old ${old.id}`) || taken.has(`new ${young.id}`)) {
        return [];
      }
      taken.add(`old ${old.id}`).add(`new ${young.id}`);
      return [{ from: old.id, to: young.id, because }];
    });
}

/** What two elements have in common, with the weight of each. */
function findLikenesses(old: IdentifiedElement, young: IdentifiedElement): [reason: string, weight: number][] {
  const stem = (id: string) => id.replace(/^[a-z0-9]+[_-]/i, '').toLowerCase();
  const all: [string, number, boolean][] = [
    [`same label "${old.label}"`, 3, old.label !== '' && old.label === young.label],
    ['same end of the name', 2, stem(old.id) === stem(young.id)],
    [`same unit "${old.unit}"`, 1, old.unit !== '' && old.unit === young.unit],
    ['same shape of text', 1, old.shape === young.shape && old.shape !== 'nothing'],
    ['similar value', 1, isSimilar(old.text, young.text)],
  ];
  return all.filter(([, , applies]) => applies).map(([reason, weight]) => [reason, weight]);
}

/** Whether two numbers differ by at most a fifth. */
function isSimilar(a: string, b: string): boolean {
  const [one, other] = [a, b].map((text) => Number(text.replace(',', '.')));
  return (
    a !== '' &&
    b !== '' &&
    one !== undefined &&
    other !== undefined &&
    Math.abs(one - other) <= 0.2 * Math.max(Math.abs(one), Math.abs(other))
  );
}

function describeDifferences(old: IdentifiedElement, young: IdentifiedElement): string {
  const facts = [
    ['tag', old.tag, young.tag],
    ['class', old.className, young.className],
    ['label', old.label, young.label],
    ['unit', old.unit, young.unit],
    ['text', old.shape, young.shape],
  ] as const;
  return facts
    .filter(([, one, other]) => one !== other)
    .map(([name, one, other]) => `${name} "${one}" -> "${other}"`)
    .join(', ');
}

function describeLabel(label: string): string {
  return label === '' ? '' : `label "${label}"`;
}
