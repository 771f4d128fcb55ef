// Where a device goes in the period, and what was detected of it.
import { ask } from '../api/client.ts';
import { kindOf } from '../parts/alert-words.ts';
import { Link } from '../parts/link.tsx';
import { Failure } from '../parts/note.tsx';
import { Ranked } from '../parts/ranked.tsx';
import { Time } from '../parts/time.tsx';
import { useLoaded } from '../state/loaded.ts';
import { range, rangeParameters } from '../state/range.ts';
import { addressIn } from '../state/url.ts';
import { text } from '../text/text.ts';
import { addressesOf, type Device } from './names.ts';

const shown = 8;

export function DeviceActivity({ device }: { device: Device }) {
  const addresses = addressesOf(device);
  return (
    <>
      {addresses.slice(0, 1).map((address) => (
        <Destinations key={address} address={address} />
      ))}
      <Alerts device={device} />
    </>
  );
}

function Destinations({ address }: { address: string }) {
  const t = text.value;
  const { from, to } = range.value;
  const { value, error, again, isLoading } = useLoaded(`${address} ${from} ${to}`, (signal) =>
    ask(
      'GET /api/connections/summary',
      { query: { from: String(from), to: String(to), src: address, buckets: '1' } },
      signal,
    ),
  );
  const log = (dst: string) =>
    addressIn('connections', {
      ...rangeParameters.value,
      ...{ fSrc: address, fSrcMode: 'exact', fDst: dst, fDstMode: 'exact' },
    });
  const rows = value?.byDst.slice(0, shown).map(({ dst, dstHost, org, count }) => ({
    ...{ key: dst, name: dstHost ?? dst, more: org ?? (dstHost === null ? '' : dst), count, to: log(dst) },
  }));
  return (
    <section aria-busy={isLoading} class={isLoading && value ? 'dimmed' : ''}>
      <h3>{t.devices.destinations(address)}</h3>
      {error ? <Failure error={error} again={again} /> : null}
      {rows?.length === 0 ? <p class="empty">{t.sentence.noRows}</p> : null}
      <Ranked rows={rows ?? []} />
    </section>
  );
}

function Alerts({ device }: { device: Device }) {
  const t = text.value;
  const { name, from, to } = range.value;
  const period = { from: String(from), ...(name === null ? { to: String(to) } : {}) };
  const { value, error, again } = useLoaded(`${from} ${to}`, (signal) =>
    ask('GET /api/notification-log', { query: { ...period, limit: '2000' } }, signal),
  );
  const macs = new Set<string | null>(device.interfaces.map(({ mac }) => mac));
  const addresses = new Set<string | null>(addressesOf(device));
  // An address may have been another device's: the card decides where it is known.
  const of = value?.logs.filter(({ src, srcMac }) => (srcMac === null ? addresses.has(src) : macs.has(srcMac)));
  return (
    <section>
      <h3>{t.places.alerts}</h3>
      {error ? <Failure error={error} again={again} /> : null}
      {of?.length === 0 ? <p class="empty">{t.nothingFound}</p> : null}
      <ul class="rows">
        {of?.slice(0, shown).map(({ id, type, dst, dstHost, detectedAt }) => (
          <li key={id}>
            <span>
              <Link to={addressIn('alerts', { ...rangeParameters.value, open: String(id) })}>{kindOf(type)}</Link>{' '}
              <small>{dstHost ?? dst}</small>
            </span>
            <Time at={detectedAt} />
          </li>
        ))}
      </ul>
    </section>
  );
}
