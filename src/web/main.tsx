// Renders the frame, the login, or why the hub cannot be asked.
import { render } from 'preact';
import { Frame } from './frame/frame.tsx';
import { SignIn } from './frame/sign-in.tsx';
import { showHiddenCharacters } from './parts/drawn-text.ts';
import { loadView } from './parts/late.tsx';
import { Note } from './parts/note.tsx';
import { readSession, session } from './state/session.ts';
import { place } from './state/url.ts';
import { text } from './text/text.ts';

const AlertLink = loadView(async () => (await import('./alerts/alert-link.tsx')).AlertLink);

function Page() {
  const t = text.value;
  if (place.value === 'act') {
    return <AlertLink />;
  }
  switch (session.value.state) {
    case 'in':
      return <Frame />;
    case 'out':
      return <SignIn />;
    case 'unreachable':
      return (
        <Note title={t.unreachable} help={t.unreachableHelp}>
          <button type="button" onClick={() => void readSession()}>
            {t.again}
          </button>
        </Note>
      );
    case 'unknown':
      return <p class="note">{t.loading}</p>;
  }
}

showHiddenCharacters();
for (const icon of document.querySelectorAll<HTMLLinkElement>('link[rel="icon"]')) {
  // A relative address would lead elsewhere from a page that lies deeper.
  icon.setAttribute('href', icon.href);
}
const root = document.getElementById('root');
if (root) {
  render(<Page />, root);
}
void readSession();
