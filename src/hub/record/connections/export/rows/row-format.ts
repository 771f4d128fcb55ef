// How a row is put together: a piece for each place of a column group, from what the row refers to.
import { memoize } from '#kernel/memoize.ts';
import type { Reader } from '#kernel/sqlite/sqlite.ts';
import { createPaths, type Route } from '../../query/path.ts';
import { readRowLabels, unobserved } from '../../query/row.ts';
import { createAgentDetails } from './agent-details.ts';
import type { Cell, CellChanges, Cells, Columns, Owner, RowForm } from './cells.ts';
import { createDictionary } from './dictionary.ts';
import { at, type IndexedRow } from './indexed-rows.ts';
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
  const find: Record<Owner, (row: IndexedRow) => readonly Piece[]> = {
    source: (row) => sources.findPieces(row[at.source], row[at.lastSeen]),
    destination: (row) => destinations.get(row[at.destination]).pieces,
    observers: (row) => encodeObservers(row[at.observers]),
    verdict: (row) => encodeVerdict(row[at.threat]),
    agent(row) {
      const told = agents.find(row[at.flow]);
      return told === null ? noAgent : format('agent', changes.agent(told));
    },
    port: (row) => encodePort(row[at.proto])(row[at.dport]),
    path: (row) => encodeRoute(findRoute(row)),
    row: (row) => format('row', { ttl: row[at.ttl], firstSeen: row[at.firstSeen], lastSeen: row[at.lastSeen] }),
  };
  const order = places.map(({ owner, turn }) => ({ turn, findPieces: find[owner] }));
  return {
    /** Reads what these rows refer to: to be called before they are compared or formatted. */
    load(rows: readonly IndexedRow[]) {
      sources.load(rows.map((row) => row[at.source]));
      destinations.load(rows.map((row) => row[at.destination]));
      agents.load(rows);
    },
    /** Newest first, then by the key, as the list has them. */
    compare: (one: IndexedRow, other: IndexedRow) =>
      other[at.lastSeen] - one[at.lastSeen] ||
      compareTexts(sources.get(one[at.source]).src, sources.get(other[at.source]).src) ||
      compareTexts(destinations.get(one[at.destination]).dst, destinations.get(other[at.destination]).dst) ||
      one[at.dport] - other[at.dport] ||
      compareTexts(one[at.proto], other[at.proto]),
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
  return columns.map(([owner, ...names], index) => ({
    owner,
    turn: columns.slice(0, index).filter(([other]) => other === owner).length,
    names,
    before: index === 0 ? form.begin : form.between,
    after: index === columns.length - 1 ? form.end : '',
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
