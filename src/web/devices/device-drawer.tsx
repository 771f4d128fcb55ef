// The details of one device: names, addresses, network cards, traffic, alerts, and decisions.
import { Drawer } from '../parts/drawer.tsx';
import { Fact, TimeFact } from '../parts/fact.tsx';
import { Note } from '../parts/note.tsx';
import { NoteEditor } from '../parts/note-editor.tsx';
import { isolateName, joinWithDots } from '../parts/outside.ts';
import { Time } from '../parts/time.tsx';
import { hrefWith, navigate } from '../state/url.ts';
import { text } from '../text/text.ts';
import { CountLinks, type Counts } from './counts.tsx';
import { Decisions } from './decisions.tsx';
import { DeviceActivity } from './device-activity.tsx';
import { type Device, deviceAddresses, deviceName } from './names.ts';

interface Props {
  id: string;
  devices: readonly Device[];
  counts: Counts | null;
  changed: () => void;
}

export function DeviceDrawer({ id, devices, counts, changed }: Props) {
  const t = text.value.devices;
  const device = devices.find(({ deviceId }) => deviceId === id);
  return (
    <Drawer label={t.drawer} close={() => navigate(hrefWith({ device: null }), 'replace')}>
      {device ? (
        <>
          <h2>
            <bdi>{deviceName(device)}</bdi>
          </h2>
          <Facts device={device} counts={counts} changed={changed} />
          <Decisions device={device} devices={devices} changed={changed} />
          <h3>{t.cards}</h3>
          <Interfaces device={device} />
          <DeviceActivity device={device} />
        </>
      ) : (
        <Note title={t.notHere} help={t.notHereHelp} />
      )}
    </Drawer>
  );
}

function Facts({ device, counts, changed }: Omit<Props, 'id' | 'devices'> & { device: Device }) {
  const t = text.value.devices;
  const { dnsName, mdnsName, netbiosName, status, firstSeen, lastSeen, sourceList } = device;
  const names = [...new Set([dnsName, mdnsName, netbiosName])].filter((name) => name !== null);
  const addresses = deviceAddresses(device);
  return (
    <dl>
      <Fact name={t.name}>{names.map(isolateName).join(', ') || t.unnamed}</Fact>
      <Fact name={t.addresses}>
        {addresses.map((address) => (
          <div key={address}>{address}</div>
        ))}
        {addresses.length === 0 ? '—' : null}
      </Fact>
      <Fact name={t.status}>{t.statuses[status]}</Fact>
      <TimeFact name={t.firstSeen} at={firstSeen} />
      <TimeFact name={t.lastSeen} at={lastSeen} />
      <Fact name={t.seenBy}>{sourceList.map((source) => t.sources[source]).join(', ')}</Fact>
      <Fact name={t.connections}>
        <CountLinks addresses={addresses} counts={counts} />
      </Fact>
      <Fact name={t.note}>
        <NoteEditor device={device} name={deviceName(device)} saved={changed} />
      </Fact>
    </dl>
  );
}

function Interfaces({ device: { interfaces } }: { device: Device }) {
  const t = text.value.devices;
  return (
    <ul class="rows">
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
