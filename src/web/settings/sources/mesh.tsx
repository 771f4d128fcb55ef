// The mesh access point: how it is doing, and its login.
import { ask, type Reply } from '../../api/client.ts';
import { ConfirmButton } from '../../parts/confirm-dialog.tsx';
import { Message } from '../../parts/message.tsx';
import { number } from '../../text/format.ts';
import { words } from '../../text/settings/words.ts';
import { FormCard } from '../form/form-card.tsx';

interface Props {
  mesh: Reply<'GET /api/mesh'>;
  /** Address of the access point; empty while none is set up. */
  address: string;
  saved: () => void;
}

export function Mesh({ mesh: { state, message, messageFacts, nodes }, address, saved }: Props) {
  const t = words.value.mesh;
  const stop = async () => {
    await ask('POST /api/login', { body: { doMesh: false } });
    saved();
  };
  return (
    <FormCard
      title={t.title}
      part="mesh"
      help={t.help}
      route="POST /api/login"
      words={t}
      only={['routerIp', 'username', 'password']}
      values={{ routerIp: address, passwordSet: address !== '' }}
      adapt={(body) => ({ ...body, doMesh: true })}
      submit={t.submit}
      more={
        address === '' ? null : (
          <ConfirmButton label={t.off} title={t.offTitle} act={stop}>
            <p>{t.offHelp}</p>
          </ConfirmButton>
        )
      }
      saved={saved}
    >
      <p class={state === 'failed' ? 'state warn' : 'state'}>
        <strong>{t.states[state]}</strong>
        {state === 'ready' ? <span>{t.nodes(nodes.length, number(nodes.length))}</span> : null}
      </p>
      <Message message={message} messageFacts={messageFacts} />
    </FormCard>
  );
}
