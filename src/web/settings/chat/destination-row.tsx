// One destination of the list: its state in words, its last events, and what may be done with it.
import type { Reply } from '../../api/client.ts';
import { ask } from '../../api/client.ts';
import { ConfirmButton } from '../../parts/confirm-dialog.tsx';
import { Icon } from '../../parts/icon.tsx';
import { ActionButton, Outcome } from '../../parts/outcome.tsx';
import { isolateName } from '../../parts/outside.ts';
import { LinkButton, Permitted } from '../../parts/permitted.tsx';
import { Time } from '../../parts/time.tsx';
import { useAction } from '../../state/action.ts';
import { hrefWith } from '../../state/url.ts';
import { dateTime, number } from '../../text/format.ts';
import { words } from '../../text/settings/words.ts';

export type Destination = Reply<'GET /api/destinations'>['destinations'][number];

interface Props {
  destination: Destination;
  now: number;
  changed: () => void;
}

const muteMs = 8 * 3_600_000;

export function DestinationRow({ destination, now, changed }: Props) {
  const t = words.value.destinations;
  const changing = useAction();
  const testing = useAction();
  const { id, name, enabled, muteUntil, settings, delivery } = destination;
  const params = { id };
  const isMuted = muteUntil !== null && muteUntil > now;
  const update = async (body: { enabled: boolean } | { muteUntil: number | null }) => {
    await ask('PUT /api/destinations/:id', { params, body });
    changed();
  };
  const remove = async () => {
    await ask('DELETE /api/destinations/:id', { params });
    changed();
  };
  const isFailing = enabled && delivery.lastError !== null;
  return (
    <li>
      <h3>
        <bdi>{name}</bdi>
      </h3>
      <p class={isFailing ? 'state warn' : 'state'}>
        {isFailing ? <Icon name="warn" /> : null}
        <strong>{enabled ? (isFailing ? t.failing : t.working) : t.off}</strong>
        <span>{t.waiting(delivery.waiting, number(delivery.waiting))}</span>
        {delivery.lastSentAt === null ? null : (
          <span>
            {t.lastSent} <Time at={delivery.lastSentAt} />
          </span>
        )}
        {delivery.quietUntil === null ? null : <span>{t.quietUntil(dateTime(delivery.quietUntil))}</span>}
      </p>
      {isFailing ? <p dir="auto">{delivery.lastError}</p> : null}
      <p class="help">{t.kinds[settings.kind]}</p>
      <LastEvents events={delivery.events} />
      <Permitted needs="settings.write">
        <LinkButton to={hrefWith({ destination: id })} needs="settings.write">
          {words.value.edit}
        </LinkButton>
        <ActionButton
          action={testing}
          work={() => ask('POST /api/destinations/:id/test', { params, body: {} })}
          label={t.test}
          saysBusy
        />
        <ActionButton
          action={changing}
          work={() => update({ muteUntil: isMuted ? null : now + muteMs })}
          label={isMuted ? t.endMute : t.mute}
        />
        <ActionButton
          action={changing}
          work={() => update({ enabled: !enabled })}
          label={enabled ? t.turnOff : t.turnOn}
        />
        <ConfirmButton label={words.value.remove} title={t.removeTitle(isolateName(name))} act={remove}>
          <p>{t.removeHelp}</p>
        </ConfirmButton>
      </Permitted>
      <Outcome action={testing} done={t.tested} />
      <Outcome action={changing} />
    </li>
  );
}

function LastEvents({ events }: Pick<Destination['delivery'], 'events'>) {
  const t = words.value.destinations;
  return events.length === 0 ? null : (
    <details>
      <summary>{t.lastEvents}</summary>
      <ul>
        {events.map(({ kind, state, at, delivery }, index) => (
          <li key={index}>
            <Time at={at} /> {t.told[kind]}
            {state === 'resolved' ? ` (${t.resolved})` : null}: {t.deliveries[delivery]}
          </li>
        ))}
      </ul>
    </details>
  );
}
