// Formats values with the variable names of Network UPS Tools (NUT), as `upsc` prints them.
import { parseNumber, type Reading } from './items.ts';
import { type State, toStates } from './state.ts';

const variables: Readonly<Record<string, string>> = {
  load: 'ups.load',
  runtime: 'battery.runtime',
  voltage: 'input.voltage',
  battery: 'battery.charge',
  batteryvoltage: 'battery.voltage',
  temperature: 'ups.temperature',
  current: 'output.current',
  outputvoltage: 'output.voltage',
  inputfrequency: 'input.frequency',
  outputfrequency: 'output.frequency',
};

const flags: Readonly<Record<State, string | null>> = {
  online: 'OL',
  on_battery: 'OB',
  boost: 'BOOST',
  trim: 'TRIM',
  other: null,
};

/** One `name: value` per line, sorted; runtime in seconds. Omits values that are not numeric or not a NUT status. */
export function formatNut(readings: readonly Reading[]): string {
  const status = toStates(readings).flatMap((state) => flags[state] ?? []);
  const numbers = readings.flatMap((reading) => {
    const variable = variables[reading.item.name];
    const number = parseNumber(reading);
    return variable === undefined || number === null
      ? []
      : [`${variable}: ${reading.item.unit === 'min' ? number * 60 : number}`];
  });
  const lines = [...numbers, ...(status.length > 0 ? [`ups.status: ${status.join(' ')}`] : [])];
  return lines
    .sort()
    .map((line) => `${line}\n`)
    .join('');
}
