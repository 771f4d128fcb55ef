// What the UPS measures at this moment: values that were set, and a script that changes them as time passes.
import { withChanges } from '#kernel/text/changes.ts';
import type { Clock } from '#kernel/time/clock.ts';
import { minuteMs } from '#kernel/time/time.ts';
import { items, type Values, type ValuesChange } from './values.ts';

export interface Step {
  /** Milliseconds after the script began. */
  afterMs: number;
  values: ValuesChange;
}

export type Readings = ReturnType<typeof createReadings>;

export function createReadings(clock: Clock, first: Values) {
  let base: Values = { ...first };
  let script: { startedAt: number; steps: readonly Step[] } = { startedAt: 0, steps: [] };

  const isDue = ({ afterMs }: Step) => clock.now() >= script.startedAt + afterMs;
  const current = () => script.steps.filter(isDue).reduce((values, step) => withChanges(values, step.values), base);
  return {
    current,
    /** Sets values for good; a script that runs stays where it is and ends. */
    set(change: ValuesChange): void {
      base = withChanges(current(), change);
      script = { startedAt: 0, steps: [] };
    },
    /** Plays a script from now on, instead of another one. */
    play(steps: readonly Step[]): void {
      base = current();
      script = { startedAt: clock.now(), steps: steps.toSorted((a, b) => a.afterMs - b.afterMs) };
    },
    /** How many steps of the script are still to come. */
    stepsLeft: () => script.steps.filter((step) => !isDue(step)).length,
    reset(values: Values): void {
      base = { ...values };
      script = { startedAt: 0, steps: [] };
    },
  };
}

/**
 * A power cut of ten minutes, from the values before it: the battery goes down minute by minute, then the mains come
 * back and it charges over half an hour. Items that the unit does not show stay away.
 */
export function createOutage(before: Values): Step[] {
  const number = (value: Values[keyof Values], otherwise: number) => (typeof value === 'number' ? value : otherwise);
  const charge = number(before.BatteryCharge, 100);
  const runtime = number(before.RuntimeRemaining, 30);
  const voltage = number(before.VoltageDC, 13.7);
  const at = (left: number) => ({
    BatteryCharge: charge * left,
    RuntimeRemaining: Math.round(runtime * left),
    VoltageDC: voltage * (0.88 + 0.12 * left),
  });
  const cut = { DeviceStatus: 'battery', InputVoltage: 0, InputFrequency: 0 } as const;
  const back = { DeviceStatus: 'online', InputVoltage: before.InputVoltage, InputFrequency: before.InputFrequency };
  const draining = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((minute) => ({
    afterMs: minute * minuteMs,
    values: { ...cut, ...at(0.95 - 0.05 * minute) },
  }));
  const charging = [10, 15, 20, 25, 30, 35, 40].map((minute) => ({
    afterMs: minute * minuteMs,
    values: { ...back, ...at(0.5 + ((minute - 10) / 30) * 0.5) },
  }));
  return [...draining, ...charging].map(({ afterMs, values }) => ({ afterMs, values: pickShown(values, before) }));
}

function pickShown(values: ValuesChange, before: Values): ValuesChange {
  return Object.fromEntries(
    items.filter((item) => item in values && before[item] !== null).map((item) => [item, values[item]]),
  );
}
