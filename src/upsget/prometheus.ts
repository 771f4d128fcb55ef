// Formats values in the Prometheus text format (version 0.0.4), in base units, with the status as a state set.
import { parseNumber, type Reading, type Unit } from './items.ts';
import { states, toStates } from './state.ts';

const families: Readonly<Record<string, string>> = {
  load: 'ups_load_ratio',
  runtime: 'ups_runtime_seconds',
  voltage: 'ups_input_voltage_volts',
  battery: 'ups_battery_charge_ratio',
  batteryvoltage: 'ups_battery_voltage_volts',
  temperature: 'ups_temperature_celsius',
  apparentload: 'ups_apparent_load_ratio',
  current: 'ups_load_current_amperes',
  outputvoltage: 'ups_output_voltage_volts',
  inputfrequency: 'ups_input_frequency_hertz',
  outputfrequency: 'ups_output_frequency_hertz',
};

/** Omits values that are not numeric. The label `ups` distinguishes several UPSs. */
export function formatPrometheus(readings: readonly Reading[], ups: string): string {
  const label = `ups="${escapeLabel(ups)}"`;
  const lines: string[] = [];
  const found = toStates(readings);
  const status = readings.find(({ item }) => item.name === 'status');
  if (status) {
    lines.push('# HELP ups_status Whether the UPS is in this state.', '# TYPE ups_status gauge');
    lines.push(...states.map((state) => `ups_status{${label},status="${state}"} ${found.includes(state) ? 1 : 0}`));
    lines.push('# HELP ups_info The status in the words of the UPS.', '# TYPE ups_info gauge');
    lines.push(`ups_info{${label},status="${escapeLabel(status.text)}"} 1`);
  }
  for (const reading of readings) {
    const family = families[reading.item.name];
    const number = parseNumber(reading);
    if (family !== undefined && number !== null) {
      lines.push(`# HELP ${family} ${reading.item.label}.`, `# TYPE ${family} gauge`);
      lines.push(`${family}{${label}} ${toBaseUnit(number, reading.item.unit)}`);
    }
  }
  return `${lines.join('\n')}\n`;
}

function toBaseUnit(value: number, unit: Unit): number {
  switch (unit) {
    case '%':
      // Rounds floating-point noise: 0.07, not 0.07000000000000001.
      return Number((value / 100).toPrecision(12));
    case 'min':
      return value * 60;
    default:
      return value;
  }
}

function escapeLabel(text: string): string {
  return text.replace(/[\\"\n]/g, (one) => (one === '\n' ? '\\n' : `\\${one}`));
}
