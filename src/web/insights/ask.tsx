import { useState } from 'preact/hooks';
import { describeAiError } from '../ai/failure.ts';
import { isCloud, type Provider, providerName } from '../ai/provider.ts';
import { ask } from '../api/client.ts';
import { Card } from '../parts/card.tsx';
import { Link } from '../parts/link.tsx';
import { Failure, Note } from '../parts/note.tsx';
import { useAsked } from '../state/loaded.ts';
import { useOpenFocus } from '../state/open-focus.ts';
import { language } from '../state/preferences.ts';
import { may } from '../state/session.ts';
import { hrefTo, hrefWith, navigate, query } from '../state/url.ts';
import { words } from '../text/ai/words.ts';
import { dateTime } from '../text/format.ts';
import { text } from '../text/text.ts';
import { AnswerText, MadeBy } from './answer.tsx';
import { Conversation } from './conversation.tsx';
import { explanation } from './explanation.ts';
import { History } from './history.tsx';
import { PreviewDialog } from './preview.tsx';
import type { Facts } from './report.ts';
import { useSender } from './sending.ts';
import { Waiting } from './waiting.tsx';

export function Ask({ facts }: { facts: Facts }) {
  const { value, error, reload } = useAsked('GET /api/ai/usage/monthly', { query: {} });
  if (value === null) {
    return <Failure error={error} reload={reload} />;
  }
  return value.selectedModel ? (
    <Asking key={value.selectedModel.provider} facts={facts} provider={value.selectedModel.provider} />
  ) : (
    <>
      <Note title={words.value.none} help={words.value.noneHelp}>
        <ToSettings />
      </Note>
      <History changed={() => undefined} turn={0} />
    </>
  );
}

export function ToSettings() {
  return may('settings.write') ? (
    <Link class="button" to={hrefTo('settings', { section: 'ai' })}>
      {words.value.toSettings}
    </Link>
  ) : null;
}

function Asking({ facts: { range, topDestinations }, provider }: { facts: Facts; provider: Provider }) {
  const t = words.value;
  const [draft, setDraft] = useState('');
  const [turn, setTurn] = useState(0);
  const sender = useSender();
  const { state } = sender;
  const { opener, inner: cancel } = useOpenFocus<HTMLButtonElement, HTMLButtonElement>(state.is === 'sent');
  const isBusy = ['preparing', 'shown', 'sent'].includes(state.is);
  const conversationId = query.value.get('conversation');
  const explained = explanation.value;
  const isAbout = explained !== null && conversationId === null;
  const changed = () => setTurn((before) => before + 1);

  const about = { from: range.from, to: range.to, language: language.value };
  const explain = () =>
    sender.begin({
      show: (signal) => ask('POST /api/ai/preview', { body: about }, signal),
      async send(confirmed, signal) {
        explanation.value = await ask('POST /api/ai/analyze', { body: { ...about, ...confirmed } }, signal);
      },
    });
  const question = (event: SubmitEvent) => {
    event.preventDefault();
    const body = {
      ...about,
      message: draft.trim(),
      ...(conversationId === null ? {} : { conversationId }),
      ...(isAbout ? { priorAnalysis: explained.text.slice(0, 8000) } : {}),
    };
    sender.begin({
      show: (signal) => ask('POST /api/ai/preview', { body }, signal),
      async send(confirmed, signal) {
        try {
          const answer = await ask('POST /api/ai/chat', { body: { ...body, ...confirmed } }, signal);
          navigate(hrefWith({ conversation: answer.conversationId }), 'replace');
          setDraft('');
        } finally {
          // The hub also stores a question that got no answer.
          changed();
        }
      },
    });
  };
  return (
    <>
      <Card title={t.askTitle(providerName(provider))}>
        <p class="help">{t.askHelp(text.value.rangeOwn(dateTime(range.from), dateTime(range.to)))}</p>
        <div aria-live="polite">
          {isAbout ? (
            <article>
              <h3>{text.value.rangeOwn(dateTime(explained.range.from), dateTime(explained.range.to))}</h3>
              <AnswerText
                text={explained.text}
                citations={explained.citations}
                from={explained.range.from}
                to={explained.range.to}
                isCut={explained.truncated}
                destinations={topDestinations}
              />
              <MadeBy
                provider={explained.provider}
                model={explained.model}
                at={explained.generatedAt}
                input={explained.usage?.inputTokens}
                output={explained.usage?.outputTokens}
                cost={explained.estimatedCostUsd}
              />
            </article>
          ) : null}
          {conversationId === null ? null : (
            <Conversation id={conversationId} turn={turn} destinations={topDestinations} />
          )}
          {state.is === 'cancelled' ? <p>{isCloud(provider) ? t.cancelled : t.errors.cancelled}</p> : null}
        </div>
        {state.is === 'failed' ? (
          <div>
            <p class="problem" role="alert">
              {describeAiError(state.error)}
            </p>
            <p class="actions">
              <button type="button" onClick={state.retry}>
                {text.value.again}
              </button>
              {state.error.status < 500 ? <ToSettings /> : null}
            </p>
          </div>
        ) : null}
        {state.is === 'sent' ? (
          <Waiting provider={state.preview.provider} since={state.since}>
            <button type="button" ref={cancel} onClick={sender.cancel}>
              {text.value.cancel}
            </button>
          </Waiting>
        ) : null}
        <p class="actions">
          <button type="button" class="main" ref={opener} disabled={isBusy} onClick={explain}>
            {t.explain}
          </button>
          {conversationId === null ? null : (
            <Link class="button" to={hrefWith({ conversation: null })}>
              {t.newOne}
            </Link>
          )}
        </p>
        <form class="form" onSubmit={question}>
          <label class="field">
            {t.question}
            <textarea
              rows={3}
              required
              maxLength={4000}
              value={draft}
              onInput={({ currentTarget }) => setDraft(currentTarget.value)}
            />
            {isAbout || conversationId !== null ? <small>{isAbout ? t.askAbout : t.goesOn}</small> : null}
          </label>
          <p class="actions">
            <button type="submit" disabled={isBusy || draft.trim() === ''}>
              {t.send}
            </button>
          </p>
        </form>
      </Card>
      <History changed={changed} turn={turn} />
      {state.is === 'shown' ? <PreviewDialog preview={state.preview} send={state.send} cancel={sender.cancel} /> : null}
    </>
  );
}
