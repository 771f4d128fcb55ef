// One field for everything: places, devices, and what the log of the period has. The arrows choose, Enter opens.

import type { InputHTMLAttributes } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useDevices } from '../devices/names.ts';
import { closePanel } from '../frame/panel.ts';
import { Modal } from '../parts/modal.tsx';
import { Problem } from '../parts/outcome.tsx';
import { useAsked, useLoaded } from '../state/loaded.ts';
import { describePeriod, range } from '../state/range.ts';
import { useTyped } from '../state/typed.ts';
import { navigate } from '../state/url.ts';
import { number } from '../text/format.ts';
import { words } from '../text/frame/words.ts';
import { find } from './find.ts';
import { searchLog } from './found.ts';
import { Results } from './results.tsx';

/** Longest text that every filter of the API takes. */
const longest = 200;

export function Search() {
  const t = words.value.search;
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const [asked, setAsked] = useState('');
  const [active, setActive] = useState(0);
  const typed = useTyped(asked, setAsked);
  // The period as it was when the search opened: a moving end would load everything again.
  const [shownRange] = useState(range.value);
  const period = { from: String(shownRange.from), to: String(shownRange.to) };
  const devices = useDevices();
  const summary = useAsked('GET /api/connections/summary', { query: { ...period, buckets: '1' } });
  const log = useLoaded(asked, async (signal) => ({ of: asked, found: await searchLog(asked, period, signal) }));
  useLayoutEffect(() => field.current?.focus(), []);
  const settings = useLoaded('settings', async () =>
    (await import('../settings/find-settings.ts')).loadSettingsFinder(),
  );
  const groups = find(typed.text, {
    findSettings: settings.value,
    devices: devices.value?.devices ?? [],
    summary: summary.value,
    found: log.value?.of === typed.text.trim() ? log.value.found : null,
  });
  const results = groups.flatMap((group) => group.results);
  const chosen = Math.min(active, results.length - 1);
  useEffect(() => {
    document.getElementById(`${id}-${chosen}`)?.scrollIntoView({ block: 'nearest' });
  }, [chosen, typed.text]);
  const open = (target: string) => {
    field.current?.closest('dialog')?.close();
    // The result replaces the open search in the history: going back leads to the view below it.
    navigate(target, 'replace');
    document.getElementById('content')?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    const result = results[chosen];
    if (step !== 0) {
      event.preventDefault();
      setActive((chosen + step + results.length) % Math.max(1, results.length));
    } else if (event.key === 'Enter' && result && !event.isComposing) {
      event.preventDefault();
      open(result.to);
    }
  };
  const errors = [devices.error, summary.error, log.error, settings.error].filter((error) => error !== null);
  const isKnown = groups.some((group) => group.name !== 'log');
  // Preact's types allow the role combobox only with a `datalist`.
  const combobox = {
    type: 'text',
    role: 'combobox',
    'aria-expanded': results.length > 0,
    'aria-controls': `${id}-list`,
    'aria-autocomplete': 'list',
    'aria-activedescendant': results.length > 0 ? `${id}-${chosen}` : undefined,
  } as InputHTMLAttributes<HTMLInputElement>;
  return (
    <Modal title={t.title} kind="search" close={() => closePanel('search')} closesOutside>
      <input
        ref={field}
        aria-label={t.label}
        {...combobox}
        maxLength={longest}
        value={typed.text}
        autocomplete="off"
        spellcheck={false}
        onInput={({ currentTarget }) => {
          setActive(0);
          typed.type(currentTarget.value);
        }}
        onKeyDown={onKeyDown}
      />
      <p class="help">{typed.text === '' ? t.hint : t.of(describePeriod(shownRange))}</p>
      {errors.map((error) => (
        <Problem key={error.message} error={error} />
      ))}
      {isKnown || typed.text === '' ? null : <p class="empty">{t.none}</p>}
      <Results
        id={id}
        groups={groups}
        active={chosen}
        open={open}
        isDimmed={log.isLoading || log.value?.of !== typed.text.trim()}
      />
      <p role="status" class="spoken">
        {t.found(results.length, number(results.length))}
      </p>
    </Modal>
  );
}
