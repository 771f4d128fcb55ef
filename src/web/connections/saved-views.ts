// The views of the log that a person saved: a name, and the query of the URL that shows the view.
export interface SavedView {
  name: string;
  /** Filters, order, columns and period as a query without `?`, in the order of its parameters' names. */
  query: string;
}

/** How many views one browser keeps at most. */
export const mostViews = 50;
/** How many characters the name of a view has at most. */
export const mostNameChars = 60;
const mostQueryChars = 4000;

/** Parameters that name the view, or what is open over it. */
const passing = ['view', 'open', 'panel', 'back'];

/** Returns what a view saves of the query of a URL. `added` replaces parameters of it. */
export function toViewQuery(query: URLSearchParams, added: Readonly<Record<string, string>>): string {
  const kept = new URLSearchParams([...query].filter(([name]) => !passing.includes(name)));
  for (const [name, value] of Object.entries(added)) {
    kept.set(name, value);
  }
  kept.sort();
  return kept.toString();
}

/** Reads stored views. `unread` counts the entries that are not views; text that is no list counts as one. */
export function parseViews(stored: string): { views: SavedView[]; unread: number } {
  const entries = parseList(stored);
  const views = entries.filter(isView).map(({ name, query }) => ({ name, query }));
  const byName = new Map(views.map((view) => [view.name, view]));
  return { views: [...byName.values()].slice(0, mostViews), unread: entries.length - views.length };
}

function parseList(stored: string): unknown[] {
  try {
    const parsed: unknown = stored === '' ? [] : JSON.parse(stored);
    return Array.isArray(parsed) ? parsed : [parsed];
  } catch {
    return [stored];
  }
}

function isView(entry: unknown): entry is SavedView {
  const { name, query } = (entry ?? {}) as Partial<SavedView>;
  return (
    typeof name === 'string' &&
    typeof query === 'string' &&
    name.trim() === name &&
    name.length > 0 &&
    name.length <= mostNameChars &&
    query.length <= mostQueryChars
  );
}

/** Adds a view, or replaces the one of the same name. Returns null when it cannot be kept: too many views, or too long a query. */
export function addView(views: readonly SavedView[], added: SavedView): SavedView[] | null {
  const others = views.filter(({ name }) => name !== added.name);
  return others.length >= mostViews || !isView(added)
    ? null
    : [...others, added].sort((one, other) => one.name.localeCompare(other.name));
}
