// Loads the rows of the log in pages while the user scrolls. The end of the period is fixed, so rows do not move.
import { useEffect, useState } from 'preact/hooks';
import { type ApiError, ask, type Reply, toApiError } from '../api/client.ts';

export type Row = Reply<'GET /api/connections'>['connections'][number];
export type ListQuery = Readonly<Record<string, string | readonly string[]>>;

export const pageRows = 100;

export type Pages = ReturnType<typeof usePages>;

interface State {
  key: string;
  total: number | null;
  pages: ReadonlyMap<number, readonly Row[]>;
  error: ApiError | null;
}

/** `query` has no paging. Old rows stay until the first page of a new query has arrived. */
export function usePages(query: ListQuery) {
  const key = JSON.stringify(query);
  const [state, setState] = useState<State>({ key: '', total: null, pages: new Map(), error: null });
  const [wanted, setWanted] = useState<readonly number[]>([0]);
  const [turn, setTurn] = useState(0);
  const isOther = state.key !== key;
  const missing = isOther ? [0] : wanted.filter((page) => !state.pages.has(page));
  const asked = missing.join();
  useEffect(() => {
    if (asked === '') {
      return undefined;
    }
    const stop = new AbortController();
    const load = async () => {
      for (const page of missing) {
        const paging = { limit: String(pageRows), offset: String(page * pageRows) };
        const { connections, total } = await ask(
          'GET /api/connections',
          { query: { ...query, ...paging } },
          stop.signal,
        );
        setState((before) => {
          const pages = new Map(before.key === key ? before.pages : []);
          return { key, total, pages: pages.set(page, connections), error: null };
        });
      }
    };
    load().catch((error: unknown) => {
      if (!stop.signal.aborted) {
        setState((before) => ({ ...before, error: toApiError(error) }));
      }
    });
    return () => stop.abort();
  }, [key, asked, turn]);
  return {
    total: state.total,
    row: (index: number) => state.pages.get(Math.floor(index / pageRows))?.[index % pageRows] ?? null,
    /** Loads the pages that contain these rows, unless they are loaded. */
    want(first: number, last: number) {
      const pages = Array.from(
        { length: Math.floor(last / pageRows) - Math.floor(first / pageRows) + 1 },
        (_, index) => Math.floor(first / pageRows) + index,
      );
      if (pages.join() !== wanted.join()) {
        setWanted(pages);
      }
    },
    /** The rows may belong to another query: a page is being loaded, or could not be. */
    isStale: asked !== '',
    error: state.error,
    reload: () => {
      setState((before) => ({ ...before, error: null }));
      setTurn((before) => before + 1);
    },
  };
}
