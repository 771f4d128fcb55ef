// Enrolment requests. What a machine says of itself is shown as a claim.

import { useState } from 'preact/hooks';
import { ask, type Reply } from '../../api/client.ts';
import { Warning } from '../../parts/note.tsx';
import { Outcome } from '../../parts/outcome.tsx';
import { dot, isolateName, joinWithDots } from '../../parts/outside.ts';
import { useAction } from '../../state/action.ts';
import { words } from '../../text/settings/words.ts';
import { TimeLeft } from '../time-left.tsx';

type Request = Reply<'GET /api/agents/enrollment-requests'>['requests'][number];

export function PendingRequests({ requests, decided }: { requests: readonly Request[]; decided: () => void }) {
  const t = words.value.agents;
  const [said, setSaid] = useState('');
  return (
    <div aria-live="polite">
      {said === '' ? null : <p class="done">{said}</p>}
      {requests.length === 0 ? <p class="empty">{t.noRequests}</p> : <p class="help">{t.claimHelp}</p>}
      <ul class="items">
        {requests.map((request) => (
          <Row
            key={request.requestId}
            request={request}
            decided={(sentence) => {
              setSaid(sentence);
              decided();
            }}
          />
        ))}
      </ul>
    </div>
  );
}

function Row({ request, decided }: { request: Request; decided: (sentence: string) => void }) {
  const t = words.value.agents;
  const action = useAction();
  const { requestId, hostName, platform, osVersion, agentVersion, expiresAt, duplicateHostName, sameAddress } = request;
  const decide = (sentence: string, work: () => Promise<unknown>) =>
    void action.run(async () => {
      await work();
      decided(sentence);
    });
  const approve = (replaceExisting: boolean) =>
    decide(t.approved(isolateName(hostName)), () =>
      ask('POST /api/agents/enrollment-requests/:requestId/approve', {
        params: { requestId },
        body: replaceExisting ? { replaceExisting } : {},
      }),
    );
  const reject = () =>
    decide(t.rejected(isolateName(hostName)), () =>
      ask('POST /api/agents/enrollment-requests/:requestId/reject', { params: { requestId }, body: {} }),
    );
  return (
    <li>
      <h3>{t.claimed(isolateName(hostName))}</h3>
      <p class="help">
        {joinWithDots([platform, osVersion, agentVersion])}
        {dot}
        <TimeLeft until={expiresAt} />
      </p>
      <p>{sameAddress ? t.sameAddress : t.otherAddress}</p>
      {duplicateHostName ? <Warning>{t.duplicate}</Warning> : null}
      <p class="actions">
        <button type="button" class="main" disabled={action.isBusy} onClick={() => approve(false)}>
          {t.approve}
        </button>
        {duplicateHostName ? (
          <button type="button" disabled={action.isBusy} onClick={() => approve(true)}>
            {t.approveReplacing}
          </button>
        ) : null}
        <button type="button" disabled={action.isBusy} onClick={reject}>
          {t.reject}
        </button>
      </p>
      <Outcome action={action} />
    </li>
  );
}
