// The hours in which a connection was seen, as a strip.
import type { Reply } from '../api/client.ts';
import { dateTime, number } from '../text/format.ts';
import { text } from '../text/text.ts';

const hourMs = 3_600_000;
/** Hours of the strip: a week. */
const most = 168;

export function Hours({ detail: { hours } }: { detail: Reply<'GET /api/connections/:id'> }) {
  const t = text.value.detail;
  const last = hours.at(-1);
  if (last === undefined) {
    return null;
  }
  const first = Math.max(hours[0]?.hour ?? last.hour, last.hour - (most - 1) * hourMs);
  const count = (last.hour - first) / hourMs + 1;
  const highest = Math.max(1, ...hours.map(({ observations }) => observations));
  return (
    <figure class="hours">
      <figcaption>{t.hoursText(hours.length, number(hours.length))}</figcaption>
      <svg
        viewBox={`0 0 ${count} 10`}
        preserveAspectRatio="none"
        role="img"
        aria-label={t.hoursText(hours.length, number(hours.length))}
      >
        {hours
          .filter(({ hour }) => hour >= first)
          .map(({ hour, observations }) => {
            const tall = Math.max(1, (observations / highest) * 10);
            return (
              <rect key={hour} class="value" x={(hour - first) / hourMs} y={10 - tall} width={0.8} height={tall}>
                <title>{`${dateTime(hour)}: ${number(observations)}`}</title>
              </rect>
            );
          })}
      </svg>
      <p class="axis">
        <span>{dateTime(first)}</span>
        <span>{dateTime(last.hour + hourMs)}</span>
      </p>
    </figure>
  );
}
