// The form for another filter: a column, how it must match, and a value, which a list offers where there is one.
import { useState } from 'preact/hooks';
import type { MatchMode } from '#contract/query-words.ts';
import { Options, Select } from '../parts/choice.tsx';
import { text } from '../text/text.ts';
import {
  columns,
  type Filter,
  type FilterColumn,
  hasMode,
  isNegative,
  levels,
  maxLength,
  modesOf,
  toValue,
} from './filters.ts';
import { ValueField } from './value-field.tsx';
import { countedName, isListed, useValues } from './values.ts';

type Name = FilterColumn | 'fThreat' | 'sourceId';

export function FilterForm({ add }: { add: (filter: Filter) => void }) {
  const t = text.value.filters;
  const [name, setName] = useState<Name>('fSrc');
  const [chosen, setMode] = useState<MatchMode>('contains');
  const [typed, setTyped] = useState('');
  const modes = hasMode(name) ? modesOf(name) : [];
  const mode = modes.find((one) => one === chosen) ?? modes[0] ?? null;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget as HTMLFormElement).get('value');
    const value = String(given ?? toValue(name, typed)).trim();
    if (value !== '') {
      add({ name, mode, values: [value] });
    }
  };
  const pick = (value: string) =>
    add({ name, mode: mode === null ? null : isNegative(mode) ? 'isNot' : 'exact', values: [value] });
  return (
    <form class="filter-form" onSubmit={submit}>
      <Select
        label={t.column}
        value={name}
        values={[...columns, 'fThreat', 'sourceId']}
        describe={(one) => t.names[one]}
        choose={(one) => {
          setName(one);
          setTyped('');
        }}
      />
      {mode === null ? null : (
        <Select label={t.mode} value={mode} values={modes} describe={(one) => t.modes[one]} choose={setMode} />
      )}
      {name === 'fThreat' ? (
        <LevelChoice />
      ) : name === 'sourceId' ? (
        <RouterChoice />
      ) : isListed(name) ? (
        <ValueField key={name} name={name} typed={typed} type={setTyped} pick={pick} />
      ) : (
        <label>
          {t.value}
          <input name="value" maxLength={maxLength(name)} required />
        </label>
      )}
      <button type="submit" class="main">
        {t.apply}
      </button>
    </form>
  );
}

function LevelChoice() {
  const t = text.value;
  return (
    <label>
      {t.filters.value}
      <select name="value">
        <Options values={levels} describe={(level) => t.levels[level]} />
      </select>
    </label>
  );
}

function RouterChoice() {
  const values = useValues('sourceId').value?.values ?? [];
  return (
    <label>
      {text.value.filters.value}
      <select name="value">
        {values.map((one) => (
          <option key={one.value} value={one.value}>
            {countedName('sourceId', one)}
          </option>
        ))}
      </select>
    </label>
  );
}
