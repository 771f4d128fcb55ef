// Who a device is: names, addresses, network cards, times, note, and decisions about it.
import { Card } from '../parts/card.tsx';
import { Fact, TimeFact } from '../parts/fact.tsx';
import { Link } from '../parts/link.tsx';
import { NoteEditor } from '../parts/note-editor.tsx';
import { joinWithDots } from '../parts/outside.ts';
import { Time } from '../parts/time.tsx';
import { exactLogHref } from '../state/range.ts';
import { words } from '../text/device/words.ts';
import { joinWords, maker } from '../text/format.ts';
import { text } from '../text/text.ts';
import { Decisions } from './decisions.tsx';
import { type Device, deviceAddresses, deviceName } from './names.ts';

interface Props {
  device: Device;
  /** Archived ones too. */
  devices: readonly Device[];
  changed: () => void;
}

const nameKinds = ['dnsName', 'mdnsName', 'netbiosName'] as const;

export function DeviceFacts({ device, devices, changed }: Props) {
  const t = text.value.devices;
  const w = words.value;
  const { vendor, status, firstSeen, lastSeen, sourceList } = device;
  const names = nameKinds.filter((kind) => device[kind] !== null);
  const addresses = deviceAddresses(device);
  return (
    <Card title={w.who}>
      <dl>
        {names.map((kind) => (
          <Fact key={kind} name={t.name} source={w.names[kind]}>
            {device[kind]}
          </Fact>
        ))}
        {names.length === 0 ? <Fact name={t.name}>{t.unnamed}</Fact> : null}
        <Fact name={t.addresses}>
          {addresses.map((address) => (
            <div key={address}>
              <Link to={exactLogHref({ fSrc: address })}>{address}</Link>
            </div>
          ))}
          {addresses.length === 0 ? '—' : null}
        </Fact>
        <Fact name={t.maker}>{maker(vendor) ?? '—'}</Fact>
        <Fact name={t.status}>{t.statuses[status]}</Fact>
        <TimeFact name={t.firstSeen} at={firstSeen} />
        <TimeFact name={t.lastSeen} at={lastSeen} />
        <Fact name={t.seenBy}>{joinWords(sourceList.map((source) => t.sources[source]))}</Fact>
        <Fact name={t.note}>
          <NoteEditor device={device} name={deviceName(device)} saved={changed} />
        </Fact>
      </dl>
      <Decisions device={device} devices={devices} changed={changed} />
      <h3>{t.cards}</h3>
      <Interfaces device={device} />
    </Card>
  );
}

function Interfaces({ device: { interfaces } }: { device: Device }) {
  const t = text.value.devices;
  return (
    <ul class="rows cards">
      {interfaces.length === 0 ? <li class="empty">{t.noCards}</li> : null}
      {interfaces.map(({ mac, kind, vendor, firstSeen, lastSeen, wifi }) => (
        <li key={mac}>
          <span>
            {mac} <small>{joinWithDots([kind === 'private' ? null : vendor, t.macKinds[kind]])}</small>
            {wifi === null ? null : (
              <small>
                {joinWithDots([
                  wifi.node,
                  wifi.band && `${wifi.band} GHz`,
                  wifi.signal !== null && `${wifi.signal} dBm`,
                ])}
              </small>
            )}
          </span>
          <span class="span">
            <Time at={firstSeen} /> – <Time at={lastSeen} />
          </span>
        </li>
      ))}
    </ul>
  );
}
