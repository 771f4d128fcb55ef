// The filters as chips, and a form for another one.

import { useState } from 'preact/hooks';
import type { MatchMode } from '#contract/query-words.ts';
import { Options, Select } from '../parts/choice.tsx';
import { isolateName } from '../parts/outside.ts';
import { navigate } from '../state/url.ts';
import { text } from '../text/text.ts';
import {
  addFilter,
  columns,
  type Filter,
  type FilterColumn,
  filters,
  hrefWithFilters,
  levels,
  maxLength,
  modes,
} from './filters.ts';

export function FilterBar() {
  const t = text.value.filters;
  const [isOpen, setOpen] = useState(false);
  const all = filters.value;
  const replace = (kept: readonly Filter[]) => navigate(hrefWithFilters(kept));
  return (
    <section class="filters" aria-label={t.label}>
      {all.map((filter) => (
        <span class="chip" key={filter.name}>
          {describeFilter(filter)}
          <button
            type="button"
            class="quiet"
            aria-label={t.remove(describeFilter(filter))}
            onClick={() => replace(all.filter((one) => one !== filter))}
          >
            ×
          </button>
        </span>
      ))}
      <button type="button" class="chip add" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        + {t.add}
      </button>
      {all.length > 0 ? (
        <button type="button" class="quiet" onClick={() => replace([])}>
          {t.clear}
        </button>
      ) : null}
      {isOpen ? (
        <FilterForm
          add={(filter) => {
            setOpen(false);
            replace(addFilter(all, filter));
          }}
        />
      ) : null}
    </section>
  );
}

function describeFilter({ name, mode, values }: Filter): string {
  const t = text.value;
  const shown = values.map((value) =>
    name === 'fThreat' ? (t.levels[levels.find((level) => level === value) ?? 'safe'] ?? value) : isolateName(value),
  );
  return t.filters.sentence(t.filters.names[name], t.filters.modes[mode ?? 'exact'], shown);
}

function FilterForm({ add }: { add: (filter: Filter) => void }) {
  const t = text.value;
  const [column, setColumn] = useState<FilterColumn | 'fThreat'>('fSrc');
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const value = String(form.get('value') ?? '').trim();
    if (value !== '') {
      add({
        name: column,
        mode: column === 'fThreat' ? null : (String(form.get('mode')) as MatchMode),
        values: [value],
      });
    }
  };
  return (
    <form class="filter-form" onSubmit={submit}>
      <Select
        label={t.filters.column}
        value={column}
        values={[...columns, 'fThreat']}
        describe={(name) => t.filters.names[name]}
        choose={setColumn}
      />
      {column === 'fThreat' ? (
        <label>
          {t.filters.value}
          <select name="value">
            <Options values={levels} describe={(level) => t.levels[level]} />
          </select>
        </label>
      ) : (
        <>
          <label>
            {t.filters.mode}
            <select name="mode">
              <Options values={modes} describe={(mode) => t.filters.modes[mode]} />
            </select>
          </label>
          <label>
            {t.filters.value}
            <input name="value" maxLength={maxLength(column)} required />
          </label>
        </>
      )}
      <button type="submit" class="main">
        {t.filters.apply}
      </button>
    </form>
  );
}
