// How an AI assistant is connected: what it needs, and its configuration.
import { Card } from '../../parts/card.tsx';
import { Link } from '../../parts/link.tsx';
import { words } from '../../text/assistant/words.ts';
import { words as settings } from '../../text/settings/words.ts';
import { hrefToSetting } from '../setting-href.ts';
import { ConnectAssistant } from './connect-assistant.tsx';

export function Assistants() {
  const t = words.value;
  return (
    <Card title={settings.value.sections.assistants} part="assistants">
      <p>{t.about}</p>
      <p>
        {t.needsToken} <Link to={hrefToSetting('sign-in', 'identities')}>{t.makeToken}</Link>
      </p>
      <ConnectAssistant />
    </Card>
  );
}
