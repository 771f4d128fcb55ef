// An observation as it is read back from the database.

/** Addresses are canonical, instants epoch milliseconds. */
export interface StoredObservation {
  proto: string;
  src: string;
  sport: number;
  dst: string;
  dport: number;
  pid: number;
  process: string;
  firstAt: number;
  lastAt: number;
  bytesIn: string | null;
  bytesOut: string | null;
  isExact: number;
}
