// The cells of an exported connection, by what they are read from.
import type { Connection, Threat } from '#contract/model.ts';
import type { ConnectionPath } from '#contract/path.ts';

export type Cell = string | number | readonly string[] | null;

/** Cells of the same source, destination, observers, verdict or path are the same in many rows. */
export interface Cells {
  source: Pick<Connection, 'src' | 'srcMac' | 'srcVendor' | 'srcDnsName' | 'srcMdnsName'>;
  destination: Pick<Connection, 'dst' | 'dstHost' | 'country' | 'org' | 'city'>;
  observers: Pick<Connection, 'observedBy' | 'source'>;
  verdict: Pick<Connection, 'threatLevel'> & {
    threatConfidence: Threat['confidence'] | null;
    threatSource: string | null;
    threatTag: string | null;
  };
  /** `path` has the routers from the inside to the outside; it is empty when the order is not known. */
  path: { path: readonly string[]; pathState: ConnectionPath['state']; doubleNat: ConnectionPath['doubleNat'] };
  port: Pick<Connection, 'dport' | 'proto'>;
  row: Pick<Connection, 'ttl' | 'firstSeen' | 'lastSeen'>;
  agent: Pick<Connection, 'agentHost' | 'process'>;
}

export type Owner = keyof Cells;

/** Columns in their order: names of cells after the name of what they are read from. */
export type Columns = readonly { [O in Owner]: readonly [O, ...(keyof Cells[O] & string)[]] }[Owner][];

/** How a row is written. */
export interface RowForm {
  begin: string;
  /** Between two cells. */
  between: string;
  end: string;
  /** Between two rows. */
  separator: string;
  formatCell(name: string, value: Cell): string;
}

/** Changes cells before they are written. */
export interface CellChanges {
  source(cells: Cells['source']): Cells['source'];
  destination(cells: Cells['destination']): Cells['destination'];
  agent(cells: Cells['agent']): Cells['agent'];
}
