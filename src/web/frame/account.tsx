// The account menu of the page header: who is logged in, theme, language, keyboard shortcuts, API reference, log out.
import { Select } from '../parts/choice.tsx';
import { Icon } from '../parts/icon.tsx';
import { Link } from '../parts/link.tsx';
import { Menu } from '../parts/menu.tsx';
import { language, languages, theme, themes } from '../state/preferences.ts';
import { signOut } from '../state/session.ts';
import { hrefTo } from '../state/url.ts';
import { text } from '../text/text.ts';
import { openPanel } from './panel.ts';
import { WhoAmI } from './who-am-i.tsx';

export function Account() {
  const t = text.value;
  return (
    <Menu
      kind="account"
      label={
        <>
          <Icon name="account" />
          {t.account}
        </>
      }
    >
      <WhoAmI />
      <Select
        label={t.themeLabel}
        value={theme.value}
        values={themes}
        describe={(one) => t.themes[one]}
        choose={(one) => {
          theme.value = one;
        }}
      />
      <Select
        label={t.languageLabel}
        value={language.value}
        values={languages}
        describe={(one) => t.languageNames[one]}
        choose={(one) => {
          language.value = one;
        }}
      />
      <button type="button" onClick={() => openPanel('keys')}>
        {t.keyboardShortcuts}
      </button>
      <Link to={hrefTo('docs')}>{t.places.docs}</Link>
      <button type="button" onClick={() => void signOut()}>
        {t.signOut}
      </button>
    </Menu>
  );
}
