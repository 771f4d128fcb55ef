// The seam between the terminal (SSH, echo, paging, latency, faults) and a vendor's command language.
import type { Exchange, Step } from '#capture/bundle.ts';
import type { RouterKind, WorldView } from './model.ts';

/** One login's own state; vendors keep what `terminal …`, `pp select` and privilege changes do here. */
export interface Login {
  readonly user: string;
  privileged: boolean;
  /** vendor_b `terminal length`; vendor_a ignores it (device-wide). 0 = no paging. */
  length: number;
  width: number;
  /** vendor_a `pp1`, `tunnel1` before `#`. */
  context: string;
  /** vendor_b `terminal exec prompt timestamp`. */
  promptTimestamp: boolean;
}

/** What a command line leads to. Lines carry no line ends; the terminal adds CR LF, wraps, pages and encodes. */
export type Outcome =
  | { kind: 'lines'; lines: Iterable<string>; table?: 'nat' | 'arp' | 'ndp' }
  /** Raw bytes exactly as given (replay), sent after the echo and before the prompt. */
  | { kind: 'raw'; bytes: Uint8Array }
  /** The bytes of a capture with their times; they wait where its client typed a key, and end as it ended. */
  | ({ kind: 'played'; ending: Exchange['ending'] } & Played)
  /** Asks on a line of its own with echo off; `answer` gets the line typed. */
  | { kind: 'secret'; prompt: string; answer: (typed: string) => Outcome }
  /** Asks for one key, no line end. */
  | { kind: 'key'; prompt: string; answer: (key: string) => Outcome }
  /** Prints, waits `ms` on the simulator's clock, then goes on. */
  | { kind: 'wait'; lines: readonly string[]; ms: number; next: Outcome }
  | { kind: 'close'; lines?: readonly string[] };

export interface Played {
  bytes: Uint8Array;
  steps: readonly Step[];
}

export interface Vendor {
  readonly kind: RouterKind;
  /** `each`: every CR and every LF ends a line (CR LF ends two). `once`: CR, LF or CR LF end one line. */
  readonly lineEnds: 'each' | 'once';
  newLogin(user: string, world: WorldView): Login;
  banner(world: WorldView): readonly string[];
  /** What stands before the first prompt of a capture, instead of the banner. */
  readonly greeting?: Played;
  prompt(world: WorldView, login: Login): string;
  run(line: string, world: WorldView, login: Login): Outcome;
  /** Pager text, what the device sends to erase it, and rows per page; rows null = no paging. */
  pager(world: WorldView, login: Login): { text: string; erase: string; rows: number | null };
  /** Column at which output is hard-wrapped, inside tokens; null = never. */
  wrapAt(world: WorldView, login: Login): number | null;
  /** WHATWG-style name of the encoding of all output, or of the prompt: `ascii`, `shift_jis`, `euc-jp`, `utf-8`. */
  encoding(world: WorldView, of?: 'prompt'): string;
  /** A log line as the device would print it into a session, for `console info on` / `terminal monitor`. */
  logLine(world: WorldView, text: string): string;
  /** True for commands that only read or only change the login's own terminal. Anything else is a violation. */
  readOnly(line: string): boolean;
}
