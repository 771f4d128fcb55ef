// What is around every place: where one is, which period is shown, and how much of it was observed.
import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Icon } from '../parts/icon.tsx';
import { Link } from '../parts/link.tsx';
import { Note } from '../parts/note.tsx';
import { openLive } from '../state/live.ts';
import { rangeParameters } from '../state/range.ts';
import { addressIn, place, show } from '../state/url.ts';
import { text } from '../text/text.ts';
import { Account } from './account.tsx';
import { AlertBadge } from './alert-badge.tsx';
import { CoverageMeter } from './coverage-meter.tsx';
import { LiveDot } from './live-dot.tsx';
import { type Place, places } from './places.ts';
import { RangePicker } from './range-picker.tsx';

export function Frame() {
  const t = text.value;
  useEffect(openLive, []);
  useEffect(listenForPlaces, []);
  const [hasAll, setAll] = useState(false);
  useEffect(() => setAll(false), [place.value]);
  const shown = places.find(({ path }) => path === place.value);
  useEffect(() => {
    document.title = shown ? `${t.places[shown.name]} – ${t.appName}` : t.appName;
  }, [shown, t]);
  return (
    <div class="frame">
      <a class="skip" href="#content">
        {t.skip}
      </a>
      <nav class={`places ${hasAll ? 'all' : ''}`} aria-label={t.placesLabel}>
        <p class="brand">{t.appName}</p>
        {places.map(({ path, name, icon, isRare }) => (
          <Link
            key={path}
            to={addressIn(path, rangeParameters.value)}
            {...(isRare ? { class: 'rare' } : {})}
            {...(path === place.value ? { 'aria-current': 'page' } : {})}
          >
            <Icon name={icon} />
            {t.places[name]}
            {name === 'alerts' ? <AlertBadge /> : null}
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
        <Account />
      </header>
      <main id="content" tabIndex={-1}>
        {shown ? <Shown key={shown.path} place={shown} /> : <Lost />}
      </main>
    </div>
  );
}

function Shown({ place: shown }: { place: Place }) {
  const [View, setView] = useState<ComponentType | null>(null);
  useEffect(() => {
    void shown.load().then((loaded) => setView(() => loaded));
  }, [shown]);
  return View ? <View /> : <p class="note">{text.value.loading}</p>;
}

function Lost() {
  return (
    <Note title={text.value.notFound}>
      <Link to={addressIn('')}>{text.value.toOverview}</Link>
    </Note>
  );
}

/** `g` and the letter of a place, outside of fields. */
function listenForPlaces(): () => void {
  let isAsked = false;
  const onKey = ({ key, target, ctrlKey, metaKey, altKey }: KeyboardEvent) => {
    const isField = target instanceof HTMLElement && target.matches('input, select, textarea');
    if (isField || ctrlKey || metaKey || altKey) {
      return;
    }
    const found = isAsked ? places.find(({ letter }) => letter === key) : undefined;
    isAsked = key === 'g' && !isAsked;
    if (found) {
      show(addressIn(found.path, rangeParameters.value));
    }
  };
  addEventListener('keydown', onKey);
  return () => removeEventListener('keydown', onKey);
}
