// The sentences about connections that polling cannot see: each says what is the case, and what to do.
import { limits } from '#contract/limits.ts';
import { type Bound, goodShare } from './suggestion.ts';
import { shortestPlainMs } from './timers.ts';

/** Least number of reads and connections for an estimate. */
export const enough = { reads: 10, connections: 50 };

/** The variable of the hub that sets the interval of all routers. */
const variable = 'POLL_INTERVAL_MS';

export const messages = {
  notRead: () =>
    'there is no estimate yet: no table of this router was read to its end since the hub was started or the router was ' +
    'changed. Look at its state in GET /api/routers.',
  tooFew: (reads: number, connections: number) =>
    `there is no estimate yet: it takes ${enough.reads} whole reads, each after another one, and ${enough.connections} ` +
    `connections; so far there are ${reads} and ${connections}. Ask again later.`,
  share: (share: number, intervalMs: number, canBeShorter: boolean, takesMs: number) => {
    if (share === 0) {
      return `no connection is missed: all stay in the table for ${seconds(intervalMs)}, the interval of the reads.`;
    }
    const limit =
      share > goodShare && !canBeShorter
        ? ` No shorter interval is possible: a read takes ${seconds(takesMs)}, and the hub allows no less than ${seconds(limits.pollIntervalMinMs)}.`
        : '';
    return `${aboutPercent(share)} of the connections begin and end between two reads and are not seen.${limit}`;
  },
  byDelivered: (intervalMs: number) =>
    `no connection is missed with reads every ${seconds(intervalMs)}, if the timers of this router are as delivered: its ` +
    'table shows no times. Let its user run "show ip nat translations verbose" to have them counted.',
  byEvents: (share: number, events: number) => {
    const what =
      share > 0
        ? `${aboutPercent(share)} of the connections begin and end between two reads and are not seen`
        : 'no connection is missed';
    return (
      `${what}, by ${events} events of Agents behind this router: its table shows no times. ` +
      'Let its user run "show ip nat translations verbose" to count all connections.'
    );
  },
  noTimes: (intervalMs: number, events: number) =>
    `what reads every ${seconds(intervalMs)} miss is not known: the table of this router shows no times, and Agents ` +
    `behind it reported ${events} of the ${enough.connections} events that it takes. Let its user run "show ip nat translations verbose", ` +
    `or set ${variable}=${shortestPlainMs} and start the hub again.`,
};

export function suggestionMessage({ intervalMs, share }: Bound): string {
  const rest = share === 0 ? 'then none is missed' : `then at most ${percent(share)} are missed`;
  return `set ${variable}=${intervalMs} and start the hub again: ${rest}. It is the interval of all routers.`;
}

/** With one decimal, two below 1 %. */
export function percent(share: number): string {
  const value = share * 100;
  return value > 0 && value < 0.01 ? 'less than 0.01 %' : `${value.toFixed(value < 1 ? 2 : 1)} %`;
}

function aboutPercent(share: number): string {
  const shown = percent(share);
  return shown.startsWith('less') ? shown : `about ${shown}`;
}

function seconds(ms: number): string {
  return `${Number((ms / 1000).toFixed(1))} s`;
}
