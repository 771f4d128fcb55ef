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
import { asides, places, type View } from './places.ts';
import { RangePicker } from './range-picker.tsx';

export function Frame() {
  const t = text.value;
  useEffect(openLive, []);
  useEffect(listenForPlaces, []);
  const shown = [...places, ...asides].find(({ path }) => path === place.value);
  useEffect(() => {
    document.title = shown ? `${t.places[shown.name]} – ${t.appName}` : t.appName;
  }, [shown, t]);
  return (
    <div class="frame">
      <a class="skip" href="#content">
        {t.skip}
      </a>
      <nav class="places" aria-label={t.placesLabel}>
        <p class="brand">{t.appName}</p>
        {places.map(({ path, name, icon }) => (
          <Link
            key={path}
            to={addressIn(path, rangeParameters.value)}
            {...(path === place.value ? { 'aria-current': 'page' } : {})}
          >
            <Icon name={icon} />
            {t.places[name]}
            {name === 'alerts' ? <AlertBadge /> : null}
          </Link>
        ))}
      </nav>
      <header class="top">
        <RangePicker />
        <CoverageMeter />
        <LiveDot />
        <Account />
      </header>
      <main id="content" tabIndex={-1}>
        {shown ? <Shown key={shown.path} view={shown} /> : <Lost />}
      </main>
    </div>
  );
}

function Shown({ view: shown }: { view: View }) {
  const [Content, setContent] = useState<ComponentType | null>(null);
  useEffect(() => {
    void shown.load().then((loaded) => setContent(() => loaded));
  }, [shown]);
  return Content ? <Content /> : <p class="note">{text.value.loading}</p>;
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
