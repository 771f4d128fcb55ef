// The last 14 days of a device: a row for each day, a bar for each hour, and what is new.
import { ask } from '../api/client.ts';
import { calendar, now } from '../clock.ts';
import { Card } from '../parts/card.tsx';
import { Link } from '../parts/link.tsx';
import { Failure } from '../parts/note.tsx';
import { Strip } from '../parts/strip.tsx';
import { useLoaded } from '../state/loaded.ts';
import { observedShares } from '../state/observed.ts';
import { exactLogHref } from '../state/range.ts';
import { words } from '../text/device/words.ts';
import { day, number } from '../text/format.ts';
import { text } from '../text/text.ts';
import { DeviceNews } from './device-news.tsx';
import type { Device } from './names.ts';
import { loadTraffic, type Traffic } from './traffic.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const days = 14;
/** The API has at most 240 parts, so that the hours come in two weeks. */
const weekHours = 168;

interface Props {
  device: Device;
  addresses: readonly string[];
}

interface Hours {
  from: number;
  counts: readonly number[];
  observed: readonly (number | null)[];
  /** The counts of days, and the destinations of all of them. */
  whole: Traffic;
}

/** The local midnight with which the first of the days begins. */
function firstMidnight(): number {
  const today = calendar(now());
  today.setHours(0, 0, 0, 0);
  return today.getTime() - (days - 1) * dayMs;
}

async function loadHours(addresses: readonly string[], from: number, stop: AbortSignal): Promise<Hours> {
  const loadWeek = async (start: number) => {
    const end = start + weekHours * hourMs - 1;
    const query = { from: String(start), to: String(end), buckets: String(weekHours) };
    const [{ byBucket }, coverage] = await Promise.all([
      loadTraffic(addresses, { from: start, to: end, buckets: weekHours }, stop),
      ask('GET /api/coverage', { query }, stop),
    ]);
    return { byBucket, observed: observedShares(coverage, weekHours) };
  };
  const [before, last, whole] = await Promise.all([
    loadWeek(from),
    loadWeek(from + weekHours * hourMs),
    loadTraffic(addresses, { from, to: from + days * dayMs - 1, buckets: days }, stop),
  ]);
  const observed = [...before.observed, ...last.observed];
  return {
    from,
    counts: [...before.byBucket, ...last.byBucket],
    observed: observed.map((share, hour) => (from + hour * hourMs > now() ? null : share)),
    whole,
  };
}

export function DeviceDays({ device, addresses }: Props) {
  const w = words.value;
  const from = firstMidnight();
  const { value, error, reload, isLoading } = useLoaded(`${addresses} ${Math.floor(now() / hourMs)}`, (stop) =>
    loadHours(addresses, from, stop),
  );
  return (
    <>
      <Card title={w.days} isDimmed={isLoading && value !== null}>
        <Failure error={error} reload={reload} />
        {value === null && error === null ? <p class="empty">{text.value.loading}</p> : null}
        {value ? <Days addresses={addresses} hours={value} /> : null}
      </Card>
      {value ? <DeviceNews device={device} addresses={addresses} traffic={value.whole} from={value.from} /> : null}
    </>
  );
}

function Days({
  addresses,
  hours: { from, counts, observed, whole },
}: {
  addresses: Props['addresses'];
  hours: Hours;
}) {
  const w = words.value;
  const most = Math.max(1, ...counts);
  const isUnseen = counts.some((count, hour) => count === 0 && observed[hour] === 0);
  return (
    <>
      <table class="days">
        <thead class="spoken">
          <tr>
            {[w.day, w.hours, text.value.devices.connections].map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {whole.byBucket.map((count, index) => {
            const start = from + index * dayMs;
            const part = [index * 24, (index + 1) * 24] as const;
            const period = { from: start, to: start + dayMs - 1 };
            return (
              <tr key={start}>
                <th scope="row">{day(start)}</th>
                <td>
                  <Strip
                    label={w.ofDay(day(start))}
                    counts={counts.slice(...part)}
                    observed={observed.slice(...part)}
                    from={start}
                    to={start + dayMs}
                    most={most}
                  />
                </td>
                <td class="figure">
                  <Link
                    to={exactLogHref({ fSrc: addresses }, period)}
                    aria-label={w.onDay(count, number(count), day(start))}
                  >
                    {number(count)}
                  </Link>
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
      <p class="empty">
        {w.daysHelp} {isUnseen ? text.value.dashed : null}
      </p>
    </>
  );
}
