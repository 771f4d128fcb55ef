// What is different between what the hub holds and what it must hold: one sentence for each kind of difference.
import { isoTime } from '#kernel/time/clock.ts';
import { dayMs, hourMs, minuteMs } from '#kernel/time/time.ts';
import { backupTimeMs, coveredMs, expectedLog, type Model } from './model.ts';
import { homeZone } from './plan.ts';
import type { Seen } from './seen.ts';
import { firstInstant, localTime } from './zone.ts';

/** What the world knows besides the model. */
export interface Circumstances {
  /** Ids of the routers. */
  routers: readonly string[];
  begunAt: number;
  mostGenerations: number;
  /** Since when the feeds can be fetched and the hub has run on without a break. */
  feedsWellSince: number;
  /** Since when the chat workspace answers. */
  chatWellSince: number;
}

type Check = (model: Model, seen: Seen, circumstances: Circumstances) => (string | null)[];

/** By name, for reports and for the test that plants a violation of each. */
export const checks: Readonly<Record<string, Check>> = {
  flows: ({ ...model }, { at, flows }) => {
    const { mustFlows, mayFlows } = expectedLog(model, at);
    return [
      some(
        'flows that the log lacks',
        [...mustFlows.keys()].filter((flow) => !flows.has(flow)),
      ),
      some(
        'flows in the log that were never shown, or are too old',
        [...flows.keys()].filter((flow) => !mayFlows.has(flow)),
      ),
      some(
        'flows that were seen later than the log says',
        [...mustFlows].flatMap(([flow, last]) => ((flows.get(flow) ?? last) < last - 30_000 ? [flow] : [])),
      ),
      some(
        'flows that were last seen in the future',
        [...flows].flatMap(([flow, last]) => (last > at ? [`${flow} ${isoTime(last)}`] : [])),
      ),
    ];
  },
  hours: (model, { at, hours }) => {
    const { mustHours, mayHours } = expectedLog(model, at);
    return [
      some(
        'hours of flows that the log lacks',
        [...mustHours].filter((hour) => !hours.has(hour)),
      ),
      some(
        'hours in the log in which nothing was shown',
        [...hours].filter((hour) => !mayHours.has(hour)),
      ),
    ];
  },
  counts: (_, { flows, total, summaryTotal }) => [
    unlike('connections of the list', total, flows.size),
    unlike('connections of the summary', summaryTotal, flows.size),
  ],
  devices: ({ macs }, seen) => [
    some(
      'devices that are not there',
      [...macs].filter((mac) => !seen.macs.has(mac)),
    ),
    some(
      'devices that nobody has',
      [...seen.macs].filter((mac) => !macs.has(mac)),
    ),
  ],
  audit: ({ audit }, seen) =>
    [...audit].map(([type, rows]) => unlike(`rows of ${type} in the audit trail`, seen.audit.get(type) ?? 0, rows)),
  sessions: ({ sessions, sessionTtlMs }, seen) => [
    unlike(
      'active sessions',
      seen.sessions,
      sessions.filter(({ hasEnded, usedAt }) => !hasEnded && usedAt + sessionTtlMs > seen.at).length,
    ),
  ],
  identities: ({ identities }, seen) =>
    identities.map(({ token, expiresAt }, index) =>
      unlike(`whether identity ${index + 1} is known`, seen.identities.get(token), expiresAt > seen.at),
    ),
  backups: backupProblems,
  coverage: (model, { at, covered }, { routers, begunAt }) =>
    routers.map((router) => {
      const { least, most } = coveredMs(model, router, Math.max(at - dayMs, begunAt), at);
      const is = covered.get(router) ?? 0;
      const slackMs = model.intervalMs + 5 * minuteMs;
      return is >= least - slackMs && is <= most + slackMs
        ? null
        : `router ${router} was observed for ${minutes(is)} of the last day, not ${minutes(least)} to ${minutes(most)}`;
    }),
  analyses: analysisProblems,
  usage: (_, { monthRequests, monthAnalyses }) => [
    unlike('requests to models of this local month', monthRequests, monthAnalyses),
  ],
  detections: (model, { at, threats }, { feedsWellSince }) => {
    const wellAfterMs = 8 * hourMs;
    const contacts = model.sightings.flatMap(({ flow, at: seenAt, isSure }) => {
      const [src, dst = '', dport] = flow.split(' ');
      const since = Math.max(model.listed.get(dst) ?? Number.POSITIVE_INFINITY, feedsWellSince) + wellAfterMs;
      return isSure && dport === '443' && seenAt > since && seenAt > at - dayMs && seenAt < at - hourMs
        ? [`${src} ${dst}`]
        : [];
    });
    return [
      some(
        'contacts with listed addresses without a detection',
        contacts.filter((pair) => !threats.has(pair)),
      ),
    ];
  },
  chat: (_, { at, waitingMessages }, { chatWellSince }) => [
    at - chatWellSince > 3 * hourMs
      ? unlike('messages that wait for a chat workspace that answers', waitingMessages, 0)
      : null,
  ],
  settings: ({ homeCountry }, seen) => [unlike('the home country', seen.homeCountry, homeCountry)],
};

