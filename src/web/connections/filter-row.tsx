// A filter under the heading of each column. It takes effect when the typing pauses.

import { useRef, useState } from 'preact/hooks';
import type { MatchMode } from '#contract/query-words.ts';
import { Options } from '../parts/choice.tsx';
import { useAsked } from '../state/loaded.ts';
import { useTyped } from '../state/typed.ts';
import { navigate } from '../state/url.ts';
import { text } from '../text/text.ts';
import { type Column, columnTitle, shownColumns } from './columns.ts';
import {
  type Filter,
  type FilterName,
  filters,
  hasMode,
  hrefWithFilters,
  levels,
  maxLength,
  modes,
  modesOf,
  shownValue,
  toValue,
} from './filters.ts';

export function FilterRow() {
  return (
    <tr class="filter-row">
      {shownColumns.value.map((column) => (
        <td key={column.name}>
          {column.filter === undefined ? null : column.filter === 'fThreat' ? (
            <LevelFilter label={filterLabel(column)} />
          ) : column.filter === 'sourceId' ? (
            <RouterFilter label={filterLabel(column)} />
          ) : (
            <TextFilter key={column.filter} name={column.filter} title={columnTitle(column.name)} />
          )}
        </td>
      ))}
    </tr>
  );
}

const filterLabel = ({ name }: Column) => `${text.value.filters.add}: ${columnTitle(name)}`;

const findFilter = (name: FilterName) => filters.value.find((one) => one.name === name);

/** Replaces the filter of the same name. A filter without values is removed. */
function replaceFilter(filter: Filter, how?: 'push' | 'replace'): void {
  const others = filters.value.filter(({ name }) => name !== filter.name);
  navigate(hrefWithFilters(filter.values.length === 0 ? others : [...others, filter]), how);
}

function TextFilter({ name, title }: { name: FilterName; title: string }) {
  const t = text.value.filters;
  const filter = findFilter(name);
  const values = filter?.values ?? [];
  const [chosen, setMode] = useState<MatchMode>('contains');
  const choices = hasMode(name) ? modesOf(name) : [];
  const mode = choices.length === 0 ? null : (filter?.mode ?? choices.find((one) => one === chosen) ?? 'exact');
  // One entry in the browser history per edit, not per pause.
  const isStep = useRef(true);
  const [value = ''] = values.length === 1 ? values : [];
  // What was typed stays while the field has the focus: "ger" is not replaced by "Germany" under the fingers.
  const [own, setOwn] = useState('');
  const shown = own !== '' && toValue(name, own) === value ? own : shownValue({ name, mode }, value);
  const typed = useTyped(shown, (given) => {
    setOwn(given);
    const next = toValue(name, given);
    if (next !== value) {
      replaceFilter({ name, mode, values: next === '' ? [] : [next] }, isStep.current ? 'push' : 'replace');
      isStep.current = false;
    }
  });
  return (
    <>
      {mode === null ? (
        <small>{t.modes.exact}</small>
      ) : (
        <select
          aria-label={`${t.mode}: ${title}`}
          value={mode}
          onChange={({ currentTarget }) => {
            const next = modes.find((one) => one === currentTarget.value) ?? 'contains';
            setMode(next);
            typed.finish();
            const now = findFilter(name);
            if (now) {
              replaceFilter({ ...now, mode: next });
            }
          }}
        >
          <Options values={[...new Set([...choices, mode])]} describe={(one) => t.modes[one]} />
        </select>
      )}
      <input
        type="search"
        aria-label={`${t.add}: ${title}`}
        maxLength={maxLength(name)}
        placeholder={values.length > 1 ? values.map((one) => shownValue({ name, mode }, one)).join(', ') : ''}
        value={typed.text}
        spellcheck={false}
        autocomplete="off"
        onInput={({ currentTarget }) => typed.type(currentTarget.value)}
        onKeyDown={({ key }) => {
          if (key === 'Enter') {
            typed.finish();
          }
        }}
        onBlur={() => {
          typed.finish();
          setOwn('');
          isStep.current = true;
        }}
      />
    </>
  );
}

function LevelFilter({ label }: { label: string }) {
  const t = text.value;
  const values = findFilter('fThreat')?.values ?? [];
  return (
    <select
      aria-label={label}
      value={values.length === 1 ? values[0] : ''}
      onChange={({ currentTarget: { value } }) =>
        replaceFilter({ name: 'fThreat', mode: null, values: value === '' ? [] : [value] })
      }
    >
      <option value="">{values.length > 1 ? values.join(', ') : '—'}</option>
      <Options values={levels} describe={(level) => t.levels[level]} />
    </select>
  );
}

function RouterFilter({ label }: { label: string }) {
  const { value } = useAsked('GET /api/routers', {});
  const [id = ''] = findFilter('sourceId')?.values ?? [];
  const names = new Map(value?.routers.map((router) => [router.id, router.displayName || router.id]));
  return (
    <select
      aria-label={label}
      value={id}
      onChange={({ currentTarget }) =>
        replaceFilter({ name: 'sourceId', mode: null, values: currentTarget.value === '' ? [] : [currentTarget.value] })
      }
    >
      <option value="">—</option>
      {names.has(id) || id === '' ? null : <option value={id}>{id}</option>}
      <Options values={[...names.keys()]} describe={(one) => names.get(one) ?? one} />
    </select>
  );
}
