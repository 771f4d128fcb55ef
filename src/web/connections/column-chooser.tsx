// Which columns the log shows, and how close its rows stand. This browser remembers it.
import { useRef } from 'preact/hooks';
import { isKey } from '../frame/keys.ts';
import { densities, density, logColumns } from '../state/preferences.ts';
import { words } from '../text/log/words.ts';
import { columns, columnTitle, opener, shownColumns } from './columns.ts';

export function ColumnChooser() {
  const t = words.value;
  const box = useRef<HTMLDetailsElement>(null);
  const shown = shownColumns.value.map(({ name }) => name);
  const close = () => box.current?.removeAttribute('open');
  return (
    <details
      class="chooser"
      ref={box}
      onKeyDown={(event) => {
        if (isKey('close', event)) {
          event.stopPropagation();
          close();
          box.current?.querySelector('summary')?.focus();
        }
      }}
      onFocusOut={({ relatedTarget, currentTarget }) => {
        if (relatedTarget instanceof Node && !currentTarget.contains(relatedTarget)) {
          close();
        }
      }}
    >
      <summary class="button">{t.columns}</summary>
      <div class="menu">
        <fieldset>
          <legend>{t.columnsShown}</legend>
          {columns.map(({ name }) => (
            <label key={name} class="choice">
              <input
                type="checkbox"
                checked={shown.includes(name)}
                disabled={name === opener}
                onChange={({ currentTarget: { checked } }) => {
                  logColumns.value = checked ? [...shown, name] : shown.filter((one) => one !== name);
                }}
              />
              {columnTitle(name)}
            </label>
          ))}
        </fieldset>
        <fieldset>
          <legend>{t.density}</legend>
          {densities.map((one) => (
            <label key={one} class="choice">
              <input
                type="radio"
                name="density"
                checked={density.value === one}
                onChange={() => {
                  density.value = one;
                }}
              />
              {t.densities[one]}
            </label>
          ))}
        </fieldset>
        <button
          type="button"
          onClick={() => {
            logColumns.value = [];
            density.value = 'comfortable';
          }}
        >
          {t.restore}
        </button>
      </div>
    </details>
  );
}
