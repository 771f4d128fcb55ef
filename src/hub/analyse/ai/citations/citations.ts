// What an answer states, compared with the facts that were sent: each address, host name and number of it.
import type { AiCitation } from '#contract/ai-records.ts';
import { canonicalIp } from '#kernel/net/address.ts';
import { dayMs, hourMs, minuteMs } from '#kernel/time/time.ts';
import type { Context } from '../../insights/context-shape.ts';
import { collectKnown, type Known } from './known.ts';
import { scanText, type TextToken, type Token } from './scan.ts';
import type { NumberToken, NumberUnit } from './scan-numbers.ts';

/** More are not compared: a text that states so much is no answer. */
const most = 1000;

/**
 * In the order of the text. Verified is what the facts hold, and of numbers also what follows from two of them; that a number
 * is in the facts does not say that the sentence around it is true.
 */
export function findCitations(text: string, context: Context): AiCitation[] {
  const known = collectKnown(context);
  const tokens = scanText(text, known.names).slice(0, most);
  return tokens
    .flatMap((token) => compareToken(token, known))
    .map(({ kind, start, end, verified }) => ({ kind, text: text.slice(start, end), start, end, verified }));
}

type Compared = Omit<AiCitation, 'text'>;

function compareToken(token: Token, known: Known): Compared[] {
  if (token.kind !== 'number') {
    return [{ kind: token.kind, start: token.start, end: token.end, verified: isKnownText(token, known) }];
  }
  if (token.isLabel) {
    return [];
  }
  const whole = isKnownNumber(token, known);
  const isSplit = !whole && token.parts.length > 0 && token.parts.every((part) => isKnownNumber(part, known));
  return (isSplit ? token.parts : [token]).map(({ start, end }) => ({
    kind: 'number',
    start,
    end,
    verified: whole || isSplit,
  }));
}

function isKnownText({ kind, value }: TextToken, { addresses, hosts, names }: Known): boolean {
  if (value === null) {
    return false;
  }
  return kind === 'address' ? addresses.has(canonicalIp(value) ?? value) : hosts.has(value) || names.includes(value);
}

type Measured = Pick<NumberToken, 'value' | 'within' | 'unit'>;

const unitMs: Partial<Record<NumberUnit, number>> = {
  ms: 1,
  second: 1000,
  minute: minuteMs,
  hour: hourMs,
  day: dayMs,
  week: 7 * dayMs,
};

function isKnownNumber({ value, within, unit }: Measured, known: Known): boolean {
  // What is written without a fraction may have been rounded to it.
  const rounded = within === 0 ? 0.5 : within;
  const isNear = (exact: number, by: number) => Math.abs(exact - value) <= by + 1e-9 * exact;
  const ms = unitMs[unit];
  return (
    known.numbers.has(value) ||
    known.fractions.some((exact) => isNear(exact, rounded)) ||
    (within > 0 && [...known.numbers].some((exact) => !isFiner(exact, within) && isNear(exact, within))) ||
    (unit === 'percent' && known.percents.some((exact) => isNear(exact, rounded))) ||
    (unit === 'times' && known.ratios.some((exact) => isNear(exact, rounded))) ||
    (ms !== undefined && known.durations.some((exact) => isNear(exact / ms, Math.max(within, 0.02 * (exact / ms)))))
  );
}

/** A small number is not what "1.2k" rounds. */
function isFiner(exact: number, within: number): boolean {
  return exact < within * 2;
}
