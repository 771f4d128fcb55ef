// The evidence of an alert about a new device: address, network card and maker, and a link to the device.
import { findDeviceOfAlert, useDevices } from '../devices/names.ts';
import { Fact } from '../parts/fact.tsx';
import { Link } from '../parts/link.tsx';
import { Failure } from '../parts/note.tsx';
import type { Detection } from '../state/alerts.ts';
import { deviceHref } from '../state/range.ts';
import { maker } from '../text/format.ts';
import { text } from '../text/text.ts';

export function NewDevice({ detection: { src, srcMac, srcVendor } }: { detection: Detection }) {
  const t = text.value;
  const { value, error, reload } = useDevices();
  const found = findDeviceOfAlert(value?.devices, { src, srcMac });
  const kind = found?.interfaces.find(({ mac }) => mac === srcMac)?.kind;
  return (
    <>
      <Failure error={error} reload={reload} />
      <dl>
        <Fact name={t.devices.addresses}>{src ?? t.detail.unknown}</Fact>
        <Fact name={t.devices.card} source={kind && t.devices.macKinds[kind]}>
          {srcMac ?? t.detail.unknown}
        </Fact>
        <Fact name={t.devices.maker}>{maker(srcVendor) ?? t.detail.unknown}</Fact>
        {found?.note ? <Fact name={t.devices.note}>{found.note}</Fact> : null}
      </dl>
      {found ? (
        <Link class="button" to={deviceHref(found.deviceId)}>
          {t.devices.open}
        </Link>
      ) : null}
    </>
  );
}
