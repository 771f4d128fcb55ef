// One router of the list: its state in words, what to do about it, and what may be done with it.
import { ask } from '../../api/client.ts';
import { ConfirmButton } from '../../parts/confirm-dialog.tsx';
import { Icon } from '../../parts/icon.tsx';
import { ActionButton, Outcome } from '../../parts/outcome.tsx';
import { isolateName, joinWithDots } from '../../parts/outside.ts';
import { LinkButton, Permitted } from '../../parts/permitted.tsx';
import { Time } from '../../parts/time.tsx';
import { useAction } from '../../state/action.ts';
import { describeRouter, type Router, routerName } from '../../state/routers.ts';
import { hrefWith } from '../../state/url.ts';
import { number } from '../../text/format.ts';
import { words } from '../../text/settings/words.ts';
import { HostKeyChange } from './host-key-change.tsx';
import { RouterNotes } from './router-notes.tsx';

export function RouterRow({ router, changed }: { router: Router; changed: () => void }) {
  const t = words.value.routers;
  const action = useAction();
  const { id, kind, ip, port, model, enabled, ready, state, lastSuccessAt, sessionCount } = router;
  const { hostKeyChange, complete, unparsed, unsupported } = router;
  const name = routerName(router);
  const turn = async () => {
    await ask('PUT /api/routers/:id', { params: { id }, body: { enabled: !enabled } });
    changed();
  };
  const remove = async () => {
    await ask('DELETE /api/routers/:id', { params: { id } });
    changed();
  };
  return (
    <li>
      <h3>
        <bdi>{name}</bdi>
      </h3>
      <p class={ready || !enabled ? 'state' : 'state warn'}>
        {ready || !enabled ? null : <Icon name="warn" />}
        <strong>{t.states[state]}</strong>
        {ready ? <span>{t.sessionCount(sessionCount, number(sessionCount))}</span> : null}
        {lastSuccessAt === null ? null : (
          <span>
            {t.lastRead} <Time at={lastSuccessAt} />
          </span>
        )}
      </p>
      {ready && complete !== false ? null : <p dir="auto">{describeRouter(router)}</p>}
      <p class="help">{joinWithDots([t.kinds[kind], model, port === 22 ? ip : `${ip}, ${t.port} ${port}`])}</p>
      <RouterNotes {...router} />
      <Samples label={t.notUnderstood(unparsed.count, number(unparsed.count))} lines={unparsed.samples} />
      <Samples label={t.notRead(unsupported.count, number(unsupported.count))} lines={unsupported.samples} />
      {hostKeyChange ? <HostKeyChange id={id} change={hostKeyChange} changed={changed} /> : null}
      <Permitted needs="settings.write">
        <LinkButton to={hrefWith({ router: id })} needs="settings.write">
          {words.value.edit}
        </LinkButton>
        <ActionButton action={action} work={turn} label={enabled ? t.switchOff : t.switchOn} />
        <ConfirmButton label={words.value.remove} title={t.removeTitle(isolateName(name))} act={remove}>
          <p>{t.removeHelp}</p>
        </ConfirmButton>
      </Permitted>
      <Outcome action={action} />
    </li>
  );
}

function Samples({ label, lines }: { label: string; lines: readonly string[] }) {
  return lines.length === 0 ? null : (
    <details>
      <summary>{label}</summary>
      <pre dir="auto">{lines.join('\n')}</pre>
    </details>
  );
}
