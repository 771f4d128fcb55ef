import { Choice } from '../parts/choice.tsx';
import { Failure, Note } from '../parts/note.tsx';
import { useEvents } from '../state/live.ts';
import { useAsked } from '../state/loaded.ts';
import { range, rangeQuery } from '../state/range.ts';
import { hrefWith, navigate, query } from '../state/url.ts';
import { number } from '../text/format.ts';
import { text } from '../text/text.ts';
import { countByAddress } from './counts.tsx';
import { DeviceDrawer } from './device-drawer.tsx';
import { DeviceTable } from './device-table.tsx';
import { MergeCandidates } from './merge-candidates.tsx';
import { sortDevices, useDevices } from './names.ts';

export function Devices() {
  const t = text.value;
  const { name } = range.value;
  const withArchived = query.value.get('archived') === '1';
  const open = query.value.get('device');
  // Archived devices too: one may be open, or be the target of a merge.
  const devices = useDevices();
  const summary = useAsked('GET /api/connections/summary', { query: { ...rangeQuery.value, buckets: '1' } });
  const candidates = useAsked('GET /api/devices/merge-candidates', { query: { status: 'pending' } });
  useEvents(['new-device', 'notes-update'], devices.reload);
  // Both at once: pairs that came later would push the table down.
  const all = (candidates.value ?? candidates.error) === null ? null : (devices.value?.devices ?? null);
  const shown = all && sortDevices(all.filter(({ archivedAt }) => withArchived || archivedAt === null));
  const archived = all === null ? 0 : all.filter(({ archivedAt }) => archivedAt !== null).length;
  const counts = summary.value && countByAddress(summary.value);
  return (
    <div class="devices">
      <header>
        <h1>{shown === null ? t.places.devices : t.sentence.devices(shown.length, number(shown.length))}</h1>
        <p>
          <Choice
            type="checkbox"
            kind="switch"
            isChosen={withArchived}
            choose={(isChosen) => navigate(hrefWith({ archived: isChosen ? '1' : null }))}
          >
            {t.devices.withArchived(number(archived))}
          </Choice>
        </p>
      </header>
      <Failure error={devices.error} reload={devices.reload} />
      <Failure error={summary.error} reload={summary.reload} />
      {shown === null && devices.error === null ? <p class="note">{t.loading}</p> : null}
      {all ? <MergeCandidates devices={all} candidates={candidates} changed={devices.reload} /> : null}
      {shown?.length === 0 ? <Note title={t.devices.empty} help={t.devices.emptyHelp} /> : null}
      {shown && shown.length > 0 ? (
        <DeviceTable
          devices={shown}
          counts={counts}
          period={name === null ? t.range.own : t.periodNames[name]}
          isDimmed={devices.isLoading && all === null}
          changed={devices.reload}
        />
      ) : null}
      {open !== null && all !== null ? (
        <DeviceDrawer key={open} id={open} devices={all} counts={counts} changed={devices.reload} />
      ) : null}
    </div>
  );
}
