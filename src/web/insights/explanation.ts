// The explanation that was asked for last: it stays while the page is open, so that a way into the log leads back to it.
import { effect, signal } from '@preact/signals';
import type { Reply } from '../api/client.ts';
import { session } from '../state/session.ts';

export const explanation = signal<Reply<'POST /api/ai/analyze'> | null>(null);

effect(() => {
  if (session.value.state === 'out') {
    explanation.value = null;
  }
});
