// A router that presents another host key than the pinned one: both fingerprints, and the choice.
import { ask } from '../../api/client.ts';
import { ActionButton, Outcome } from '../../parts/outcome.tsx';
import { Permitted } from '../../parts/permitted.tsx';
import { useAction } from '../../state/action.ts';
import type { Router } from '../../state/routers.ts';
import { words } from '../../text/settings/words.ts';

interface Props {
  id: string;
  change: NonNullable<Router['hostKeyChange']>;
  changed: () => void;
}

export function HostKeyChange({ id, change: { known, presented }, changed }: Props) {
  const t = words.value.routers;
  const action = useAction();
  const accept = async () => {
    await ask('PUT /api/routers/:id', { params: { id }, body: { hostFp: presented } });
    changed();
  };
  return (
    <div class="evidence warn">
      <strong>{t.keyTitle}</strong>
      <p>{t.keyHelp}</p>
      <dl>
        <dt>{t.keyKnown}</dt>
        <dd>
          <Fingerprint value={known} />
        </dd>
        <dt>{t.keyPresented}</dt>
        <dd>
          <Fingerprint value={presented} />
        </dd>
      </dl>
      <Permitted needs="settings.write">
        <ActionButton action={action} work={accept} label={t.keyAccept} saysBusy />
      </Permitted>
      <Outcome action={action} />
    </div>
  );
}

/** Hexadecimal in groups for comparing by eye. It is copied without spaces. */
export function Fingerprint({ value }: { value: string }) {
  return (
    <code class="fingerprint" title={words.value.routers.keyTyping}>
      {value.match(/.{1,8}/g)?.map((group, index) => (
        <span key={`${index} ${group}`}>{group}</span>
      ))}
    </code>
  );
}
