// The report in words and figures: one to three sentences, and the rows of the comparison.
import type { Reply } from '../api/client.ts';
import { describeJudged } from '../parts/judged.ts';
import { describePeriod, range } from '../state/range.ts';
import { hrefTo, type Parameter } from '../state/url.ts';
import { number, percent } from '../text/format.ts';
import { words } from '../text/insights/words.ts';
import { text } from '../text/text.ts';

export type Facts = Reply<'GET /api/ai/facts'>;
type Coverage = Facts['coverage'];
type Filter = Readonly<Record<string, Parameter>>;

export interface Cell {
  shown: string;
  /** The URL of the connections that it counts; null when it is a share, not observed, or not judged. */
  to: string | null;
}

export interface Row {
  name: string;
  level?: 'danger' | 'warn';
  now: Cell;
  earlier: Cell;
  change: string;
}

/** Below this number, a percentage is left out. */
const fewest = 20;

/** The URL of the log of a period. The end of a period is exclusive here, inclusive in the log. */
export function periodLogHref({ from, to }: Facts['range'], filter: Filter = {}): string {
  return hrefTo('connections', { from, to: to - 1, ...filter });
}

const isWhole = ({ share, message }: Coverage) => share === 1 && message === null;
const isBlind = ({ share }: Coverage) => !share;
const isComparable = (facts: Facts) => isWhole(facts.coverage) && isWhole(facts.previousCoverage);

/** One to three sentences: the change, the threats, and the coverage. */
export function reportSentences(facts: Facts): string[] {
  return [describeAmount(facts), describeThreats(facts), describeDoubt(facts)].filter(Boolean);
}

function describeAmount(facts: Facts): string {
  const t = words.value;
  const now = facts.current.connections;
  const then = facts.previous.connections;
  if (now === 0 && isBlind(facts.coverage)) {
    return text.value.sentence.noRows;
  }
  return t.amount(describePeriod(range.value), now, number(now), describeAmountChange(facts, now, then));
}

function describeAmountChange({ coverage, previousCoverage }: Facts, now: number, then: number): string {
  if (isBlind(coverage) || isBlind(previousCoverage)) {
    return words.value.alone;
  }
  const { previous, previousSame } = text.value;
  return now === then ? previousSame : previous(formatDifference(now, then), now > then);
}

function describeThreats({ current: { connections, danger, warn }, ...facts }: Facts): string {
  const t = words.value;
  if (connections === 0) {
    return '';
  }
  const found =
    danger + warn > 0 ? t.listed(number(danger), number(warn)) : facts.judged === 'none' ? '' : t.noneListed;
  return [found, describeJudged(facts)].filter(Boolean).join(' ');
}

function describeDoubt(facts: Facts): string {
  const t = words.value;
  const { coverage, previousCoverage } = facts;
  if (isComparable(facts)) {
    return '';
  }
  if (isBlind(coverage)) {
    return t.blind;
  }
  return isBlind(previousCoverage) ? t.blindBefore : t.weak(formatShare(coverage), formatShare(previousCoverage));
}

export function comparisonRows(facts: Facts): Row[] {
  const t = words.value;
  const { current, previous, coverage, previousCoverage } = facts;
  const row = (name: string, key: keyof Facts['current'], filter?: Filter): Row => ({
    name,
    now: toCell(current[key], coverage, periodLogHref(facts.range, filter)),
    earlier: toCell(previous[key], previousCoverage, periodLogHref(facts.previousRange, filter)),
    change: describeChange(facts, current[key], previous[key]),
  });
  const level = (key: 'danger' | 'warn'): Row => {
    const name = text.value.levels[key];
    if (current[key] + previous[key] > 0) {
      return { ...row(name, key, { fThreat: key }), level: key };
    }
    const none = { shown: t.unjudged, to: null };
    return facts.judged === 'none' ? { name, now: none, earlier: none, change: '' } : row(name, key, { fThreat: key });
  };
  const share = (of: Coverage) => ({ shown: formatShare(of), to: null });
  const { connections, devices } = text.value.places;
  return [
    row(connections, 'connections'),
    row(devices, 'devices'),
    row(t.destinations, 'destinations'),
    level('danger'),
    level('warn'),
    { name: t.observed, now: share(coverage), earlier: share(previousCoverage), change: '' },
  ];
}

/** Without coverage, 0 is shown as "not observed". */
function toCell(count: number, coverage: Coverage, to: string): Cell {
  return count === 0 && isBlind(coverage)
    ? { shown: text.value.observedNothing, to: null }
    : { shown: number(count), to };
}

function formatShare(coverage: Coverage): string {
  const { share } = coverage;
  const shown = percent(share ?? 0);
  return share === 1 && !isWhole(coverage) ? words.value.inPart(shown) : shown;
}

function describeChange(facts: Facts, now: number, then: number): string {
  const t = words.value;
  if (isBlind(facts.coverage) || isBlind(facts.previousCoverage)) {
    return t.notComparable;
  }
  const change = now === then ? t.same : (now > then ? t.more : t.fewer)(formatDifference(now, then));
  return isComparable(facts) ? change : t.weakly(change);
}

function formatDifference(now: number, then: number): string {
  const difference = Math.abs(now - then);
  return then < fewest ? number(difference) : `${number(difference)} (${percent(difference / then)})`;
}
