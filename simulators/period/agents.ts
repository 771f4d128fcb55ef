// Agents that play a period: each delivers what it saw at the times of the period.
import type { PeriodConnection } from '#capture/period.ts';
import { UsageError } from '#kernel/process/program.ts';
import { isoTime } from '#kernel/time/clock.ts';
import type { AgentOptions } from '../agent/agent.ts';
import type { GivenObservation, ScriptStep } from '../agent/script.ts';
import { leads } from './choose-observer.ts';
import { readPeriod } from './read-period.ts';
import { listSightings } from './sightings.ts';

/** Returns the Agents of the file for a start at an instant, epoch milliseconds. Throws a UsageError when it has none. */
export function planPeriodAgents(file: string) {
  const { header, connections } = readPeriod(file);
  const agents = header.observers.flatMap((observer, place) =>
    observer.kind === 'agent' ? [{ observer, place }] : [],
  );
  if (agents.length === 0) {
    throw new UsageError('--period has no Agent: play it with a router');
  }
  return {
    count: agents.length,
    plan: (start: number): Required<Pick<AgentOptions, 'machines' | 'script'>> => ({
      machines: agents.map(({ observer: { name, platform, osVersion, agentVersion } }) => ({
        hostName: name,
        platform,
        osVersion,
        agentVersion,
      })),
      script: agents.flatMap(({ place }, index) => {
        const observations = connections
          .filter(({ by }) => by.includes(place))
          .flatMap((connection) => toObservations(connection, start, leads(header.observers, connection.by, place)));
        return toSteps(observations, index + 1);
      }),
    }),
  };
}

/** A hub takes 200 observations in a batch, and 30 batches of an Agent in a minute. */
const mostObservations = 200;
const everyMs = 5000;

interface TimedObservation {
  at: number;
  connection: PeriodConnection;
  observation: GivenObservation;
}

/** Two sightings of one connection go into different batches: the hub counts one sighting in each batch. */
function toSteps(observations: readonly TimedObservation[], agent: number): ScriptStep[] {
  const steps: { at: number; send: GivenObservation[] }[] = [];
  const told = new Set<PeriodConnection>();
  for (const { at, connection, observation } of observations.toSorted((one, other) => one.at - other.at)) {
    const last = steps.at(-1);
    if (last !== undefined && at <= last.at && last.send.length < mostObservations && !told.has(connection)) {
      last.send.push(observation);
    } else {
      steps.push({ at: Math.max(at, last?.at ?? at) + everyMs, send: [observation] });
      told.clear();
    }
    told.add(connection);
  }
  return steps.map((step) => ({ ...step, agent, afterMs: 0 }));
}

/** The observations of an Agent that leads are all sightings; of another one, the last. */
function toObservations(connection: PeriodConnection, start: number, isLeader: boolean): TimedObservation[] {
  const { src, dst, dport, proto, process, pid, bytesIn, bytesOut } = connection;
  const all = listSightings(connection);
  const sightings = isLeader ? all : all.slice(-1);
  return sightings.map(({ startedAt, at, port }, index) => {
    const isLast = index === sightings.length - 1;
    const observation: GivenObservation = {
      networkProtocol: proto === 'UDP' ? 'udp' : 'tcp',
      localAddress: src,
      localPort: port ?? 0,
      remoteAddress: dst,
      remotePort: dport,
      processID: pid ?? 0,
      processName: process ?? 'unknown',
      bundleID: null,
      firstObservedAt: isoTime(start + startedAt),
      lastObservedAt: isoTime(start + at),
      // The counters of the log are those of all sightings together.
      bytesIn: isLast ? bytesIn : null,
      bytesOut: isLast ? bytesOut : null,
    };
    return { at: start + at, connection, observation };
  });
}
