// Log lines for people: time, level, message and fields on one line; at level error the stack below.
import { isoTime } from '../time/clock.ts';
import { visibleText } from './visible-text.ts';

const names: Readonly<Record<number, string>> = { 20: 'debug', 30: 'info', 40: 'warn', 50: 'error' };
const errorLevel = 50;
const maxChars = 4000;
/** Fields that the line shows in places of their own. */
const own: ReadonlySet<string> = new Set(['level', 'time', 'msg', 'program']);

interface Line extends Record<string, unknown> {
  level: number;
  /** Epoch milliseconds. */
  time: number;
  msg?: string;
}

/** The text of one JSON line of pino, with its line end. Nothing in it can steer a terminal. */
export function terminalLine(json: string): string {
  const line = JSON.parse(json) as Line;
  const stack = line.level >= errorLevel ? stackOf(line.err) : null;
  const fields = Object.entries(line)
    .filter(([name]) => !own.has(name) && !(name === 'err' && stack !== null))
    .map(([name, value]) => `${name}=${valueText(value)}`);
  const time = isoTime(line.time).replace('T', ' ').replace(/\.\d+/, '');
  const level = (names[line.level] ?? String(line.level)).padEnd(5);
  const first = visibleText(
    `${time} ${level} ${line.msg ?? ''}${fields.length > 0 ? `  ${fields.join(' ')}` : ''}`,
    maxChars,
  );
  const below = (stack ?? []).map((text) => `    ${visibleText(text, maxChars)}`);
  return `${[first, ...below].join('\n')}\n`;
}

function stackOf(error: unknown): string[] | null {
  const stack = typeof error === 'object' && error !== null && 'stack' in error ? error.stack : null;
  return typeof stack === 'string' ? stack.split('\n') : null;
}

function valueText(value: unknown): string {
  if (typeof value === 'object' && value !== null && 'message' in value) {
    return valueText(value.message);
  }
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return typeof value === 'string' && /[\s"=]/.test(text) ? JSON.stringify(text) : text;
}
