// The table of devices; on a phone each row is a card.
import { Link } from '../parts/link.tsx';
import { NoteEditor } from '../parts/note-editor.tsx';
import { isolateName } from '../parts/outside.ts';
import { openOnClick } from '../parts/row-click.ts';
import { Strip } from '../parts/strip.tsx';
import { Time } from '../parts/time.tsx';
import { deviceHref } from '../state/range.ts';
import { navigate } from '../state/url.ts';
import { words } from '../text/device/words.ts';
import { number } from '../text/format.ts';
import { text } from '../text/text.ts';
import type { Activity } from './activity.ts';
import { CountLinks, type Counts } from './counts.tsx';
import { type Device, deviceAddresses, deviceName } from './names.ts';

interface Props {
  devices: readonly Device[];
  /** Connections by address; null until the summary has loaded. */
  counts: Counts | null;
  /** Connections over the period; null until they have loaded. */
  activity: Activity | null;
  /** Name of the period of the counts. */
  period: string;
  isDimmed: boolean;
  changed: () => void;
}

export function DeviceTable({ devices, period, isDimmed, ...shared }: Props) {
  const t = text.value.devices;
  const heads = [
    t.name,
    t.addresses,
    t.maker,
    t.status,
    t.firstSeen,
    t.lastSeen,
    t.connections,
    words.value.activity,
    t.note,
  ];
  return (
    <table class={`card list ${isDimmed ? 'dimmed' : ''}`} aria-label={text.value.places.devices}>
      <thead>
        <tr>
          {heads.map((head) => (
            <th key={head} scope="col">
              {head}
              {head === t.connections ? <small> {period}</small> : null}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {devices.map((device) => (
          <Row key={device.deviceId} device={device} {...shared} />
        ))}
      </tbody>
    </table>
  );
}

interface RowProps extends Pick<Props, 'counts' | 'activity' | 'changed'> {
  device: Device;
}

function Row({ device, counts, activity, changed }: RowProps) {
  const t = text.value.devices;
  const { deviceId, vendor, interfaces, status, firstSeen, lastSeen } = device;
  const [address, ...others] = deviceAddresses(device);
  const kind = interfaces[0]?.kind;
  return (
    <tr {...openOnClick(() => navigate(deviceHref(deviceId)))}>
      <th scope="row">
        <Link to={deviceHref(deviceId)}>{deviceName(device)}</Link>
      </th>
      <td data-label={t.addresses}>
        <span>
          <span class="plain">{address ?? '—'}</span>{' '}
          {others.length === 0 ? null : <small class="plain">{t.moreAddresses(number(others.length))}</small>}
        </span>
      </td>
      <td data-label={t.maker}>
        <span>
          <bdi>{kind === 'private' ? t.macKinds.private : (vendor ?? '—')}</bdi>{' '}
          {kind === undefined || kind === 'stable' || kind === 'private' ? null : <small>{t.macKinds[kind]}</small>}
        </span>
      </td>
      <td data-label={t.status} class="plain">
        {t.statuses[status]}
      </td>
      <td data-label={t.firstSeen}>
        <Time at={firstSeen} />
      </td>
      <td data-label={t.lastSeen}>
        <Time at={lastSeen} />
      </td>
      <td data-label={t.connections} class="figure">
        <CountLinks addresses={deviceAddresses(device)} counts={counts} />
      </td>
      <td data-label={words.value.activity} class="activity">
        {activity ? <Bars device={device} activity={activity} /> : <span class="strip">…</span>}
      </td>
      <td data-label={t.note}>
        <NoteEditor device={device} name={deviceName(device)} saved={changed} />
      </td>
    </tr>
  );
}

function Bars({ device, activity: { from, to, observed, of } }: { device: Device; activity: Activity }) {
  const counts = deviceAddresses(device)
    .map(of)
    .reduce(
      (sum, one) => sum.map((count, part) => count + (one[part] ?? 0)),
      observed.map(() => 0),
    );
  const label = words.value.activityOf(isolateName(deviceName(device)));
  return <Strip label={label} counts={counts} observed={observed} from={from} to={to} />;
}
