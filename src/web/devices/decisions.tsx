// Archives or restores a device, or undoes its merge.
import { ask } from '../api/client.ts';
import { Confirm } from '../parts/confirm.tsx';
import { Link } from '../parts/link.tsx';
import { isolateName } from '../parts/outside.ts';
import { Permitted } from '../parts/permitted.tsx';
import { deviceHref } from '../state/range.ts';
import { text } from '../text/text.ts';
import { type Device, fullDeviceName } from './names.ts';

interface Props {
  device: Device;
  devices: readonly Device[];
  changed: () => void;
}

export function Decisions({ device, devices, changed }: Props) {
  const t = text.value.devices;
  const { deviceId, archivedAt, mergedInto } = device;
  const target = devices.find((one) => one.deviceId === mergedInto);
  const decision = mergedInto !== null ? 'split' : archivedAt === null ? 'archive' : 'unarchive';
  return (
    <>
      {target ? (
        <p>
          {t.partOf} <Link to={deviceHref(target.deviceId)}>{fullDeviceName(target)}</Link>
        </p>
      ) : null}
      <Permitted needs="settings.write">
        <Confirm
          label={t[decision]}
          question={t[`${decision}Question`](isolateName(fullDeviceName(device)))}
          work={async () => {
            await ask(`POST /api/devices/${decision}`, { body: { deviceId } });
            changed();
          }}
        />
      </Permitted>
    </>
  );
}
