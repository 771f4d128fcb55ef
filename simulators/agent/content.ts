// The bytes of a batch, and what the named faults make of them.
import { gzipSync } from 'node:zlib';
import { isoTime, parseIsoTime, toDate } from '#kernel/time/clock.ts';
import { dayMs, hourMs } from '#kernel/time/time.ts';
import type { Armed } from '../support/armed-faults.ts';
import type { AgentFault } from './faults.ts';
import type { Batch, Observation } from './records.ts';

/** A batch as it is sent, the same in every retry. */
export interface Sealed {
  batch: Batch;
  body: Buffer;
  headers: Readonly<Record<string, string>>;
}

export interface SealOptions {
  take: (fault: AgentFault) => Armed<AgentFault> | null;
  more: (count: number) => Observation[];
  /** The id of a batch of another Agent; null when there is none. */
  foreignId: () => string | null;
}

const tooMany = 201;
const tooManyBytes = 512 * 1024 + 1;

export function sealBatch(honest: Batch, { take, more, foreignId }: SealOptions): Sealed {
  let batch = honest;
  const change = (part: Partial<Batch>) => {
    batch = { ...batch, ...part };
  };
  for (const [fault, ms] of shifts) {
    if (take(fault)) {
      change({ sentAt: shiftTime(batch.sentAt, ms), observations: shiftObservations(batch.observations, ms) });
    }
  }
  if (take('far-future')) {
    change({ observations: shiftObservations(batch.observations, 2 * dayMs) });
  }
  if (take('outside-retention')) {
    change({ observations: shiftObservations(batch.observations, -8 * dayMs) });
  }
  if (take('oversize-count')) {
    const missing = Math.max(0, tooMany - batch.observations.length);
    change({ observations: [...batch.observations, ...more(missing)] });
  }
  const version = take('wrong-schema-version');
  if (version) {
    change({ schemaVersion: Number(version.value ?? 2) });
  }
  if (take('local-time')) {
    change({ sentAt: toLocalTime(batch.sentAt), observations: batch.observations.map(withLocalTimes) });
  }
  if (take('leading-zeros')) {
    change({ observations: batch.observations.map((one) => ({ ...one, bytesIn: '007', bytesOut: '00' })) });
  }
  const id = foreignId();
  if (id !== null && take('foreign-batch-id')) {
    change({ batchId: id });
  }
  const sent = take('unknown-field') ? addUnknownFields(batch) : batch;
  return { batch, ...encodeBody(JSON.stringify(sent), take) };
}

const shifts: readonly (readonly [AgentFault, number])[] = [
  ['clock-ahead', hourMs],
  ['clock-behind', -hourMs],
];

function encodeBody(json: string, take: SealOptions['take']): Pick<Sealed, 'body' | 'headers'> {
  const filled = take('oversize-bytes') ? json.padEnd(tooManyBytes, ' ') : json;
  const text = take('bad-json') ? filled.slice(0, Math.floor(json.length / 2)) : filled;
  return take('compressed')
    ? { body: gzipSync(text), headers: { 'content-encoding': 'gzip' } }
    : { body: Buffer.from(text), headers: {} };
}

function addUnknownFields(batch: Batch): object {
  const [first, ...rest] = batch.observations;
  return { ...batch, note: 'unknown', observations: [{ ...first, note: 'unknown' }, ...rest] };
}

function shiftObservations(observations: readonly Observation[], ms: number): Observation[] {
  return observations.map((one) => ({
    ...one,
    firstObservedAt: shiftTime(one.firstObservedAt, ms),
    lastObservedAt: shiftTime(one.lastObservedAt, ms),
  }));
}

/** Text that is no time stays as it is: a script may have given it on purpose. */
function shiftTime(time: string, ms: number): string {
  const at = parseIsoTime(time);
  return at === null ? time : isoTime(at + ms);
}

function withLocalTimes(one: Observation): Observation {
  return { ...one, firstObservedAt: toLocalTime(one.firstObservedAt), lastObservedAt: toLocalTime(one.lastObservedAt) };
}

/** The same instant on the clocks of a place nine hours ahead of UTC. */
function toLocalTime(time: string): string {
  const at = parseIsoTime(time);
  return at === null
    ? time
    : toDate(at + 9 * hourMs)
        .toISOString()
        .replace('Z', '+09:00');
}
