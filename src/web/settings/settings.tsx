// What the operator chooses: a list of sections, and the one that the address names.
import { Link } from '../parts/link.tsx';
import { Note } from '../parts/note.tsx';
import { may } from '../state/session.ts';
import { useTitle } from '../state/title.ts';
import { query } from '../state/url.ts';
import { words } from '../text/settings/words.ts';
import { text } from '../text/text.ts';
import { sections } from './sections.ts';
import { hrefToSetting } from './setting-href.ts';

export function Settings() {
  const t = words.value;
  const shown = sections.find(({ name }) => name === query.value.get('section')) ?? sections[0];
  useTitle(t.sections[shown.name]);
  return (
    <div class="settings">
      <h1>{t.title}</h1>
      <nav class="sections" aria-label={t.title}>
        {sections.map(({ name }) => (
          <Link key={name} to={hrefToSetting(name)} aria-current={name === shown.name ? 'page' : undefined}>
            {t.sections[name]}
          </Link>
        ))}
      </nav>
      <div class="section">
        {may(shown.needs) ? (
          <shown.View key={shown.name} />
        ) : (
          <Note title={text.value.forbidden} help={text.value.forbiddenHelp} />
        )}
      </div>
    </div>
  );
}
