// A note drafted by the chosen provider, after what leaves was said and confirmed.
import { ApiError, ask } from '../api/client.ts';
import { Confirm } from '../parts/confirm.tsx';
import { useLoaded } from '../state/loaded.ts';
import { words } from '../text/ai/words.ts';
import { describeAiError } from './failure.ts';
import { providerName } from './provider.ts';

/** Nothing where no provider is chosen. */
export function DraftBy({ ip, add }: { ip: string; add: (draft: string) => void }) {
  const t = words.value;
  const { value } = useLoaded('chosen', (signal) => ask('GET /api/ai/usage/monthly', { query: {} }, signal));
  if (!value?.selectedModel) {
    return null;
  }
  const name = providerName(value.selectedModel.provider);
  const draft = async () => {
    try {
      add((await ask('POST /api/notes/draft', { body: { ip, cloudConsentConfirmed: true } })).draft);
    } catch (error) {
      throw error instanceof ApiError ? new ApiError(0, error.code, describeAiError(error)) : error;
    }
  };
  return <Confirm label={t.draftBy(name)} question={t.draftLeaves(name)} work={draft} />;
}
