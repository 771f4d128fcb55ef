// Search, filters and order of the list of devices. Each takes effect at once.
import { Choice, Select } from '../parts/choice.tsx';
import { useTyped } from '../state/typed.ts';
import { hrefWith, navigate, query } from '../state/url.ts';
import { words } from '../text/device/words.ts';
import { maker, number } from '../text/format.ts';
import { text } from '../text/text.ts';
import { chosenSort, listMakers, sorts, states } from './list.ts';
import type { Device } from './names.ts';

const change = (name: string, value: string | null) => navigate(hrefWith({ [name]: value }), 'replace');

/** `devices`: all of them, archived ones too. */
export function ListFilters({ devices }: { devices: readonly Device[] }) {
  const t = text.value.devices;
  const w = words.value;
  const chosen = (name: string) => query.value.get(name) ?? '';
  const typed = useTyped(chosen('q'), (wanted) => change('q', wanted));
  const archived = devices.filter(({ archivedAt }) => archivedAt !== null).length;
  return (
    <search class="filter-form">
      <label>
        {w.search}
        <input
          type="search"
          placeholder={w.searchHelp}
          value={typed.text}
          onInput={({ currentTarget }) => typed.type(currentTarget.value)}
          onChange={typed.finish}
        />
      </label>
      <Select
        label={w.state}
        value={chosen('state')}
        values={['', ...states]}
        describe={(one) => (one === '' ? w.allStates : t.statuses[one as keyof typeof t.statuses])}
        choose={(value) => change('state', value)}
      />
      <Select
        label={t.maker}
        value={chosen('maker')}
        values={['', ...listMakers(devices)]}
        describe={(one) => maker(one) || w.allMakers}
        choose={(value) => change('maker', value)}
      />
      <Select
        label={w.sort}
        value={chosenSort()}
        values={sorts}
        describe={(one) => w.sorts[one]}
        choose={(value) => change('sort', value === 'status' ? null : value)}
      />
      <Choice
        type="checkbox"
        kind="switch"
        isChosen={chosen('new') === '1'}
        choose={(isChosen) => change('new', isChosen ? '1' : null)}
      >
        {w.onlyNew}
      </Choice>
      <Choice
        type="checkbox"
        kind="switch"
        isChosen={chosen('archived') === '1'}
        choose={(isChosen) => change('archived', isChosen ? '1' : null)}
      >
        {t.withArchived(number(archived))}
      </Choice>
    </search>
  );
}
