// The report in words and figures: one to three sentences, and the rows of the comparison.
import type { Reply } from '../api/client.ts';
import { range } from '../state/range.ts';
import { addressIn, type Parameter } from '../state/url.ts';
import { dateTime, number, percent } from '../text/format.ts';
import { words } from '../text/insights/words.ts';
import { text } from '../text/text.ts';

export type Facts = Reply<'GET /api/ai/facts'>;
type Coverage = Facts['coverage'];
type Filter = Readonly<Record<string, Parameter>>;

export interface Cell {
  shown: string;
  /** Where exactly what it counts is shown; null: it counts nothing. */
  to: string | null;
}

export interface Row {
  name: string;
  level?: 'danger' | 'warn';
  now: Cell;
  earlier: Cell;
  change: string;
}

/** Below this a share says less than the difference. */
const fewest = 20;

/** The log of a period of the facts, whose end is not part of it. */
export function logIn({ from, to }: Facts['range'], filter: Filter = {}): string {
  return addressIn('connections', { from, to: to - 1, ...filter });
}

const isWhole = ({ share, message }: Coverage) => share === 1 && message === null;
const isBlind = ({ share }: Coverage) => !share;
const isComparable = (facts: Facts) => isWhole(facts.coverage) && isWhole(facts.previousCoverage);

/** What changed, what is listed, how far both are known. */
export function sentencesOf(facts: Facts): string[] {
  return [amount(facts), threats(facts), doubt(facts)].filter(Boolean);
}

function amount(facts: Facts): string {
  const t = words.value;
  const { name, from, to } = range.value;
  const [now, then] = [facts.current.connections, facts.previous.connections];
  if (now === 0 && isBlind(facts.coverage)) {
    return text.value.sentence.noRows;
  }
  const period = name === null ? text.value.rangeOwn(dateTime(from), dateTime(to)) : text.value.periodNames[name];
  return t.amount(period, now, number(now), amountChange(facts, now, then));
}

function amountChange({ coverage, previousCoverage }: Facts, now: number, then: number): string {
  if (isBlind(coverage) || isBlind(previousCoverage)) {
    return words.value.alone;
  }
  const { previous, previousSame } = text.value;
  return now === then ? previousSame : previous(apart(now, then), now > then);
}

function threats({ current: { connections, danger, warn }, judged, judgedWhy }: Facts): string {
  const t = words.value;
  if (connections === 0) {
    return '';
  }
  const found = danger + warn > 0 ? t.listed(number(danger), number(warn)) : judged === 'none' ? '' : t.noneListed;
  return [found, text.value.judged[judged], judgedWhy && `${judgedWhy.message}.`].filter(Boolean).join(' ');
}

function doubt(facts: Facts): string {
  const t = words.value;
  const { coverage, previousCoverage } = facts;
  if (isComparable(facts)) {
    return '';
  }
  if (isBlind(coverage)) {
    return t.blind;
  }
  return isBlind(previousCoverage) ? t.blindBefore : t.weak(shareOf(coverage), shareOf(previousCoverage));
}

export function rowsOf(facts: Facts): Row[] {
  const t = words.value;
  const { current, previous, coverage, previousCoverage } = facts;
  const row = (name: string, key: keyof Facts['current'], filter?: Filter): Row => ({
    name,
    now: cellOf(current[key], coverage, logIn(facts.range, filter)),
    earlier: cellOf(previous[key], previousCoverage, logIn(facts.previousRange, filter)),
    change: changeOf(facts, current[key], previous[key]),
  });
  const level = (key: 'danger' | 'warn'): Row => {
    const name = text.value.levels[key];
    if (current[key] + previous[key] > 0) {
      return { ...row(name, key, { fThreat: key }), level: key };
    }
    const none = { shown: t.unjudged, to: null };
    return facts.judged === 'none' ? { name, now: none, earlier: none, change: '' } : row(name, key, { fThreat: key });
  };
  const share = (of: Coverage) => ({ shown: shareOf(of), to: null });
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

/** Nothing is no number where nobody looked. */
function cellOf(count: number, coverage: Coverage, to: string): Cell {
  return count === 0 && isBlind(coverage)
    ? { shown: text.value.observedNothing, to: null }
    : { shown: number(count), to };
}

function shareOf(coverage: Coverage): string {
  const { share } = coverage;
  const shown = percent(share ?? 0);
  return share === 1 && !isWhole(coverage) ? words.value.inPart(shown) : shown;
}

function changeOf(facts: Facts, now: number, then: number): string {
  const t = words.value;
  if (isBlind(facts.coverage) || isBlind(facts.previousCoverage)) {
    return t.notComparable;
  }
  const change = now === then ? t.same : (now > then ? t.more : t.fewer)(apart(now, then));
  return isComparable(facts) ? change : t.weakly(change);
}

function apart(now: number, then: number): string {
  const difference = Math.abs(now - then);
  return then < fewest ? number(difference) : `${number(difference)} (${percent(difference / then)})`;
}
