// Starts a router for a test: of a dialect, as a capture, or with the sessions of a period.
import { systemClock } from '#kernel/time/clock.ts';
import { planPeriodRouter } from '../period/router.ts';
import { toCapturedRouter } from './captured.ts';
import type { RouterKind } from './model.ts';
import { type RouterServerOptions, type RouterSimulator, startRouterServer } from './router.ts';

export interface RouterOptions extends Omit<RouterServerOptions, 'kind' | 'profile' | 'offer'> {
  /** Model, firmware, language and form of the tables, as `--dialect` has it; the first one of the kind when absent. */
  dialect?: string;
  /** The folder of a capture (`gatehouse capture`), which is answered with its bytes and times instead of a table that moves. */
  capture?: string;
  /** Path of a file that `gatehouse replay export` wrote: the router shows the sessions of then, with the same gaps, from now on. */
  period?: string;
  /** Which router of the period, by its name; needed when there are several of the kind. */
  periodRouter?: string;
}

/**
 * Starts a router with an SSH server; `url` is like `ssh://127.0.0.1:2221`. `flow` puts a session into its NAT table.
 * Rejects for an unknown dialect, for a folder that is no capture of this kind, for a file that is no period with such a router, for a port in use, and for an address beyond loopback without `allowNonLoopback`.
 */
export async function startRouter(kind: RouterKind, options: RouterOptions = {}): Promise<RouterSimulator> {
  const { dialect, capture, period, periodRouter = null, ...plain } = options;
  const captured = capture === undefined ? {} : toCapturedRouter(capture, kind);
  const now = (options.clock ?? systemClock).now();
  const played = period === undefined ? {} : planPeriodRouter(period, kind, periodRouter)(now);
  const given = { ...captured, ...played, ...plain, ...(dialect === undefined ? {} : { profile: dialect }) };
  return startRouterServer({ ...given, kind });
}
