// Lists when a connection of a period was seen. The log has only how many sightings there were in an hour, so they are spread
// evenly: a hub that looks once a minute then sees each of them.
import type { PeriodConnection } from '#capture/period.ts';
import { minuteMs } from '#kernel/time/time.ts';

export interface Sighting {
  /** When its session began; the sightings of one port are of one session. */
  startedAt: number;
  at: number;
  /** Null where the protocol has no ports, or the port is not known. */
  port: number | null;
}

/** Instants are milliseconds after the start of the period. The last sighting is a session with the port of the log. */
export function listSightings({ seen, sport }: Pick<PeriodConnection, 'seen' | 'sport'>): Sighting[] {
  const sightings: Sighting[] = [];
  /** When a session began that was not seen again in the hour of its start; null without one. */
  let begun: number | null = null;
  for (const [index, [first, last, count]] of seen.entries()) {
    const port = otherPort(sport, index);
    const startedAt: number = begun ?? first;
    if (count === 0) {
      begun = startedAt;
      continue;
    }
    begun = null;
    for (let place = 0; place < count; place += 1) {
      const at = count === 1 ? last : first + spread(place, count - 1, last - first);
      sightings.push({ startedAt, at, port });
    }
  }
  if (begun !== null) {
    sightings.push({ startedAt: begun, at: begun, port: sport });
  }
  const final = sightings.pop();
  if (final === undefined) {
    return [];
  }
  const isSecond = sightings.at(-1)?.startedAt === final.startedAt;
  return [...sightings, { startedAt: isSecond ? final.at : final.startedAt, at: final.at, port: sport }];
}

/**
 * The place `place` of `places` equal parts of a time. What was seen at the instants of polls stays at such instants: a DNS
 * session of vendor_a is in the table for ten seconds only.
 */
function spread(place: number, places: number, lengthMs: number): number {
  const stepMs = lengthMs % minuteMs === 0 && lengthMs / places >= minuteMs ? minuteMs : 1;
  return Math.round((place * lengthMs) / places / stepMs) * stepMs;
}

/** Another port for each hour, from 1024 on. */
export function otherPort(sport: number | null, hour: number): number | null {
  const ports = 64_511;
  return sport === null ? null : 1024 + ((sport - 1024 + 1 + (hour % (ports - 1)) + ports) % ports);
}
