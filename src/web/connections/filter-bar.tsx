// The filters as chips, and a form for another one.

import { useState } from 'preact/hooks';
import { isolateName } from '../parts/outside.ts';
import { type Router, routerName, useRouters } from '../state/routers.ts';
import { navigate } from '../state/url.ts';
import { text } from '../text/text.ts';
import { FilterForm } from './filter-form.tsx';
import { addFilter, type Filter, filters, hrefWithFilters, levels, shownValue } from './filters.ts';

export function FilterBar() {
  const t = text.value.filters;
  const [isOpen, setOpen] = useState(false);
  const routers = useRouters().value ?? [];
  const all = filters.value;
  const replace = (kept: readonly Filter[]) => navigate(hrefWithFilters(kept));
  return (
    <section class="filters" aria-label={t.label}>
      {all.map((filter) => (
        <span class="chip" key={filter.name}>
          {describeFilter(filter, routers)}
          <button
            type="button"
            class="quiet"
            aria-label={t.remove(describeFilter(filter, routers))}
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

function describeFilter({ name, mode, values }: Filter, routers: readonly Router[]): string {
  const t = text.value;
  const shown = values.map((value) => {
    const level = name === 'fThreat' && levels.find((one) => one === value);
    const router = name === 'sourceId' && routers.find(({ id }) => id === value);
    return level ? t.levels[level] : isolateName(router ? routerName(router) : shownValue({ name, mode }, value));
  });
  return t.filters.sentence(t.filters.names[name], t.filters.modes[mode ?? 'exact'], shown);
}
