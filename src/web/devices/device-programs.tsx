// The programs of a device that Agents have named, and the destinations of each.
import { Card } from '../parts/card.tsx';
import { Link } from '../parts/link.tsx';
import { Failure } from '../parts/note.tsx';
import { dot } from '../parts/outside.ts';
import { Time } from '../parts/time.tsx';
import { useAsked } from '../state/loaded.ts';
import { exactLogHref, rangeParameters, rangeQuery } from '../state/range.ts';
import { words } from '../text/device/words.ts';
import { number } from '../text/format.ts';
import { text } from '../text/text.ts';
import type { Device } from './names.ts';

/** Rows of one request, newest first. */
const most = 1000;

export function DevicePrograms({ device: { deviceId, sourceList } }: { device: Device }) {
  const w = words.value;
  const query = { ...rangeQuery.value, fDevice: [deviceId], limit: String(most) };
  const { value, error, reload, isLoading } = useAsked('GET /api/connections', { query });
  const programs = Map.groupBy(value?.connections ?? [], ({ process }) => process);
  programs.delete(null);
  return (
    <Card title={w.programs} isDimmed={isLoading && value !== null}>
      <Failure error={error} reload={reload} />
      {value === null && error === null ? <p class="empty">{text.value.loading}</p> : null}
      {value && programs.size === 0 ? (
        <p class="empty">{sourceList.includes('agent') ? w.noPrograms : w.noAgent}</p>
      ) : null}
      <ul class="programs">
        {[...programs].map(([name, rows]) => {
          const names = new Map(rows.map(({ dst, dstHost }) => [dst, dstHost ?? dst]));
          return (
            <li key={name}>
              <details>
                <summary>
                  <bdi>{name}</bdi>{' '}
                  <small>
                    {w.contacted(names.size, number(names.size))}
                    {dot}
                    <Time at={rows[0]?.lastSeen ?? 0} />
                  </small>
                </summary>
                <ul>
                  {[...names].map(([dst, host]) => (
                    <li key={dst}>
                      <Link to={exactLogHref({ fDst: dst }, { ...rangeParameters.value, fDevice: deviceId })}>
                        {host}
                      </Link>
                    </li>
                  ))}
                </ul>
              </details>
            </li>
          );
        })}
      </ul>
      {value && value.total > most ? <p class="empty">{w.programsHelp(number(most))}</p> : null}
    </Card>
  );
}
