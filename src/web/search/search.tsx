// One field for everything: places, devices, and what the log of the period has. The arrows choose, Enter opens.
import type { InputHTMLAttributes } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { ask } from '../api/client.ts';
import { Modal } from '../parts/modal.tsx';
import { Problem } from '../parts/problem.tsx';
import { useLoaded } from '../state/loaded.ts';
import { range } from '../state/range.ts';
import { useTyped } from '../state/typed.ts';
import { navigate } from '../state/url.ts';
import { dateTime, number } from '../text/format.ts';
import { words } from '../text/frame/words.ts';
import { text } from '../text/text.ts';
import { find } from './find.ts';
import { searchLog } from './found.ts';
import { Results } from './results.tsx';

/** As long as the shortest filter of the API takes. */
const longest = 200;

export function Search({ close }: { close: () => void }) {
  const t = words.value.search;
  const [id, field] = [useId(), useRef<HTMLInputElement>(null)];
  const [asked, setAsked] = useState('');
  const [active, setActive] = useState(0);
  const typed = useTyped(asked, setAsked);
  // The end of a period that ends now would move on, and ask again.
  const [{ name, from, to }] = useState(range.value);
  const period = { from: String(from), to: String(to) };
  const devices = useLoaded('devices', (signal) =>
    ask('GET /api/devices', { query: { includeArchived: '1' } }, signal),
  );
  const summary = useLoaded('summary', (signal) =>
    ask('GET /api/connections/summary', { query: { ...period, buckets: '1' } }, signal),
  );
  const log = useLoaded(asked, async (signal) => ({ of: asked, found: await searchLog(asked, period, signal) }));
  useLayoutEffect(() => field.current?.focus(), []);
  const groups = find(typed.text, {
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
    navigate(target);
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
  const errors = [devices.error, summary.error, log.error].filter((error) => error !== null);
  const isKnown = groups.some((group) => group.name !== 'log');
  // Preact's types know a combobox only with a list of the browser.
  const combobox = {
    type: 'text',
    role: 'combobox',
    'aria-expanded': results.length > 0,
    'aria-controls': `${id}-list`,
    'aria-autocomplete': 'list',
    'aria-activedescendant': results.length > 0 ? `${id}-${chosen}` : undefined,
  } as InputHTMLAttributes<HTMLInputElement>;
  return (
    <Modal title={t.title} kind="search" close={close}>
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
      <p class="help">{typed.text === '' ? t.hint : t.of(nameOf(name, from, to))}</p>
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
        {t.found(number(results.length))}
      </p>
    </Modal>
  );
}

function nameOf(name: keyof typeof text.value.periodNames | null, from: number, to: number): string {
  return name === null ? text.value.rangeOwn(dateTime(from), dateTime(to)) : text.value.periodNames[name];
}
