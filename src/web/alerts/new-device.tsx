// A device that was seen first: what its card says, and the way to its page.
import { ask } from '../api/client.ts';
import { Fact } from '../parts/fact.tsx';
import { Link } from '../parts/link.tsx';
import { Failure } from '../parts/note.tsx';
import type { Detection } from '../state/causes.ts';
import { useLoaded } from '../state/loaded.ts';
import { rangeParameters } from '../state/range.ts';
import { hrefTo } from '../state/url.ts';
import { text } from '../text/text.ts';

export function NewDevice({ detection: { src, srcMac, srcVendor } }: { detection: Detection }) {
  const t = text.value;
  const { value, error, again } = useLoaded('devices', (signal) =>
    ask('GET /api/devices', { query: { includeArchived: '1' } }, signal),
  );
  // An address has other devices in time: only without a card does it say which one.
  const found = value?.devices.find(({ ip, interfaces }) =>
    srcMac === null ? ip === src : interfaces.some(({ mac }) => mac === srcMac),
  );
  const kind = found?.interfaces.find(({ mac }) => mac === srcMac)?.kind;
  return (
    <>
      {error ? <Failure error={error} again={again} /> : null}
      <dl>
        <Fact name={t.devices.addresses}>{src ?? t.detail.unknown}</Fact>
        <Fact name={t.devices.card} from={kind && t.devices.macKinds[kind]}>
          {srcMac ?? t.detail.unknown}
        </Fact>
        <Fact name={t.devices.maker}>{srcVendor ?? t.detail.unknown}</Fact>
        {found?.note ? <Fact name={t.devices.note}>{found.note}</Fact> : null}
      </dl>
      {found ? (
        <Link class="button" to={hrefTo('devices', { ...rangeParameters.value, device: found.deviceId })}>
          {t.devices.open}
        </Link>
      ) : null}
    </>
  );
}
