// The last explanation. It is kept while the page is open, so that the user can return to it from the log.
import { effect, signal } from '@preact/signals';
import type { Reply } from '../api/client.ts';
import { session } from '../state/session.ts';

export const explanation = signal<Reply<'POST /api/ai/analyze'> | null>(null);

effect(() => {
  if (session.value.state === 'out') {
    explanation.value = null;
  }
});
