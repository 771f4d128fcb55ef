// Drafts a note with the AI provider. Asks first, and names what is sent.
import { ask } from '../api/client.ts';
import { Confirm } from '../parts/confirm.tsx';
import { useAsked } from '../state/loaded.ts';
import { words } from '../text/ai/words.ts';
import { describeAiError } from './failure.ts';
import { providerName } from './provider.ts';

/** Renders nothing while no provider is chosen. */
export function DraftBy({ ip, add }: { ip: string; add: (draft: string) => void }) {
  const t = words.value;
  const { value } = useAsked('GET /api/ai/usage/monthly', { query: {} });
  if (!value?.selectedModel) {
    return null;
  }
  const name = providerName(value.selectedModel.provider);
  const draft = async () => {
    add((await ask('POST /api/notes/draft', { body: { ip, cloudConsentConfirmed: true } })).draft);
  };
  return <Confirm label={t.draftBy(name)} question={t.draftLeaves(name)} work={draft} reason={describeAiError} />;
}
