// The Agents: who waits for approval, who is enrolled, how a new one is added, how they send.
import { useEffect } from 'preact/hooks';
import { ask, type Reply } from '../../api/client.ts';
import { every } from '../../clock.ts';
import { Card } from '../../parts/card.tsx';
import { ConfirmButton } from '../../parts/confirm-dialog.tsx';
import { Failure, Note } from '../../parts/note.tsx';
import { isolateName, joinWithDots } from '../../parts/outside.ts';
import { useAsked } from '../../state/loaded.ts';
import { when } from '../../text/format.ts';
import { words } from '../../text/settings/words.ts';
import { EnrolmentCode } from './enrolment-code.tsx';
import { PendingRequests } from './pending-requests.tsx';
import { Transport } from './transport.tsx';

type Agent = Reply<'GET /api/agents'>['agents'][number];

/** No event reports a request or a collected credential, so both lists are polled. */
const lookAgainMs = 5000;

export function Agents() {
  const t = words.value.agents;
  const agents = useAsked('GET /api/agents', {});
  const requests = useAsked('GET /api/agents/enrollment-requests', {});
  useEffect(
    () =>
      every(lookAgainMs, () => {
        requests.reload();
        agents.reload();
      }),
    [],
  );
  return (
    <div class="stack">
      <p class="help">{t.about}</p>
      <Card title={t.requests}>
        <Failure error={requests.error} reload={requests.reload} />
        {requests.value ? (
          <PendingRequests
            requests={requests.value.requests}
            decided={() => {
              requests.reload();
              agents.reload();
            }}
          />
        ) : null}
      </Card>
      <EnrolmentCode />
      <Card title={t.list} part="agents">
        <Failure error={agents.error} reload={agents.reload} />
        {agents.value?.agents.length === 0 ? <Note title={t.empty} help={t.emptyHelp} /> : null}
        <ul class="items">
          {agents.value?.agents.map((agent) => (
            <Row key={agent.agentId} agent={agent} changed={agents.reload} />
          ))}
        </ul>
      </Card>
      <Transport />
    </div>
  );
}

function Row({ agent, changed }: { agent: Agent; changed: () => void }) {
  const t = words.value.agents;
  const { agentId, hostName, platform, osVersion, agentVersion, lastSeenAt, revokedAt } = agent;
  const revoke = async () => {
    await ask('POST /api/agents/:agentId/revoke', { params: { agentId }, body: {} });
    changed();
  };
  return (
    <li class={revokedAt === null ? '' : 'over'}>
      <h3>
        <bdi>{hostName}</bdi>
      </h3>
      <p class="state">
        <strong>{revokedAt === null ? t.active : t.revoked(when(revokedAt))}</strong>
        <span>{lastSeenAt === null ? t.notSeen : t.lastSeen(when(lastSeenAt))}</span>
      </p>
      <p class="help">{joinWithDots([platform, osVersion, agentVersion])}</p>
      {revokedAt === null ? (
        <p class="actions">
          <ConfirmButton label={words.value.revoke} title={t.revokeTitle(isolateName(hostName))} act={revoke}>
            <p>{t.revokeHelp}</p>
          </ConfirmButton>
        </p>
      ) : null}
    </li>
  );
}
