// Findings in the lines of followed logs, in one form for all formats.

/** A name that a client queried, or named in its TLS hello, before it talked to this public address. */
export interface NameFinding {
  kind: 'name';
  address: string;
  name: string;
  /** Address of who asked, or said hello; absent where the log does not say. */
  client?: string;
}

/** An address of the LAN with what the DHCP server or the resolver knows of it. */
export interface HostFinding {
  kind: 'host';
  address: string;
  /** Lower-case colon form. */
  mac: string | null;
  name: string | null;
}

/** A session that a router's packet inspection saw end. */
export interface SessionFinding {
  kind: 'session';
  /** Address or name of the router that syslog wrote into the line. */
  sender: string | null;
  proto: string;
  src: string;
  sport: number;
  dst: string;
  dport: number;
  /** How long it lasted, when the line has both ends. */
  durationMs: number | null;
}

export type Finding = NameFinding | HostFinding | SessionFinding;

/** Reads one log line by line; lines of one answer may belong together. Never throws. */
export interface LineReader {
  /** `null` when the line is of no known form, an empty list when it has no finding. */
  read(line: string): readonly Finding[] | null;
}
