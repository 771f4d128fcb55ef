// Shows the exact payload, its receiver and its cost, before anything is sent.
import { useMemo, useRef, useState } from 'preact/hooks';
import { formatCost, providerName } from '../ai/provider.ts';
import { Choice } from '../parts/choice.tsx';
import { CopyText } from '../parts/copy.tsx';
import { Fact } from '../parts/fact.tsx';
import { Modal } from '../parts/modal.tsx';
import { words } from '../text/ai/words.ts';
import { number } from '../text/format.ts';
import { text } from '../text/text.ts';
import { layOutBody } from './readable-body.ts';
import type { Preview } from './sending.ts';

interface Props {
  preview: Preview;
  send: (confirmed: boolean) => void;
  cancel: () => void;
}

export function PreviewDialog({ preview, send, cancel }: Props) {
  const t = words.value;
  const [isConfirmed, setConfirmed] = useState(false);
  const body = useRef<HTMLPreElement>(null);
  const lines = useMemo(() => layOutBody(preview.body, preview.facts), [preview]);
  const { provider, external, consented, estimatedCostUsd } = preview;
  const name = providerName(provider);
  const cost = formatCost(provider, estimatedCostUsd);
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault();
    send(isConfirmed);
  };
  return (
    <Modal title={t.preview(name)} kind="preview" close={cancel}>
      <p class={external ? 'state warn' : ''}>{external ? t.leaves(name) : t.stays}</p>
      <dl class="facts">
        <Fact name={t.previewFacts.model}>{preview.model}</Fact>
        <Fact name={t.previewFacts.url}>
          {preview.method} {preview.url}
        </Fact>
        <Fact name={t.previewFacts.size}>{t.sizeOf(number(preview.bytes), number(preview.estimatedInputTokens))}</Fact>
        <Fact name={t.previewFacts.cost}>{external && estimatedCostUsd !== null ? t.atMost(cost) : cost}</Fact>
      </dl>
      <h3 id="preview-body">{t.body}</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keys */}
      <section class="payload" lang="en" tabIndex={0} aria-labelledby="preview-body">
        {lines.map(({ text: line, isFact }, index) => (
          <p key={index}>{isFact ? <mark>{line}</mark> : line}</p>
        ))}
      </section>
      <details>
        <summary>{t.exactBody}</summary>
        <pre ref={body}>{preview.body}</pre>
        <CopyText label={t.copyBody} source={body} toText={() => preview.body} />
      </details>
      <form class="form" onSubmit={onSubmit}>
        {external ? (
          <Choice type="checkbox" isRequired isChosen={isConfirmed} choose={setConfirmed}>
            {t.confirm(name)}
          </Choice>
        ) : null}
        {external && !consented ? <p class="problem">{t.errors.ai_consent_required}</p> : null}
        <p class="actions">
          <button type="submit" class="main" disabled={external && !(isConfirmed && consented)}>
            {t.sendTo(name)}
          </button>
          <button type="button" onClick={cancel}>
            {text.value.cancel}
          </button>
        </p>
      </form>
    </Modal>
  );
}
