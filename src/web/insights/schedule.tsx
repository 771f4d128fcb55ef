// Analyses that the hub makes by itself: when, for whom, and what became of them.
import { describeAiError } from '../ai/failure.ts';
import { providerName } from '../ai/provider.ts';
import { ask } from '../api/client.ts';
import { Card } from '../parts/card.tsx';
import { ConfirmButton } from '../parts/confirm-dialog.tsx';
import { MessageText } from '../parts/message.tsx';
import { Failure, Warning } from '../parts/note.tsx';
import { Outcome } from '../parts/outcome.tsx';
import { useAction } from '../state/action.ts';
import { useAsked } from '../state/loaded.ts';
import { may } from '../state/session.ts';
import { words } from '../text/ai/words.ts';
import { dateTime, number } from '../text/format.ts';
import { ToSettings } from './ask.tsx';
import { Events } from './events.tsx';
import type { Facts } from './report.ts';
import { type Automation, ScheduleForm } from './schedule-form.tsx';

export function Schedule({ facts }: { facts: Facts }) {
  return may('settings.write') ? <Managed facts={facts} /> : <Events facts={facts} toChat={false} turn={0} />;
}

function Managed({ facts }: { facts: Facts }) {
  const t = words.value;
  const { value, error, reload, isLoading } = useAsked('GET /api/ai/notification-config', {});
  return (
    <>
      <Failure error={error} reload={reload} />
      {value ? (
        <Card title={t.schedule} isDimmed={isLoading}>
          <State automation={value} changed={reload} />
          <ScheduleForm automation={value} saved={reload} />
        </Card>
      ) : null}
      {may('audit.read') && value ? (
        <Events facts={facts} toChat={value.config.destinations.chat} turn={isLoading ? 0 : 1} />
      ) : null}
    </>
  );
}

function State({ automation: { config, status }, changed }: { automation: Automation; changed: () => void }) {
  const t = words.value;
  const testing = useAction();
  const running = useAction();
  const { provider } = status;
  const act = async (work: Promise<unknown>) => {
    try {
      await work;
    } finally {
      changed();
    }
  };
  const test = () => testing.run(() => act(ask('POST /api/ai/notification-test', { body: {} })));
  const run = () =>
    running.run(() => act(ask('POST /api/ai/notification-run-now', { body: { cloudConsentConfirmed: true } })));
  return (
    <>
      <p class="state">{status.nextRunAt === null ? t.noNext : t.next(dateTime(status.nextRunAt))}</p>
      {status.message === null ? null : (
        <Warning>
          <MessageText message={status.message} messageFacts={status.messageFacts} />
        </Warning>
      )}
      <p class="actions">
        <button type="button" disabled={testing.isBusy} onClick={() => void test()}>
          {t.testDelivery}
        </button>
        {provider !== 'disabled' && may('ai.run') ? (
          <ConfirmButton
            label={t.runNow}
            title={t.runTitle(providerName(provider))}
            act={async () => {
              // The dialog closes at once; the outcome is shown below the buttons.
              void run();
            }}
          >
            <p>{t.runHelp(providerName(provider), number(config.rangeHours))}</p>
          </ConfirmButton>
        ) : (
          <ToSettings />
        )}
      </p>
      {running.isBusy && provider !== 'disabled' ? <p role="status">{t.waiting(providerName(provider))}</p> : null}
      <Outcome action={testing} done={t.deliveryTested} reason={describeAiError} />
      <Outcome action={running} done={t.ran} reason={describeAiError} />
    </>
  );
}
