// The frame around every place: navigation, period, coverage, live state, search, account.
import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { Icon } from '../parts/icon.tsx';
import { loadLater } from '../parts/late.tsx';
import { Link } from '../parts/link.tsx';
import { visibleText } from '../parts/outside.ts';
import { openLive } from '../state/live.ts';
import { rangeParameters } from '../state/range.ts';
import { outsideTitle, titleParts } from '../state/title.ts';
import { asking } from '../state/unsaved.ts';
import { hrefTo, isKnownDepth, place } from '../state/url.ts';
import { text } from '../text/text.ts';
import { Account } from './account.tsx';
import { AlertBadge, useUrgentAlerts } from './alert-badge.tsx';
import { CoverageMeter } from './coverage-meter.tsx';
import { keepFocus } from './keep-focus.ts';
import { LiveDot } from './live-dot.tsx';
import { listenForKeys } from './page-keys.ts';
import { openPanel, openPanelByKey, panel } from './panel.ts';
import { asides, places } from './places.ts';
import { RangePicker } from './range-picker.tsx';

const Search = loadLater(async () => (await import('../search/search.tsx')).Search);
const LeaveDialog = loadLater(async () => (await import('../parts/leave-dialog.tsx')).LeaveDialog);
const Lost = loadLater(async () => (await import('./lost.tsx')).Lost);
const KeyHelp = loadLater(async () => (await import('./key-help.tsx')).KeyHelp);

export function Frame() {
  const t = text.value;
  useEffect(openLive, []);
  useEffect(keepFocus, []);
  const [hasAll, setAll] = useState(false);
  useEffect(() => setAll(false), [place.value]);
  // A layout effect: keys must work as soon as the page is visible.
  useLayoutEffect(() => listenForKeys(openPanelByKey), []);
  const shown = isKnownDepth.value ? [...places, ...asides].find((one) => one.path === place.value) : undefined;
  const urgent = useUrgentAlerts();
  useEffect(() => {
    const names = [...titleParts.value, ...(shown ? [t.places[shown.name]] : []), t.appName];
    // A name from outside stands alone.
    const title = outsideTitle.value === null ? names.join(' – ') : visibleText(outsideTitle.value);
    document.title = urgent > 0 ? `(${urgent}) ${title}` : title;
  }, [shown, t, titleParts.value, outsideTitle.value, urgent]);
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
        <button type="button" class="quiet search-button" onClick={() => openPanel('search')}>
          <Icon name="search" />
          {t.search}
        </button>
        <Account />
      </header>
      <main id="content" tabIndex={-1}>
        {shown ? <shown.View key={shown.path} /> : <Lost />}
      </main>
      {asking.value === null ? null : <LeaveDialog />}
      {panel.value === 'search' ? <Search /> : null}
      {panel.value === 'keys' ? <KeyHelp /> : null}
    </div>
  );
}
