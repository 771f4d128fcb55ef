// The list of devices, or the page of one.
import { useEffect } from 'preact/hooks';
import { Link } from '../parts/link.tsx';
import { NoRows } from '../parts/no-rows.tsx';
import { Failure, Note } from '../parts/note.tsx';
import { useEvents } from '../state/live.ts';
import { useAsked } from '../state/loaded.ts';
import { deviceHref, range, rangeQuery } from '../state/range.ts';
import { hrefWith, navigate, query, shownItem } from '../state/url.ts';
import { words } from '../text/device/words.ts';
import { number } from '../text/format.ts';
import { text } from '../text/text.ts';
import { useActivity } from './activity.ts';
import { countByAddress } from './counts.tsx';
import { DevicePage } from './device-page.tsx';
import { DeviceTable } from './device-table.tsx';
import { chosenSort, filterDevices, filterNames, isFiltered, orderDevices } from './list.ts';
import { ListFilters } from './list-filters.tsx';
import { MergeCandidates } from './merge-candidates.tsx';
import { useDevices } from './names.ts';

export function Devices() {
  const shown = shownItem.value;
  return shown === null ? <List /> : <DevicePage shown={shown} />;
}

function List() {
  const t = text.value;
  const { name } = range.value;
  // The address that a device had before it had a page.
  const linked = query.value.get('device');
  useEffect(() => {
    if (linked !== null) {
      navigate(deviceHref(linked), 'replace');
    }
  }, [linked]);
  // Archived devices too: one may be the target of a merge.
  const devices = useDevices();
  const summary = useAsked('GET /api/connections/summary', { query: { ...rangeQuery.value, buckets: '1' } });
  const candidates = useAsked('GET /api/devices/merge-candidates', { query: { status: 'pending' } });
  const activity = useActivity();
  useEvents(['new-device', 'notes-update'], devices.reload);
  // Both at once: pairs that came later would push the table down.
  const all = (candidates.value ?? candidates.error) === null ? null : (devices.value?.devices ?? null);
  const counts = summary.value && countByAddress(summary.value);
  const shown = all && orderDevices(filterDevices(all), chosenSort(), counts);
  return (
    <div class="devices">
      <header>
        <h1>{shown === null ? t.places.devices : words.value.title(shown.length, number(shown.length))}</h1>
      </header>
      {all ? <ListFilters devices={all} /> : null}
      <Failure error={devices.error} reload={devices.reload} />
      <Failure error={summary.error ?? activity.error} reload={summary.error ? summary.reload : activity.reload} />
      {shown === null && devices.error === null ? <p class="note">{t.loading}</p> : null}
      {all ? <MergeCandidates devices={all} candidates={candidates} changed={devices.reload} /> : null}
      {shown?.length === 0 ? <Empty /> : null}
      {shown && shown.length > 0 ? (
        <DeviceTable
          devices={shown}
          counts={counts}
          activity={activity.value}
          period={name === null ? t.range.own : t.periodNames[name]}
          isDimmed={devices.isLoading && all === null}
          changed={devices.reload}
        />
      ) : null}
    </div>
  );
}

/** With a filter, "no device is known" would be wrong. */
function Empty() {
  const t = text.value.devices;
  return isFiltered() ? (
    <Note title={words.value.noMatch}>
      <Link class="button" to={hrefWith(Object.fromEntries(filterNames.map((name) => [name, null])))}>
        {words.value.showAll}
      </Link>
    </Note>
  ) : (
    <NoRows title={t.empty} help={t.emptyHelp} />
  );
}
