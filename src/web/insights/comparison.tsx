// Both periods side by side: each number opens the log of its period with exactly what it counts.
import type { ComponentChild } from 'preact';
import { Card } from '../parts/card.tsx';
import { Level } from '../parts/level.tsx';
import { Link } from '../parts/link.tsx';
import { dateTime } from '../text/format.ts';
import { words } from '../text/insights/words.ts';
import { text } from '../text/text.ts';
import { type Cell, comparisonRows, type Facts } from './report.ts';

export function Comparison({ facts, isDimmed }: { facts: Facts; isDimmed: boolean }) {
  const t = words.value;
  const heading = (name: string, { from, to }: Facts['range']) => (
    <th scope="col">
      {name} <small>{text.value.rangeOwn(dateTime(from), dateTime(to))}</small>
    </th>
  );
  return (
    <Card title={t.comparison} kind="wide" isDimmed={isDimmed}>
      <table class="comparison">
        <thead>
          <tr>
            <td />
            {heading(t.now, facts.range)}
            {heading(t.earlier, facts.previousRange)}
            <th scope="col">{t.change}</th>
          </tr>
        </thead>
        <tbody>
          {comparisonRows(facts).map(({ name, level, now, earlier, change }) => (
            <tr key={name}>
              <th scope="row">{level ? <Level level={level} /> : name}</th>
              <td>{count(now, `${name}, ${t.now}`)}</td>
              <td>{count(earlier, `${name}, ${t.earlier}`)}</td>
              <td>{change}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  );
}

/** `of`: what is counted, for screen readers that read only the link. */
function count({ shown, to }: Cell, of: string): ComponentChild {
  return to === null ? (
    shown
  ) : (
    <Link to={to} aria-label={`${shown} ${of}`}>
      {shown}
    </Link>
  );
}
