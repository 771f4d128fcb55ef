// The frame around every place: navigation, period, coverage, live state, search, account.
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Icon } from '../parts/icon.tsx';
import { loadLater } from '../parts/late.tsx';
import { Link } from '../parts/link.tsx';
import { Note } from '../parts/note.tsx';
import { visibleText } from '../parts/outside.ts';
import { openLive } from '../state/live.ts';
import { rangeParameters } from '../state/range.ts';
import { outsideTitle, titleParts } from '../state/title.ts';
import { asking } from '../state/unsaved.ts';
import { hrefTo, path, place } from '../state/url.ts';
import { text } from '../text/text.ts';
import { Account } from './account.tsx';
import { AlertBadge, useUrgentAlerts } from './alert-badge.tsx';
import { CoverageMeter } from './coverage-meter.tsx';
import { LiveDot } from './live-dot.tsx';
import { listenForKeys } from './page-keys.ts';
import { asides, places } from './places.ts';
import { RangePicker } from './range-picker.tsx';

const Search = loadLater(async () => (await import('../search/search.tsx')).Search);
const LeaveDialog = loadLater(async () => (await import('../parts/leave-dialog.tsx')).LeaveDialog);
const KeyHelp = loadLater(async () => (await import('./key-help.tsx')).KeyHelp);

export function Frame() {
  const t = text.value;
  useEffect(openLive, []);
  const [hasAll, setAll] = useState(false);
  useEffect(() => setAll(false), [place.value]);
  const [opened, setOpened] = useState<{ what: 'search' | 'help'; turn: number } | null>(null);
  const turns = useRef(0);
  const open = (what: 'search' | 'help') => {
    turns.current += 1;
    setOpened({ what, turn: turns.current });
  };
  // A layout effect: keys must work as soon as the page is visible.
  useLayoutEffect(() => listenForKeys(open), []);
  // A dialog reports its end late: another one may be open by then and must stay.
  const close = () => setOpened((now) => (now === opened ? null : now));
  const shown = [...places, ...asides].find((one) => one.path === place.value);
  const urgent = useUrgentAlerts();
  useEffect(() => {
    const names = [...titleParts.value, ...(shown ? [t.places[shown.name]] : []), t.appName];
    // A name from outside stands alone.
    const title = outsideTitle.value === null ? names.join(' – ') : visibleText(outsideTitle.value);
    document.title = urgent > 0 ? `(${urgent}) ${title}` : title;
  }, [shown, t, titleParts.value, outsideTitle.value, urgent]);
  const content = useContentFocus();
  return (
    <div class="frame">
      <a class="skip" href="#content">
        {t.skip}
      </a>
      <nav class={`places ${hasAll ? 'all' : ''}`} aria-label={t.placesLabel}>
        <p class="brand">{t.appName}</p>
        {places.map(({ path: to, name, isRare }) => (
          <Link
            key={to}
            to={hrefTo(to, rangeParameters.value)}
            {...(isRare ? { class: 'rare' } : {})}
            aria-current={to === place.value ? 'page' : undefined}
          >
            <Icon name={name} />
            {t.places[name]}
            {name === 'alerts' ? <AlertBadge count={urgent} /> : null}
          </Link>
        ))}
        <button type="button" class="quiet more" aria-expanded={hasAll} onClick={() => setAll(!hasAll)}>
          <Icon name="more" />
          {t.more}
        </button>
      </nav>
      <header class="top">
        <RangePicker />
        <CoverageMeter />
        <LiveDot />
        <button type="button" class="quiet search-button" onClick={() => open('search')}>
          <Icon name="search" />
          {t.search}
        </button>
        <Account showShortcuts={() => open('help')} />
      </header>
      <main id="content" ref={content} tabIndex={-1}>
        {shown ? <shown.View key={shown.path} /> : <Lost />}
      </main>
      {asking.value === null ? null : <LeaveDialog />}
      {opened?.what === 'search' ? <Search key={opened.turn} close={close} /> : null}
      {opened?.what === 'help' ? <KeyHelp key={opened.turn} close={close} /> : null}
    </div>
  );
}

/** Focuses the content when another path is shown and the link that led there is gone. */
function useContentFocus(): RefObject<HTMLElement | null> {
  const content = useRef<HTMLElement>(null);
  const before = useRef(path.value);
  useEffect(() => {
    if (before.current !== path.value && document.activeElement === document.body) {
      content.current?.focus();
    }
    before.current = path.value;
  }, [path.value]);
  return content;
}

function Lost() {
  return (
    <Note title={text.value.notFound}>
      <Link to={hrefTo('')}>{text.value.toOverview}</Link>
    </Note>
  );
}
