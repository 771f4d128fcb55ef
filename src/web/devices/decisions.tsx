// Archives or restores a device, or undoes its merge.
import { ask } from '../api/client.ts';
import { Confirm } from '../parts/confirm.tsx';
import { Link } from '../parts/link.tsx';
import { isolateName } from '../parts/outside.ts';
import { deviceHref } from '../state/range.ts';
import { may } from '../state/session.ts';
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
  const body = { deviceId };
  const target = devices.find((one) => one.deviceId === mergedInto);
  const after = (work: () => Promise<unknown>) => async () => {
    await work();
    changed();
  };
  return (
    <>
      {target ? (
        <p>
          {t.partOf} <Link to={deviceHref(target.deviceId)}>{fullDeviceName(target)}</Link>
        </p>
      ) : null}
      {!may('settings.write') ? null : mergedInto !== null ? (
        <Confirm
          label={t.split}
          question={t.splitQuestion(isolateName(fullDeviceName(device)))}
          work={after(() => ask('POST /api/devices/split', { body }))}
        />
      ) : archivedAt === null ? (
        <Confirm
          label={t.archive}
          question={t.archiveQuestion(isolateName(fullDeviceName(device)))}
          work={after(() => ask('POST /api/devices/archive', { body }))}
        />
      ) : (
        <Confirm
          label={t.unarchive}
          question={t.unarchiveQuestion(isolateName(fullDeviceName(device)))}
          work={after(() => ask('POST /api/devices/unarchive', { body }))}
        />
      )}
    </>
  );
}
