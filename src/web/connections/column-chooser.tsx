// Chooses the columns and the row height of the log. The browser stores the choice.

import { Choice } from '../parts/choice.tsx';
import { Menu } from '../parts/menu.tsx';
import { densities, density } from '../state/preferences.ts';
import { words } from '../text/log/words.ts';
import { chooseColumns, columns, columnTitle, opener, restoreColumns, shownColumns } from './columns.ts';

export function ColumnChooser() {
  const t = words.value;
  const shown = shownColumns.value.map(({ name }) => name);
  return (
    <Menu kind="chooser" label={t.columns} isButton>
      <fieldset>
        <legend>{t.columnsShown}</legend>
        {columns.map(({ name }) => (
          <Choice
            key={name}
            type="checkbox"
            isChosen={shown.includes(name)}
            isDisabled={name === opener}
            choose={(isChosen) => {
              chooseColumns(isChosen ? [...shown, name] : shown.filter((one) => one !== name));
            }}
          >
            {columnTitle(name)}
          </Choice>
        ))}
      </fieldset>
      <fieldset>
        <legend>{t.density}</legend>
        {densities.map((one) => (
          <Choice
            key={one}
            type="radio"
            name="density"
            isChosen={density.value === one}
            choose={() => {
              density.value = one;
            }}
          >
            {t.densities[one]}
          </Choice>
        ))}
      </fieldset>
      <button
        type="button"
        onClick={() => {
          restoreColumns();
          density.value = 'comfortable';
        }}
      >
        {t.restoreDefaults}
      </button>
    </Menu>
  );
}
