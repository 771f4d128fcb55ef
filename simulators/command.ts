// What every kind of `gatehouse sim` tells about itself: its name, ports, options, and how it starts.
import { oneOfOption, wholeOption } from '#kernel/process/option-value.ts';
import type { MeshSettings } from './mesh/settings.ts';
import type { OptionTable } from './option-table.ts';
import type { RouterServerOptions } from './router/router.ts';
import { type ControlRoutes, startControlServer } from './support/control-server.ts';
import type { ShiftedClock } from './support/shifted-clock.ts';
import type { Control, Entry, FaultOptions } from './support/simulator.ts';
import type { HoldClock } from './support/sleepers.ts';

export type ParsedOptions = Readonly<Record<string, string | boolean | undefined>>;

export interface ListenAddress {
  host: string;
  port: number;
  controlPort: number;
}

/**
 * What is printed on stdout about a simulator that runs, besides its kind. `url` is where it listens, if it does; `hint` is
 * for people: what to do differently.
 */
export type StartLine = Readonly<Record<string, unknown>> & { url?: string; control: string; hint?: string };

export interface StartContext {
  /** What every `start…` function takes. */
  options: { host: string; port: number; clock: ShiftedClock; onEntry: (entry: Entry) => void };
  /** Only for routers: the LAN behind them and further commands. */
  router?: Pick<RouterServerOptions, 'hosts' | 'destinations' | 'traffic' | 'commands' | 'hostKey'>;
  /** Only for mesh access points: its boxes and who is connected to them. */
  mesh?: Pick<MeshSettings, 'nodes' | 'clients'>;
  /** Only for Agents, when the clock jumps from event to event. */
  holdClock?: HoldClock;
  /** Called with the control surface before it is served. */
  onControl?: (control: Control<string>) => void;
  controlPort: number;
  /** null: none was given. */
  seed: number | null;
  stack: AsyncDisposableStack;
}

export interface SimulatorCommand {
  readonly kind: string;
  /** `port` is null for one that listens for its control API alone. */
  readonly ports: { readonly port: number | null; readonly control: number };
  /** The option without which `all` leaves it out. */
  readonly needs?: string;
  /** Its own options, besides the common ones. */
  readonly options: OptionTable;
  /** Its faults by name, each with one sentence. */
  readonly faults: Readonly<Record<string, string>>;
  /** Throws, naming the fault, when its options cannot be meant. */
  checkFault?(fault: string, options: FaultOptions): void;
  /** The title of its part of `--help`, and the lines below those of its options; kinds with the same title share them. */
  readonly help: { readonly title: string; readonly more?: string };
  /** Takes the options; throws a UsageError. What it returns starts the simulator. */
  plan(given: ParsedOptions): (starting: StartContext) => Promise<StartLine>;
  /** Words behind the kind that do something else than run it. `program` is all that was typed; each resolves to the exit code. */
  readonly verbs?: Readonly<Record<string, (argv: readonly string[], program: string) => Promise<number>>>;
}

/** Serves the control surface of a simulator besides it; resolves to its address. */
export async function serveControl<F extends string>(
  { options: { host, clock }, controlPort, stack, onControl }: StartContext,
  about: { title: string; control: Control<F>; extra?: ControlRoutes },
): Promise<string> {
  const control = about.control as unknown as Control<string>;
  onControl?.(control);
  const served = stack.use(await startControlServer({ ...about, control, clock, host, port: controlPort }));
  return served.url.origin;
}

/** The text of an option; null when it was not given. */
export function optionText(given: ParsedOptions, name: string): string | null {
  const value = given[name];
  return typeof value === 'string' ? value : null;
}

/** The word of an option, the first of `allowed` when it was not given. Throws a UsageError for any other word. */
export function optionWord<const T extends string>(given: ParsedOptions, name: string, allowed: readonly T[]): T {
  return oneOfOption(name, optionText(given, name) ?? allowed[0] ?? '', allowed);
}

/** The whole number of an option, `usual` when it was not given. Throws a UsageError outside of the range. */
export function optionNumber<T extends number | null>(
  given: ParsedOptions,
  name: string,
  range: readonly [min: number, max: number],
  usual: T,
): number | T {
  const value = optionText(given, name);
  return value === null ? usual : wholeOption(name, value, range);
}
