// A field for the value of a filter, above the values that there are. Typing narrows them, the arrows choose one.
import type { InputHTMLAttributes } from 'preact';
import { useEffect, useId, useState } from 'preact/hooks';
import { Problem } from '../parts/outcome.tsx';
import { number } from '../text/format.ts';
import { words } from '../text/log/words.ts';
import { text } from '../text/text.ts';
import { maxLength } from './filters.ts';
import { type ListedName, narrowValues, useValues, type Value, valueName } from './values.ts';

interface Props {
  name: ListedName;
  typed: string;
  type: (text: string) => void;
  /** A value of the list was chosen. */
  pick: (value: string) => void;
}

/** Most values that are shown. */
const most = 100;

export function ValueField({ name, typed, type, pick }: Props) {
  const w = words.value.values;
  const id = useId();
  /** -1: none is chosen, and Enter takes what was typed. */
  const [active, setActive] = useState(-1);
  const { value: known, error, isLoading } = useValues(name);
  const found = narrowValues(name, known?.values ?? [], typed);
  const shown = found.slice(0, most);
  useEffect(() => {
    document.getElementById(`${id}-${active}`)?.scrollIntoView({ block: 'nearest' });
  }, [active]);
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    const chosen = shown[active];
    if (step !== 0 && shown.length > 0) {
      event.preventDefault();
      setActive(Math.max(-1, Math.min(active + step, shown.length - 1)));
    } else if (event.key === 'Enter' && chosen && !event.isComposing) {
      event.preventDefault();
      pick(chosen.value);
    }
  };
  // Preact's types allow the role combobox only with a `datalist`.
  const combobox = {
    role: 'combobox',
    'aria-expanded': shown.length > 0,
    'aria-controls': `${id}-list`,
    'aria-autocomplete': 'list',
    'aria-activedescendant': shown[active] ? `${id}-${active}` : undefined,
  } as InputHTMLAttributes<HTMLInputElement>;
  return (
    <>
      <label>
        {text.value.filters.value}
        <input
          {...combobox}
          maxLength={maxLength(name)}
          value={typed}
          required
          autocomplete="off"
          spellcheck={false}
          onInput={({ currentTarget }) => {
            setActive(-1);
            type(currentTarget.value);
          }}
          onKeyDown={onKeyDown}
        />
      </label>
      <div class="values">
        {error ? <Problem error={error} /> : null}
        <p role="status">
          {known === null ? text.value.loading : w.found(number(found.length))}
          {shown.length < found.length ? ` ${w.cut(number(shown.length))}` : null}
        </p>
        <div role="listbox" id={`${id}-list`} class="results" aria-label={w.label} aria-busy={isLoading}>
          {shown.map((one, index) => (
            <Choice key={one.value} id={`${id}-${index}`} {...{ name, one, pick }} isActive={index === active} />
          ))}
        </div>
      </div>
    </>
  );
}

interface ChoiceProps extends Pick<Props, 'name' | 'pick'> {
  id: string;
  one: Value;
  isActive: boolean;
}

function Choice({ id, name, one, isActive, pick }: ChoiceProps) {
  const shown = valueName(name, one);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the focus, and its keys.
    <div id={id} role="option" tabIndex={-1} aria-selected={isActive} onClick={() => pick(one.value)}>
      <bdi>{shown}</bdi>{' '}
      <small>
        {shown === one.value ? null : (
          <>
            <bdi>{one.value}</bdi>{' '}
          </>
        )}
        <span class="figure">{number(one.count)}</span>
      </small>
    </div>
  );
}
