// Which alerts are shown: state, kind, level, device and text, all stored in the URL.

import { fullDeviceName, sortDevices, type useDevices } from '../devices/names.ts';
import { Select } from '../parts/choice.tsx';
import { Link } from '../parts/link.tsx';
import { Failure } from '../parts/note.tsx';
import { SearchField } from '../parts/search-field.tsx';
import type { AlertPage } from '../state/alerts.ts';
import { hrefWith, navigate } from '../state/url.ts';
import { words } from '../text/alerts/words.ts';
import { number } from '../text/format.ts';
import { text } from '../text/text.ts';
import { type AlertFilter, kinds, levels, type Tab, tabs } from './inbox.ts';

interface Props {
  filter: AlertFilter;
  devices: ReturnType<typeof useDevices>;
}

const change = (name: 'kind' | 'level' | 'device' | 'q', value: string) =>
  navigate(hrefWith({ [name]: value, ...(name === 'kind' ? { type: null } : {}), alert: null }));

export function AlertFilters({ filter: { kind, level, device, q }, devices }: Props) {
  const t = text.value.alerts;
  const w = words.value;
  const sorted = sortDevices(devices.value?.devices ?? []);
  const names = new Map(sorted.map((one) => [one.deviceId, fullDeviceName(one)]));
  return (
    <search class="filter-form">
      <Failure error={devices.error} reload={devices.reload} />
      <Select
        label={w.kind}
        value={kind ?? ''}
        values={['', ...kinds]}
        describe={(one) => (one === '' ? w.allKinds : t.filters[one])}
        choose={(value) => change('kind', value)}
      />
      <Select
        label={t.level}
        value={level ?? ''}
        values={['', ...levels]}
        describe={(one) => (one === '' ? t.allLevels : t.levels[one])}
        choose={(value) => change('level', value)}
      />
      <Select
        label={t.device}
        value={device ?? ''}
        values={['', ...names.keys()]}
        describe={(id) => names.get(id) ?? t.allDevices}
        choose={(value) => change('device', value)}
      />
      <SearchField label={w.text} value={q} change={(value) => change('q', value)} />
    </search>
  );
}

export function Tabs({ shown, counts }: { shown: Tab; counts: AlertPage['counts'] | undefined }) {
  const names = { ...words.value.tabs, ...text.value.alerts.states };
  const countOf = (tab: Tab) =>
    counts === undefined || tab === 'all' ? null : tab === 'todo' ? counts.open + counts.acknowledged : counts[tab];
  return (
    <nav class="ranges kinds" aria-label={words.value.stateLabel}>
      {tabs.map((tab) => {
        const count = countOf(tab);
        return (
          <Link
            key={tab}
            to={hrefWith({ state: tab === 'todo' ? null : tab, alert: null })}
            aria-current={tab === shown ? 'true' : undefined}
          >
            {`${names[tab]}${count === null ? '' : ` ${number(count)}`}`}
          </Link>
        );
      })}
    </nav>
  );
}
