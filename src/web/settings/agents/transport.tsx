// Whether what Agents send is encrypted, and the consent to send it otherwise.
import { ask } from '../../api/client.ts';
import { Card } from '../../parts/card.tsx';
import { ConfirmButton } from '../../parts/confirm-dialog.tsx';
import { Failure } from '../../parts/note.tsx';
import { ActionButton, Outcome } from '../../parts/outcome.tsx';
import { useAction } from '../../state/action.ts';
import { useAsked } from '../../state/loaded.ts';
import { words } from '../../text/settings/words.ts';

export function Transport() {
  const t = words.value.agents;
  const action = useAction();
  const { value, error, isLoading, reload } = useAsked('GET /api/agents/transport', {});
  const save = async (allowPlaintext: boolean) => {
    await ask('POST /api/agents/transport', { body: { allowPlaintext } });
    reload();
  };
  return (
    <Card title={t.transport} part="transport" isDimmed={isLoading}>
      <Failure error={error} reload={reload} />
      {value?.secure ? <p>{t.secure}</p> : null}
      {value && !value.secure ? (
        <>
          <p>{t.insecure}</p>
          <Risks risks={value.risks} />
          <p>{value.accepted ? t.accepted : t.refused}</p>
        </>
      ) : null}
      {value?.accepted ? (
        <p class="actions">
          <ActionButton action={action} work={() => save(false)} label={t.withdraw} />
        </p>
      ) : null}
      {value?.consentRequired && !value.accepted ? (
        <p class="actions">
          <ConfirmButton label={t.consent} title={t.consentTitle} act={() => save(true)}>
            <Risks risks={value.risks} />
            <p>{t.consentHelp}</p>
          </ConfirmButton>
        </p>
      ) : null}
      <Outcome action={action} />
    </Card>
  );
}

function Risks({ risks }: { risks: readonly (keyof typeof words.value.agents.risks)[] }) {
  return (
    <ul class="hints">
      {risks.map((risk) => (
        <li key={risk}>{words.value.agents.risks[risk]}</li>
      ))}
    </ul>
  );
}
