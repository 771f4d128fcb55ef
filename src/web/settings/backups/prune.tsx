// Deletes old backups: shows first which ones, then deletes exactly those.
import { useEffect, useState } from 'preact/hooks';
import { ask, type Reply } from '../../api/client.ts';
import { every } from '../../clock.ts';
import { Card } from '../../parts/card.tsx';
import { ConfirmButton } from '../../parts/confirm-dialog.tsx';
import { MessageText } from '../../parts/message.tsx';
import { ActionButton, Outcome } from '../../parts/outcome.tsx';
import { useAction } from '../../state/action.ts';
import { bytes, number } from '../../text/format.ts';
import { words } from '../../text/settings/words.ts';

type Job = Reply<'GET /api/backup/prune/:jobId'>['job'];
type Result = NonNullable<Job['result']>;
type Plan = Extract<Result, { planHash: string }>;

const lookAgainMs = 1000;
const running: readonly Job['status'][] = ['running', 'cancelling', 'timing_out'];
const isRunning = ({ status }: Job) => running.includes(status);

/** `latest`: the running or last job, whoever started it. */
export function Prune({ latest, ended }: { latest: Job | null; ended: () => void }) {
  const t = words.value.backups;
  const action = useAction();
  const [mine, setMine] = useState<Job | null>(null);
  const job = mine ?? (latest && isRunning(latest) ? latest : null);
  const id = job && isRunning(job) ? job.id : null;
  useEffect(() => {
    if (id === null) {
      return undefined;
    }
    const look = async () => {
      const { job: now } = await ask('GET /api/backup/prune/:jobId', { params: { jobId: id } });
      setMine(now);
      if (!isRunning(now)) {
        ended();
      }
    };
    return every(lookAgainMs, () => void action.run(look));
  }, [id]);
  const begin = async (body: { execute: boolean; planHash?: string }) =>
    setMine((await ask('POST /api/backup/prune', { body })).job);
  const stop = async () => setMine((await ask('DELETE /api/backup/prune/:jobId', { params: { jobId: id ?? '' } })).job);
  return (
    <Card title={t.prune} part="prune">
      {job && id !== null ? (
        <>
          <progress aria-label={t.prune} max={Math.max(1, job.progress.total)} value={job.progress.completed} />
          <p role="status">{t.running(number(job.progress.completed), number(job.progress.total))}</p>
          <p class="actions">
            <button type="button" onClick={() => void action.run(stop)}>
              {t.stop}
            </button>
          </p>
        </>
      ) : (
        <>
          {job ? <Ended job={job} execute={(planHash) => begin({ execute: true, planHash })} /> : null}
          <p class="actions">
            <ActionButton action={action} work={() => begin({ execute: false })} label={t.preview} saysBusy />
          </p>
        </>
      )}
      <Outcome action={action} />
    </Card>
  );
}

function Ended({ job, execute }: { job: Job; execute: (planHash: string) => Promise<void> }) {
  const t = words.value.backups;
  const { result, error, errorFacts } = job;
  return (
    <>
      {error === undefined ? null : (
        <p class="problem" role="status">
          <MessageText message={error} messageFacts={errorFacts} />
        </p>
      )}
      {result === undefined ? null : 'deleted' in result ? (
        <p role="status">
          {t.pruned(result.deleted.length, number(result.deleted.length), bytes(result.deletedBytes))}
        </p>
      ) : (
        <Preview plan={result} execute={execute} />
      )}
    </>
  );
}

function Preview({ plan, execute }: { plan: Plan; execute: (planHash: string) => Promise<void> }) {
  const t = words.value.backups;
  const { candidates, candidateBytes, blocked, planHash } = plan;
  if (candidates.length === 0) {
    return <p role="status">{blocked ? t.blocked : t.nothingToPrune}</p>;
  }
  return (
    <div role="status">
      {blocked ? <p class="problem">{t.blocked}</p> : null}
      <p>{t.candidates(candidates.length, number(candidates.length), bytes(candidateBytes))}</p>
      <ul class="hints">
        {candidates.map(({ name, size, reason }) => (
          <li key={name}>
            {name} ({bytes(size)}): {t.reasons[reason]}
          </li>
        ))}
      </ul>
      <p class="actions">
        <ConfirmButton label={t.execute} title={t.executeTitle} act={() => execute(planHash)}>
          <p>{t.executeHelp}</p>
        </ConfirmButton>
      </p>
    </div>
  );
}
