// The contacts of a beacon: a timeline, and a histogram of the intervals.
import { toBins } from '../parts/bins.ts';
import { dateTime, duration, number } from '../text/format.ts';
import { text } from '../text/text.ts';

/** `at` in epoch milliseconds, oldest first; at least two. */
export function BeaconTimes({ at, isExact }: { at: readonly number[]; isExact: boolean }) {
  const t = text.value.alerts;
  const first = at[0] ?? 0;
  const last = at.at(-1) ?? 0;
  const span = Math.max(1, last - first);
  const bins = toBins(at.slice(1).map((one, index) => one - (at[index] ?? one)));
  const largest = Math.max(...bins.map(({ count }) => count));
  return (
    <>
      <figure class="hours">
        <figcaption>{t.contacts}</figcaption>
        <svg
          viewBox="0 0 1000 10"
          preserveAspectRatio="none"
          role="img"
          aria-label={t.contactsFromTo(number(at.length), dateTime(first), dateTime(last))}
        >
          {at.map((one) => (
            <rect key={one} class="value" x={(997 * (one - first)) / span} y={0} width={3} height={10} />
          ))}
        </svg>
        <p class="axis">
          <span>{dateTime(first)}</span>
          <span>{dateTime(last)}</span>
        </p>
      </figure>
      <table class="histogram">
        <caption>{t.betweenContacts}</caption>
        <thead>
          <tr>
            <th scope="col">{t.length}</th>
            <th scope="col">{t.howOften}</th>
          </tr>
        </thead>
        <tbody>
          {bins.map(({ fromMs, toMs, count }) => (
            <tr key={fromMs}>
              <th scope="row">{fromMs === toMs ? duration(fromMs) : t.fromTo(duration(fromMs), duration(toMs))}</th>
              <td>
                <span class="bar" style={{ width: `${(70 * count) / largest}%` }} /> {number(count)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="help">{isExact ? t.exactStarts : t.polledStarts}</p>
    </>
  );
}
