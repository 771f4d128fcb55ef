// How a row is put together: a piece for each place of a column group, from what the row refers to.
import { memoize } from '#kernel/memoize.ts';
import type { Reader } from '#kernel/sqlite/sqlite.ts';
import { createPaths, type Route } from '../../query/path.ts';
import { readRowLabels, unobserved } from '../../query/row.ts';
import { createAgentDetails } from './agent-details.ts';
import type { Cell, CellChanges, Cells, Columns, Owner, RowForm } from './cells.ts';
import { createDictionary } from './dictionary.ts';
import type { IndexedRow } from './indexed-rows.ts';
import type { PageBytes, Piece } from './page-bytes.ts';
import { createSources } from './sources.ts';

const unchanged: CellChanges = {
  source: (cells) => cells,
  destination: (cells) => cells,
  agent: (cells) => cells,
};

export function createRowFormat(
  reader: Reader,
  { columns, form, changes = unchanged }: { columns: Columns; form: RowForm; changes?: CellChanges | undefined },
) {
  const { observers, threats } = reader.remembered('row labels', () => readRowLabels(reader));
  const observed = (set: number) => observers.get(set) ?? unobserved;
  const places = listPlaces(columns, form);
  const placesOf = Map.groupBy(places, ({ owner }) => owner);
  const format = <O extends Owner>(owner: O, cells: Cells[O]) => formatPieces(placesOf.get(owner) ?? [], form, cells);
  const encode = <O extends Owner>(owner: O, cells: Cells[O]) => format(owner, cells).map((text) => Buffer.from(text));
  const sources = createSources(reader, (cells) => encode('source', changes.source(cells)));
  const destinations = createDictionary(
    reader,
    'SELECT id, address AS dst, host AS dstHost, country, org, city FROM destination',
    (row: Cells['destination'] & { id: number }) => ({
      dst: row.dst,
      pieces: encode('destination', changes.destination(row)),
    }),
  );
  const agents = createAgentDetails(reader, observers);
  const paths = reader.remembered('paths', () => createPaths(reader));
  const encodeObservers = memoize((set: number) => encode('observers', observed(set)));
  const encodeVerdict = memoize((id: number | null) => {
    const threat = id === null ? null : (threats.get(id) ?? null);
    return encode('verdict', {
      threatLevel: threat?.level ?? 'safe',
      threatConfidence: threat?.confidence ?? null,
      threatSource: threat?.source ?? null,
      threatTag: threat?.tag ?? null,
    });
  });
  const encodeRoute = memoize((route: Route) => encode('path', route));
  const encodePort = memoize((proto: string) => memoize((dport: number) => encode('port', { dport, proto })));
  const noAgent = encode('agent', { agentHost: null, process: null });
  const findRoute = (row: IndexedRow) => {
    const [flow, lastSeen, , destination, source, dport, proto, set] = row;
    const ends = { src: sources.get(source).src, sport: null, dst: destinations.get(destination).dst, dport, proto };
    return paths.findRoute(flow, { ...ends, lastSeen, observedBy: observed(set).observedBy });
  };
  // Cells are taken by number: to take an array apart costs several times as much.
  const find: Record<Owner, (row: IndexedRow) => readonly Piece[]> = {
    source: (row) => sources.findPieces(row[4], row[1]),
    destination: (row) => destinations.get(row[3]).pieces,
    observers: (row) => encodeObservers(row[7]),
    verdict: (row) => encodeVerdict(row[9]),
    agent(row) {
      const told = agents.find(row[0]);
      return told === null ? noAgent : format('agent', changes.agent(told));
    },
    port: (row) => encodePort(row[6])(row[5]),
    path: (row) => encodeRoute(findRoute(row)),
    row: (row) => format('row', { ttl: row[8], firstSeen: row[2], lastSeen: row[1] }),
  };
  const order = places.map(({ owner, turn }) => ({ turn, findPieces: find[owner] }));
  return {
    /** Reads what these rows refer to: to be called before they are compared or formatted. */
    load(rows: readonly IndexedRow[]) {
      sources.load(rows.map((row) => row[4]));
      destinations.load(rows.map((row) => row[3]));
      agents.load(rows);
    },
    /** Newest first, then by the key, as the list has them. */
    compare: (one: IndexedRow, other: IndexedRow) =>
      other[1] - one[1] ||
      compareTexts(sources.get(one[4]).src, sources.get(other[4]).src) ||
      compareTexts(destinations.get(one[3]).dst, destinations.get(other[3]).dst) ||
      one[5] - other[5] ||
      compareTexts(one[6], other[6]),
    formatRow(row: IndexedRow, page: PageBytes): void {
      for (const { turn, findPieces } of order) {
        page.add(findPieces(row)[turn] as Piece);
      }
    },
  };
}

/** Cells that stand together in a row. */
interface Place {
  owner: Owner;
  /** Counts the places of this owner, from 0. */
  turn: number;
  names: readonly string[];
  before: string;
  after: string;
}

function listPlaces(columns: Columns, form: RowForm): Place[] {
  return columns.map(([owner, ...names], at) => ({
    owner,
    turn: columns.slice(0, at).filter(([other]) => other === owner).length,
    names,
    before: at === 0 ? form.begin : form.between,
    after: at === columns.length - 1 ? form.end : '',
  }));
}

/** Returns a text for each of the places. */
function formatPieces(places: readonly Place[], form: RowForm, cells: Cells[Owner]): string[] {
  const values = cells as unknown as Readonly<Record<string, Cell>>;
  return places.map(({ names, before, after }) => {
    const texts = names.map((name) => form.formatCell(name, values[name] ?? null));
    return before + texts.join(form.between) + after;
  });
}

/** As SQLite compares texts of ASCII. */
function compareTexts(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
