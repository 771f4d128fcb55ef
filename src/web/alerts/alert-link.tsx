// The page behind the link of a message: one alert, and what can be done with it once, without a login.
import { useEffect } from 'preact/hooks';
import { ask } from '../api/client.ts';
import { alertKind } from '../parts/alert-words.ts';
import { Link } from '../parts/link.tsx';
import { Failure } from '../parts/note.tsx';
import { ActionButton, Outcome } from '../parts/outcome.tsx';
import { useAction } from '../state/action.ts';
import { useLoaded } from '../state/loaded.ts';
import { hrefTo } from '../state/url.ts';
import { words } from '../text/alerts/words.ts';
import { when } from '../text/format.ts';
import { text } from '../text/text.ts';

const actions = ['acknowledge', 'mute_day', 'expect'] as const;

export function AlertLink() {
  const t = words.value.link;
  useEffect(() => {
    document.title = t.title;
  }, [t]);
  const token = location.hash.slice(1);
  const { value, error, reload } = useLoaded(token, (signal) => look(token, signal));
  return (
    <main class="sign-in" id="content">
      <h1>{t.title}</h1>
      <Failure error={error} reload={reload} />
      {value === null ? null : <LinkedAlert alert={value.alert} token={token} />}
      <p>
        <Link to={hrefTo('alerts', { alert: /^\d{1,15}(?=\.)/.exec(token)?.[0] })}>{t.open}</Link>
      </p>
    </main>
  );
}

type Shown = Awaited<ReturnType<typeof look>>['alert'];
const look = (token: string, signal: AbortSignal) => ask('POST /api/alert-links/look', { body: { token } }, signal);

function LinkedAlert({ alert: { kind, state, device, target, lastAt }, token }: { alert: Shown; token: string }) {
  const t = words.value.link;
  const action = useAction();
  return (
    <>
      <p>
        {alertKind(kind)}: <bdi>{device ?? text.value.detail.unknown}</bdi>
        {target === null ? null : (
          <>
            {' → '}
            <bdi>{target}</bdi>
          </>
        )}
      </p>
      <p class="help">{words.value.since(text.value.alerts.states[state], when(lastAt))}</p>
      {action.isDone ? null : (
        <p class="buttons">
          {actions.map((name) => (
            <ActionButton
              key={name}
              action={action}
              work={() => ask('POST /api/alert-links/act', { body: { token, action: name } })}
              label={t.actions[name]}
            />
          ))}
        </p>
      )}
      <Outcome action={action} done={t.done} />
      {action.isDone ? null : <p class="help">{t.help}</p>}
    </>
  );
}
