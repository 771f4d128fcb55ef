// Who did what with an alert, and a button that takes it back.
import type { Reply } from '../api/client.ts';
import { ActionButton, Outcome } from '../parts/outcome.tsx';
import { Time } from '../parts/time.tsx';
import { useAction } from '../state/action.ts';
import type { Alert } from '../state/alerts.ts';
import { may } from '../state/session.ts';
import { words } from '../text/alerts/words.ts';
import { when } from '../text/format.ts';
import { undoOne } from './act.ts';
import { describeEnd } from './rule-words.ts';

type Event = Reply<'GET /api/alerts/:id'>['history'][number];

export function AlertHistory({ alert, history }: { alert: Alert; history: readonly Event[] }) {
  const t = words.value;
  return (
    <section>
      <h3>{t.history}</h3>
      {history.length === 0 ? <p class="empty">{t.noHistory}</p> : null}
      <ol class="rows">
        {history.map((event) => (
          <Row key={event.id} alert={alert} event={event} />
        ))}
      </ol>
    </section>
  );
}

function Row({ alert, event: { id, at, by, action, note, until, undoneAt, canUndo } }: { alert: Alert; event: Event }) {
  const t = words.value;
  const undoing = useAction();
  const hasEnd = action === 'mute' || action === 'change_rule';
  const name = hasEnd ? `${t.events[action]} ${describeEnd(until)}` : t.events[action];
  return (
    <li>
      <div>
        {undoneAt === null ? name : <s>{name}</s>}
        <small>
          <Time at={at} /> <bdi>{by ?? t.hub}</bdi> {undoneAt === null ? null : t.wasUndone(when(undoneAt))}
        </small>
        {note === null ? null : <q dir="auto">{note}</q>}
        <Outcome action={undoing} />
      </div>
      {canUndo && may('alerts.write') ? (
        <ActionButton action={undoing} work={() => undoOne(alert, id)} label={t.undo} about={t.undoOf(name)} />
      ) : null}
    </li>
  );
}
