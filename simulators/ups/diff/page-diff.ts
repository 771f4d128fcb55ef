// Compares two sets of saved pages by the ids of their elements: which were renamed, removed, added or changed.
import { type IdentifiedElement, readInventory } from './page-inventory.ts';

export interface Change {
  kind: 'renamed' | 'missing' | 'new' | 'changed';
  /** The id in the old pages; null for a new element. */
  from: string | null;
  /** The id in the new pages; null for a missing element. */
  to: string | null;
  /** Renamed: why both are taken for one element. Changed: the differences. Otherwise the label, or an empty text. */
  because: string;
  /** Names of the pages with this change. */
  pages: readonly string[];
}

type PageChange = Omit<Change, 'pages'>;

export interface PageDiff {
  changes: readonly Change[];
  /** Names of pages that only one side has. */
  unpaired: readonly string[];
}

/** Compares pages, given as HTML by name. Pages of one name are a pair, and so are two single pages of any names. */
export function diffPages(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): PageDiff {
  const [single] = before.size === 1 && after.size === 1 ? after.values() : [];
  const changes = [...before].flatMap(([name, oldHtml]) => {
    const newHtml = single ?? after.get(name);
    const found = newHtml === undefined ? [] : comparePage(readInventory(oldHtml), readInventory(newHtml));
    return found.map((change) => ({ ...change, pages: [name] }));
  });
  const isPaired = (name: string) => single !== undefined || (before.has(name) && after.has(name));
  const unpaired = [...before.keys(), ...after.keys()].filter((name) => !isPaired(name));
  return { changes: mergeChanges(changes), unpaired };
}

/** Joins equal changes of several pages into one, explained by an English page when there is one. */
function mergeChanges(changes: readonly Change[]): Change[] {
  const merged = new Map<string, Change>();
  for (const change of changes) {
    const key = JSON.stringify([change.kind, change.from, change.to]);
    const known = merged.get(key);
    const explained = change.pages.some((name) => /\.en\b/.test(name)) ? change : (known ?? change);
    merged.set(key, { ...explained, pages: [...(known?.pages ?? []), ...change.pages] });
  }
  const order = ['renamed', 'missing', 'new', 'changed'];
  return [...merged.values()].sort((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind));
}

function comparePage(before: readonly IdentifiedElement[], after: readonly IdentifiedElement[]): PageChange[] {
  const missing = before.filter(({ id }) => !after.some((other) => other.id === id));
  const added = after.filter(({ id }) => !before.some((other) => other.id === id));
  const renamed = pairRenamed(missing, added);
  return [
    ...renamed,
    ...missing
      .filter(({ id }) => !renamed.some(({ from }) => from === id))
      .map(({ id, label }): PageChange => ({ kind: 'missing', from: id, to: null, because: describeLabel(label) })),
    ...added
      .filter(({ id }) => !renamed.some(({ to }) => to === id))
      .map(({ id, label }): PageChange => ({ kind: 'new', from: null, to: id, because: describeLabel(label) })),
    ...before.flatMap((old): PageChange[] => {
      const current = after.find(({ id }) => id === old.id);
      const because = current ? describeDifferences(old, current) : '';
      return because === '' ? [] : [{ kind: 'changed', from: old.id, to: old.id, because }];
    }),
  ];
}

/** Pairs missing elements with new ones that resemble them, the most similar first. Each element is paired once. */
function pairRenamed(missing: readonly IdentifiedElement[], added: readonly IdentifiedElement[]): PageChange[] {
  const candidates = missing.flatMap((old) =>
    added.flatMap((current) => {
      const reasons = findLikenesses(old, current);
      const score = reasons.reduce((sum, { weight }) => sum + weight, 0);
      return score >= 3
        ? [{ from: old.id, to: current.id, score, because: reasons.map(({ reason }) => reason).join(', ') }]
        : [];
    }),
  );
  const paired: PageChange[] = [];
  for (const { from, to, because } of candidates.sort((a, b) => b.score - a.score)) {
    if (!paired.some((pair) => pair.from === from || pair.to === to)) {
      paired.push({ kind: 'renamed', from, to, because });
    }
  }
  return paired;
}

/** Returns what two elements have in common. A higher weight is stronger evidence that they are the same element. */
function findLikenesses(old: IdentifiedElement, current: IdentifiedElement) {
  const withoutPrefix = (id: string) => id.replace(/^[a-z0-9]+[_-]/i, '').toLowerCase();
  return [
    { reason: `same label "${old.label}"`, weight: 3, applies: old.label !== '' && old.label === current.label },
    { reason: 'same end of the name', weight: 2, applies: withoutPrefix(old.id) === withoutPrefix(current.id) },
    { reason: `same unit "${old.unit}"`, weight: 1, applies: old.unit !== '' && old.unit === current.unit },
    { reason: 'same shape of text', weight: 1, applies: old.shape === current.shape && old.shape !== 'nothing' },
    { reason: 'similar value', weight: 1, applies: isSimilar(old.text, current.text) },
  ].filter(({ applies }) => applies);
}

/** Whether both texts are numbers that differ by at most a fifth of the larger one. */
function isSimilar(oldText: string, currentText: string): boolean {
  const toNumber = (text: string) => (text === '' ? Number.NaN : Number(text.replace(',', '.')));
  const old = toNumber(oldText);
  const current = toNumber(currentText);
  return Math.abs(old - current) <= 0.2 * Math.max(Math.abs(old), Math.abs(current));
}

function describeDifferences(old: IdentifiedElement, current: IdentifiedElement): string {
  const facts = [
    ['tag', old.tag, current.tag],
    ['class', old.className, current.className],
    ['label', old.label, current.label],
    ['unit', old.unit, current.unit],
    ['text', old.shape, current.shape],
  ] as const;
  return facts
    .filter(([, one, other]) => one !== other)
    .map(([name, one, other]) => `${name} "${one}" -> "${other}"`)
    .join(', ');
}

function describeLabel(label: string): string {
  return label === '' ? '' : `label "${label}"`;
}
