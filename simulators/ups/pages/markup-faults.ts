// What faults change of the look of one page.
import type { Armed } from '../../support/armed-faults.ts';
import type { UpsFault } from '../faults.ts';
import type { Look } from './pages.ts';

export function spoilLook(usual: Look, take: (fault: UpsFault) => Armed<UpsFault> | null): Look {
  const look = { ...usual };
  const styles = {
    'attributes-reordered': 'reordered',
    'single-quotes': 'single-quotes',
    'no-quotes': 'no-quotes',
    'upper-case': 'upper-case',
  } as const;
  for (const [fault, style] of Object.entries(styles)) {
    look.style = take(fault as keyof typeof styles) ? style : look.style;
  }
  const langs = { 'lang-missing': 'missing', 'lang-last': 'last', 'lang-region': 'region', 'lang-xml': 'xml' } as const;
  for (const [fault, lang] of Object.entries(langs)) {
    look.lang = take(fault as keyof typeof langs) ? lang : look.lang;
  }
  look.valueTag = take('span') ? 'span' : look.valueTag;
  look.nested = take('nested') !== null || look.nested;
  look.references = take('references') !== null || look.references;
  look.decoys = take('decoys') !== null || look.decoys;

  const empty = take('element-empty');
  look.emptied = empty ? parseIds(empty) : look.emptied;
  look.rename = createRename(take('element-missing'), take('ids-renamed'), take('all-ids-renamed'));
  return look;
}

function createRename(
  missing: Armed<UpsFault> | null,
  some: Armed<UpsFault> | null,
  all: Armed<UpsFault> | null,
): Look['rename'] {
  const gone = missing ? parseIds(missing) : new Set<string>();
  return (id) => {
    if (gone.has(id)) {
      return null;
    }
    if (all) {
      return id.replace('value_', String(all.value ?? 'metric_'));
    }
    return some && id !== 'value_DeviceStatus' ? id.replace('value_', String(some.value ?? 'val-')) : id;
  };
}

function parseIds({ value = 'value_RealPowerPct' }: Armed<UpsFault>): Set<string> {
  return new Set(
    String(value)
      .split(',')
      .map((id) => id.trim()),
  );
}