/** Every difference, with the name of its check. */
export function differences(model: Model, seen: Seen, circumstances: Circumstances): string[] {
  return Object.entries(checks).flatMap(([name, check]) =>
    check(model, seen, circumstances).flatMap((problem) => (problem === null ? [] : [`${name}: ${problem}`])),
  );
}

function backupProblems(model: Model, { at, generations, newestIs }: Seen, world: Circumstances): (string | null)[] {
  // The folder that holds them is away.
  if (model.backupless.some(({ to }) => to === Number.POSITIVE_INFINITY)) {
    return [];
  }
  const newest = generations.at(-1)?.madeAt ?? world.begunAt;
  // A day, the hour after a failed one, and the look every minute.
  const mostMs = dayMs + hourMs + 5 * minuteMs;
  // One more until the cleanup after it has ended, and the copies from before restores: each puts the next backup off by a day.
  const most = world.mostGenerations + 1 + restoresInARow(model.restores, at, mostMs);
  const sinceMs = backupTimeMs(model, newest, at);
  return [
    sinceMs > mostMs && newest + mostMs < at ? `the newest backup is of ${isoTime(newest)}: a newer one is due` : null,
    generations.length > most ? `${generations.length} generations are kept, not ${most}` : null,
    generations.length > 0 && newestIs !== 'ok' ? `the newest generation is not whole: ${newestIs}` : null,
  ];
}

/** Restores up to `at` of which each was less than `withinMs` before the next. */
function restoresInARow(restores: readonly number[], at: number, withinMs: number): number {
  const gap = restores.findLastIndex((restored, index) => (restores[index + 1] ?? at) - restored >= withinMs);
  return restores.length - gap - 1;
}

/** One analysis on each local day, whatever the clocks do on it. */
function analysisProblems({ running }: Model, { at, analyses }: Seen, { begunAt }: Circumstances): (string | null)[] {
  const today = localTime(homeZone, at).date;
  const problems: (string | null)[] = [];
  for (let day = begunAt; localTime(homeZone, day).date < today; day += dayMs) {
    const { date } = localTime(homeZone, day);
    const from = firstInstant(homeZone, date, 150);
    const until = firstInstant(homeZone, date, 23 * 60 + 50);
    const upMs = running.reduce(
      (sum, up) => sum + Math.max(0, Math.min(up.to, until ?? 0) - Math.max(up.from, from ?? 0)),
      0,
    );
    const made = analyses.get(date) ?? 0;
    problems.push(
      made > 1 ? `${made} scheduled analyses of ${date}, where one is to be made` : null,
      made < 1 && upMs > hourMs && (from ?? 0) > begunAt ? `no scheduled analysis of ${date}` : null,
    );
  }
  return problems;
}

function some(what: string, found: readonly string[]): string | null {
  return found.length === 0 ? null : `${found.length} ${what}, such as ${found.slice(0, 3).join('; ')}`;
}

function unlike(what: string, is: unknown, expected: unknown): string | null {
  return is === expected ? null : `${what}: ${String(is)}, not ${String(expected)}`;
}

const minutes = (ms: number) => `${Math.round(ms / minuteMs)} min`;
