// What a feature gives to /metrics: families of samples in base units (seconds, bytes, ratios), as Prometheus asks for.

export interface Sample {
  labels?: Readonly<Record<string, string>>;
  value: number;
}

/** Families of one name, of whichever feature, are joined: they must have the same help. */
export interface MetricFamily {
  name: `gatehouse_${string}` | `process_${string}`;
  type: 'gauge' | 'counter';
  help: string;
  /** A family without samples is left out of the answer. */
  samples: readonly Sample[];
}

/** `samples` may be the one value; null stands for a value that is not known. */
export function createGauge(
  name: MetricFamily['name'],
  help: string,
  samples: readonly Sample[] | number | null,
): MetricFamily {
  return { name, type: 'gauge', help, samples: toSamples(samples) };
}

/** The name of a counter ends with `_total`. */
export function createCounter(
  name: `${MetricFamily['name']}_total`,
  help: string,
  samples: readonly Sample[] | number,
): MetricFamily {
  return { name, type: 'counter', help, samples: toSamples(samples) };
}

function toSamples(samples: readonly Sample[] | number | null): readonly Sample[] {
  return samples === null ? [] : typeof samples === 'number' ? [{ value: samples }] : samples;
}

/** One sample, or none while the value is not known. Times in milliseconds become seconds. */
export function toTimeSample(labels: Sample['labels'] & object, at: number | null): Sample[] {
  return at === null ? [] : [{ labels, value: at / 1000 }];
}

/** One sample for each state: 1 for the present one. */
export function toStateSamples(labels: Sample['labels'] & object, states: readonly string[], now: string): Sample[] {
  return states.map((state) => ({ labels: { ...labels, state }, value: state === now ? 1 : 0 }));
}

/** Describes what waits to be sent. `oldestAt` is when the oldest of it was queued; null when nothing waits. */
export function describeOutbox(
  labels: { outbox: string } & Record<string, string>,
  waiting: number,
  oldestAt: number | null,
): MetricFamily[] {
  return [
    createGauge(
      'gatehouse_outbox_waiting',
      'Alerts (chat), events (destinations) or hours (clickhouse) that are not sent yet.',
      [{ labels, value: waiting }],
    ),
    createGauge(
      'gatehouse_outbox_oldest_timestamp_seconds',
      'Time of the oldest entry that is not sent yet.',
      toTimeSample(labels, oldestAt),
    ),
  ];
}
