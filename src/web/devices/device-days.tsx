// The last 14 days of a device: a row for each day, a bar for each hour, and what is new.
import { ask } from '../api/client.ts';
import { now } from '../clock.ts';
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
import { type EqualDays, groupEqualDays, listMidnights } from './local-days.ts';
import type { Device } from './names.ts';
import { loadTraffic } from './traffic.ts';

const hourMs = 3_600_000;

interface Props {
  device: Device;
  addresses: readonly string[];
}

/** One day of the calendar: `from` and `to` are its midnights, in epoch milliseconds. */
interface Day {
  from: number;
  to: number;
  connections: number;
  hours: readonly number[];
  /** For each hour the share that was observed; null when it lies ahead. */
  observed: readonly (number | null)[];
}

/** A connection can last from hour to hour: those of a day are fewer than those of its hours together. */
async function loadDays(addresses: readonly string[], group: EqualDays, stop: AbortSignal): Promise<Day[]> {
  const { from, to, days, hoursOfDay } = group;
  const hours = days * hoursOfDay;
  const period = { from, to: to - 1 };
  const query = { from: String(from), to: String(to - 1), buckets: String(hours) };
  const [byHour, byDay, coverage] = await Promise.all([
    loadTraffic(addresses, { ...period, buckets: hours }, stop),
    loadTraffic(addresses, { ...period, buckets: days }, stop),
    ask('GET /api/coverage', { query }, stop),
  ]);
  const hourLength = (to - from) / hours;
  const observed = observedShares(coverage, hours).map((share, hour) =>
    from + hour * hourLength > now() ? null : share,
  );
  return byDay.byBucket.map((connections, index) => {
    const part = [index * hoursOfDay, (index + 1) * hoursOfDay] as const;
    return {
      from: from + part[0] * hourLength,
      to: from + part[1] * hourLength,
      connections,
      hours: byHour.byBucket.slice(...part),
      observed: observed.slice(...part),
    };
  });
}

export function DeviceDays({ device, addresses }: Props) {
  const w = words.value;
  const { value, error, reload, isLoading } = useLoaded(`${addresses} ${Math.floor(now() / hourMs)}`, async (stop) => {
    const midnights = listMidnights(now(), 14);
    const period = { from: Number(midnights.at(0)), to: Number(midnights.at(-1)) - 1 };
    const [groups, traffic] = await Promise.all([
      Promise.all(groupEqualDays(midnights).map((group) => loadDays(addresses, group, stop))),
      loadTraffic(addresses, { ...period, buckets: 1 }, stop),
    ]);
    return { days: groups.flat(), traffic, midnights };
  });
  return (
    <>
      <Card title={w.days} isDimmed={isLoading && value !== null}>
        <Failure error={error} reload={reload} />
        {value === null && error === null ? <p class="empty">{text.value.loading}</p> : null}
        {value ? <Days addresses={addresses} days={value.days} /> : null}
      </Card>
      {value ? (
        <DeviceNews device={device} addresses={addresses} traffic={value.traffic} midnights={value.midnights} />
      ) : null}
    </>
  );
}

function Days({ addresses, days }: { addresses: Props['addresses']; days: readonly Day[] }) {
  const w = words.value;
  const most = Math.max(1, ...days.flatMap(({ hours }) => hours));
  const isUnseen = days.some(({ hours, observed }) => hours.some((count, hour) => count === 0 && observed[hour] === 0));
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
          {days.map(({ from, to, connections, hours, observed }) => (
            <tr key={from}>
              <th scope="row">{day(from)}</th>
              <td>
                <Strip label={w.ofDay(day(from))} counts={hours} observed={observed} from={from} to={to} most={most} />
              </td>
              <td class="figure">
                <Link
                  to={exactLogHref({ fSrc: addresses }, { from, to: to - 1 })}
                  aria-label={w.onDay(connections, number(connections), day(from))}
                >
                  {number(connections)}
                </Link>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="empty">
        {w.daysHelp} {isUnseen ? text.value.dashed : null}
      </p>
    </>
  );
}
