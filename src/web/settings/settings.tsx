// What the operator chooses: a list of sections, and the one that the address names.
import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Link } from '../parts/link.tsx';
import { Note } from '../parts/note.tsx';
import { rangeParameters } from '../state/range.ts';
import { may } from '../state/session.ts';
import { hrefTo, query } from '../state/url.ts';
import { words } from '../text/settings/words.ts';
import { text } from '../text/text.ts';
import { type Section, sections } from './sections.ts';

export function Settings() {
  const t = words.value;
  const shown = sections.find(({ path }) => path === query.value.get('section')) ?? sections[0];
  return (
    <div class="settings">
      <h1>{t.title}</h1>
      <nav class="sections" aria-label={t.title}>
        {sections.map(({ path, name }) => (
          <Link
            key={path}
            to={hrefTo('settings', { ...rangeParameters.value, section: path })}
            {...(path === shown.path ? { 'aria-current': 'page' } : {})}
          >
            {t.sections[name]}
          </Link>
        ))}
      </nav>
      <div class="section">
        {may(shown.needs) ? (
          <Shown key={shown.path} section={shown} />
        ) : (
          <Note title={text.value.forbidden} help={text.value.forbiddenHelp} />
        )}
      </div>
    </div>
  );
}

function Shown({ section }: { section: Section }) {
  const [View, setView] = useState<ComponentType | null>(null);
  useEffect(() => {
    void section.load().then((loaded) => setView(() => loaded));
  }, [section]);
  return View ? <View /> : <p class="note">{text.value.loading}</p>;
}
