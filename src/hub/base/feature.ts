// What a feature of the hub is, and what every feature gets.
import type { z } from 'zod';
import type { NotReadyReason } from '#contract/health.ts';
import type { Api } from '#contract/index.ts';
import type { FeatureName, statusRoutes } from '#contract/status.ts';
import type { Guard } from '#kernel/http/bind-route.ts';
import type { Handlers } from '#kernel/http/route.ts';
import type { Log } from '#kernel/process/log.ts';
import type { Db } from '#kernel/sqlite/sqlite.ts';
import type { Clock } from '#kernel/time/clock.ts';
import type { SteadyClock } from '#kernel/time/steady-clock.ts';
import type { CoverageState } from '../record/coverage/span.ts';
import type { Principal } from './auth/principal.ts';
import type { HubOptions } from './config.ts';
import type { MetricFamily } from './metrics.ts';
import type { ReaderPools } from './readers/pools.ts';
import type { SettingsDocument } from './settings/document.ts';
import type { Signals } from './signals.ts';
import type { Statement } from './statements.ts';
import type { DataFolder } from './storage/data-folder.ts';

/** What every feature gets. Do not add what only one feature needs. */
export interface Base {
  clock: Clock;
  /** Cannot be set back. What is stored with an end is written and judged by it. */
  steadyClock: SteadyClock;
  log: Log;
  db: Db;
  settings: SettingsDocument;
  signals: Signals;
  readers: ReaderPools;
  folder: DataFolder;
  /** The database has data of an earlier start. */
  hasData: boolean;
  /** No service outside the network of the hub is queried. */
  offline: boolean;
  options: HubOptions;
}

/** Every handler of the API but those that answer before the hub is ready. */
export type HubHandlers = { readonly [G in Exclude<keyof Api, EarlyGroup>]: Handlers<Api[G], Principal> };
export type EarlyGroup = 'front' | 'health';

/** The handlers of some routes of a group: features may share one. */
export type RouteHandlers<G extends keyof HubHandlers, R extends keyof Api[G]> = Pick<HubHandlers[G], R>;

type Status = z.output<(typeof statusRoutes.status.reply)[200]>;

/** Part of the answer of `/api/status`. `features` and `warnings` of all features are joined. */
export type StatusFacts = Partial<Omit<Status, 'features' | 'warnings' | 'warningFacts'>> & {
  /** Null stands for none. */
  warnings?: readonly (Statement | null)[];
  /** Warnings for callers who hold `auth.admin`. */
  adminWarnings?: readonly (Statement | null)[];
  features?: Partial<Record<FeatureName, Status['features'][FeatureName]>>;
};

export interface Feature<H extends { readonly [G in keyof HubHandlers]?: object } = object>
  extends Partial<AsyncDisposable> {
  readonly handlers?: H;
  /** The checks that its routes name in `guards`. */
  readonly guards?: Readonly<Record<string, Guard<Principal>>>;
  /** Resolves when the feature has no work under way. */
  settled?(): Promise<unknown>;
  status?(): StatusFacts | Promise<StatusFacts>;
  /** Its part of `/metrics`: what it knows already, or reads within milliseconds. */
  metrics?(signal: AbortSignal): readonly MetricFamily[] | Promise<readonly MetricFamily[]>;
  /** How well the subjects of the feature are observed now. */
  coverage?(): readonly CoverageState[];
  /** Why the hub cannot work; null when this feature knows of no reason. */
  notReady?(): Promise<NotReadyReason | null>;
}

type Intersection<U> = (U extends unknown ? (one: U) => void : never) extends (all: infer I) => void ? I : never;

/** Joins the handlers of all features by group. Assign the result to `HubHandlers`: a missing handler does not compile. */
export function joinHandlers<const F extends readonly Feature[]>(
  features: F,
): Intersection<NonNullable<F[number]['handlers']>> {
  const joined: Record<string, object> = {};
  for (const [group, handlers] of features.flatMap((feature) => Object.entries(feature.handlers ?? {}))) {
    joined[group] = { ...joined[group], ...handlers };
  }
  return joined as Intersection<NonNullable<F[number]['handlers']>>;
}
