// Who is on the network: a table, what may be the same device twice, and one of them opened at the side.
import { useEffect } from 'preact/hooks';
import { ask } from '../api/client.ts';
import { Failure, Note } from '../parts/note.tsx';
import { onEvent, onMissed } from '../state/live.ts';
import { useLoaded } from '../state/loaded.ts';
import { range } from '../state/range.ts';
import { hrefWith, navigate, query } from '../state/url.ts';
import { number } from '../text/format.ts';
import { text } from '../text/text.ts';
import { countByAddress } from './counts.tsx';
import { DeviceDrawer } from './device-drawer.tsx';
import { DeviceTable } from './device-table.tsx';
import { MergeCandidates } from './merge-candidates.tsx';
import { sortDevices } from './names.ts';

export function Devices() {
  const t = text.value;
  const { name, from, to } = range.value;
  const withArchived = query.value.get('archived') === '1';
  const open = query.value.get('device');
  // All of them: what is opened, or named as the target of a merge, may be archived.
  const devices = useLoaded('devices', (signal) =>
    ask('GET /api/devices', { query: { includeArchived: '1' } }, signal),
  );
  const summary = useLoaded(`${from} ${to}`, (signal) =>
    ask('GET /api/connections/summary', { query: { from: String(from), to: String(to), buckets: '1' } }, signal),
  );
  useEffect(() => {
    const ends = [onEvent('new-device', devices.again), onEvent('notes-update', devices.again)];
    ends.push(onMissed(devices.again));
    return () => {
      for (const end of ends) {
        end();
      }
    };
  }, []);
  const all = devices.value?.devices ?? null;
  const shown = all && sortDevices(all.filter(({ archivedAt }) => withArchived || archivedAt === null));
  const archived = all === null ? 0 : all.filter(({ archivedAt }) => archivedAt !== null).length;
  const counts = summary.value && countByAddress(summary.value);
  return (
    <div class="devices">
      <header>
        <h1>{shown === null ? t.places.devices : t.sentence.devices(shown.length, number(shown.length))}</h1>
        <p>
          <label class="switch">
            <input
              type="checkbox"
              checked={withArchived}
              onChange={({ currentTarget }) => navigate(hrefWith({ archived: currentTarget.checked ? '1' : null }))}
            />
            {t.devices.withArchived(number(archived))}
          </label>
        </p>
      </header>
      {devices.error ? <Failure error={devices.error} again={devices.again} /> : null}
      {summary.error ? <Failure error={summary.error} again={summary.again} /> : null}
      {shown === null && devices.error === null ? <p class="note">{t.loading}</p> : null}
      {all ? <MergeCandidates devices={all} changed={devices.again} /> : null}
      {shown?.length === 0 ? <Note title={t.devices.empty} help={t.devices.emptyHelp} /> : null}
      {shown && shown.length > 0 ? (
        <DeviceTable
          devices={shown}
          counts={counts}
          period={name === null ? t.range.own : t.periodNames[name]}
          isDimmed={devices.isLoading && all === null}
          changed={devices.again}
        />
      ) : null}
      {open !== null && all !== null ? (
        <DeviceDrawer key={open} id={open} devices={all} counts={counts} changed={devices.again} />
      ) : null}
    </div>
  );
}
