// A code with which a machine may apply: shown once, for a short time.
import { useState } from 'preact/hooks';
import { apiUrl, ask, type Reply } from '../../api/client.ts';
import { Card } from '../../parts/card.tsx';
import { CopyField } from '../../parts/copy.tsx';
import { ActionButton, Outcome } from '../../parts/outcome.tsx';
import { useAction } from '../../state/action.ts';
import { words } from '../../text/settings/words.ts';
import { TimeLeft } from '../time-left.tsx';

export function EnrolmentCode() {
  const t = words.value.agents;
  const action = useAction();
  const [made, setMade] = useState<Reply<'POST /api/agents/enrollment-tokens'> | null>(null);
  const make = async () => setMade(await ask('POST /api/agents/enrollment-tokens', { body: {} }));
  const hub = apiUrl('/').href.replace(/\/$/, '');
  return (
    <Card title={t.codeTitle} part="code">
      {made ? (
        <div class="form">
          <p class="help">
            {words.value.shownOnce} <TimeLeft until={made.expiresAt} />
          </p>
          <CopyField label={t.code} value={made.code} />
          <CopyField label={t.command} value={`gatehouse agent enroll --hub ${hub} --code ${made.code}`} />
        </div>
      ) : null}
      <p class="actions">
        <ActionButton action={action} work={make} label={t.makeCode} kind={made ? '' : 'main'} saysBusy />
      </p>
      <Outcome action={action} />
    </Card>
  );
}
