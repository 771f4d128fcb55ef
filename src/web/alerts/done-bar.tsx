// What was done last, with a button that takes it back. It stays until the next action: nobody has to hurry.
import { AlertTitle } from '../parts/alert-title.tsx';
import { Icon } from '../parts/icon.tsx';
import { describeError } from '../parts/outcome.tsx';
import { words } from '../text/alerts/words.ts';
import { number } from '../text/format.ts';
import { text } from '../text/text.ts';
import { done, undoLast } from './act.ts';
import { describeAlerts } from './action-buttons.tsx';

export function DoneBar() {
  const last = done.value;
  return (
    <div class={`done-bar ${last === null ? '' : 'shown'}`}>
      <div role="status">{last === null ? null : <Message last={last} />}</div>
      {last === null ? null : (
        <p class="actions">
          {last.events.length > 0 ? (
            <button type="button" class="main" disabled={last.isBusy} onClick={() => void undoLast()}>
              {words.value.undo}
            </button>
          ) : null}
          <button
            type="button"
            class="quiet"
            aria-label={text.value.close}
            onClick={() => {
              done.value = null;
            }}
          >
            <Icon name="close" />
          </button>
        </p>
      )}
    </div>
  );
}

function Message({
  last: { name, alerts, leftCount = 0, hasLapsed, error },
}: {
  last: NonNullable<typeof done.value>;
}) {
  const t = words.value;
  const [only] = alerts;
  if (error) {
    const known: Readonly<Record<string, string>> = { alert_covered: t.covered };
    return <p class="problem">{known[error.code] ?? describeError(error)}</p>;
  }
  return (
    <>
      {alerts.length === 0 ? (
        name === 'undo' ? null : (
          <p>{t.done[name]}</p>
        )
      ) : (
        <p>
          {t.done[name]}: {alerts.length === 1 && only ? <AlertTitle alert={only} /> : describeAlerts(alerts)}
        </p>
      )}
      {hasLapsed ? <p class="problem">{t.lapsed}</p> : null}
      {leftCount === 0 ? null : <p class="problem">{t.notUndone(leftCount, number(leftCount))}</p>}
    </>
  );
}
