// Theme, language, and the way out.
import { Icon } from '../parts/icon.tsx';
import { Link } from '../parts/link.tsx';
import { type Language, language, languages, type Theme, theme, themes } from '../state/preferences.ts';
import { signOut } from '../state/session.ts';
import { hrefTo } from '../state/url.ts';
import { text } from '../text/text.ts';

export function Account({ showKeys }: { showKeys: () => void }) {
  const t = text.value;
  return (
    <details class="account">
      <summary>
        <Icon name="account" />
        {t.account}
      </summary>
      <div class="menu">
        <label>
          {t.themeLabel}
          <select
            value={theme.value}
            onChange={({ currentTarget }) => {
              theme.value = currentTarget.value as Theme;
            }}
          >
            {themes.map((one) => (
              <option key={one} value={one}>
                {t.themes[one]}
              </option>
            ))}
          </select>
        </label>
        <label>
          {t.languageLabel}
          <select
            value={language.value}
            onChange={({ currentTarget }) => {
              language.value = currentTarget.value as Language;
            }}
          >
            {languages.map((one) => (
              <option key={one} value={one}>
                {t.languageNames[one]}
              </option>
            ))}
          </select>
        </label>
        <button type="button" onClick={showKeys}>
          {t.keysHelp}
        </button>
        <Link to={hrefTo('docs')}>{t.places.docs}</Link>
        <button type="button" onClick={() => void signOut()}>
          {t.signOut}
        </button>
      </div>
    </details>
  );
}
