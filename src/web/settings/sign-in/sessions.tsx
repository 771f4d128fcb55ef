// Browsers that are logged in, each of which can be logged out from here.
import { useState } from 'preact/hooks';
import { ask, type Reply } from '../../api/client.ts';
import { Card } from '../../parts/card.tsx';
import { ConfirmButton } from '../../parts/confirm-dialog.tsx';
import { Failure } from '../../parts/note.tsx';
import { Outcome } from '../../parts/outcome.tsx';
import { joinWithDots } from '../../parts/outside.ts';
import { useAction } from '../../state/action.ts';
import { useAsked } from '../../state/loaded.ts';
import { dateTime, number, when } from '../../text/format.ts';
import { words } from '../../text/settings/words.ts';
import { parseUserAgent } from './user-agent.ts';

type Session = Reply<'GET /api/auth/sessions'>['sessions'][number];

export function Sessions() {
  const t = words.value.signIn;
  const { value, error, isLoading, reload } = useAsked('GET /api/auth/sessions', {});
  const [ended, setEnded] = useState<number | null>(null);
  const endAll = async () => {
    const { revoked } = await ask('POST /api/auth/sessions/revoke-all', { body: {} });
    setEnded(revoked);
    reload();
  };
  const others = value?.sessions.filter(({ current }) => !current).length ?? 0;
  return (
    <Card title={t.sessions} part="sessions" isDimmed={isLoading}>
      <Failure error={error} reload={reload} />
      <ul class="items">
        {value?.sessions.map((session) => (
          <Row key={session.id} session={session} changed={reload} />
        ))}
      </ul>
      {others > 0 ? (
        <p class="actions">
          <ConfirmButton label={t.endAll} title={t.endAllTitle} act={endAll}>
            <p>{t.endAllHelp}</p>
          </ConfirmButton>
        </p>
      ) : null}
      <p class="done" role="status">
        {ended === null ? '' : t.ended(ended, number(ended))}
      </p>
    </Card>
  );
}

function Row({ session, changed }: { session: Session; changed: () => void }) {
  const t = words.value.signIn;
  const action = useAction();
  const { id, deviceLabel, authMethod, role, userAgent, address, current, lastSeenAt, expiresAt } = session;
  const { browser, system } = parseUserAgent(userAgent);
  const revoke = async () => {
    await ask('POST /api/auth/sessions/:id/revoke', { params: { id: String(id) }, body: {} });
    changed();
  };
  return (
    <li>
      <h3>{current ? t.thisOne : <bdi>{deviceLabel ?? t.otherOne}</bdi>}</h3>
      <p class="help">
        {joinWithDots([browser ?? t.unknownBrowser, system ?? t.unknownSystem, address ?? t.unknownAddress])}
      </p>
      <p class="help">
        {joinWithDots([
          t.methods[authMethod],
          t.roles[role],
          t.lastSeen(when(lastSeenAt)),
          t.until(dateTime(expiresAt)),
        ])}
      </p>
      {current ? null : (
        <p class="actions">
          <button
            type="button"
            disabled={action.isBusy}
            aria-label={`${words.value.revoke}: ${deviceLabel ?? t.otherOne}`}
            onClick={() => void action.run(revoke)}
          >
            {words.value.revoke}
          </button>
        </p>
      )}
      <Outcome action={action} />
    </li>
  );
}
