// The states of a question: preview, sent, answered, cancelled or failed.
import { useEffect, useRef, useState } from 'preact/hooks';
import { type ApiError, type Reply, toApiError } from '../api/client.ts';
import { now } from '../clock.ts';

export type Preview = Reply<'POST /api/ai/preview'>;

export type Sending =
  | { is: 'idle' | 'preparing' | 'cancelled' | 'done' }
  | { is: 'shown'; preview: Preview; send: (confirmed: boolean) => void }
  | { is: 'sent'; preview: Preview; since: number }
  | { is: 'failed'; error: ApiError; retry: () => void };

interface Question {
  show: (signal: AbortSignal) => Promise<Preview>;
  /** Sends exactly what was shown. */
  send: (about: { previewId: string; cloudConsentConfirmed?: boolean }, signal: AbortSignal) => Promise<void>;
}

export function useSender() {
  const [state, setState] = useState<Sending>({ is: 'idle' });
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);
  const run = async (question: Question, work: (signal: AbortSignal) => Promise<Sending>) => {
    running.current?.abort();
    const stop = new AbortController();
    running.current = stop;
    try {
      const next = await work(stop.signal);
      if (!stop.signal.aborted) {
        setState(next);
      }
    } catch (reason) {
      if (!stop.signal.aborted) {
        setState({ is: 'failed', error: toApiError(reason), retry: () => begin(question) });
      }
    }
  };
  const begin = (question: Question) => {
    setState({ is: 'preparing' });
    void run(question, async (signal) => {
      const preview = await question.show(signal);
      const { previewId, external } = preview;
      const send = (confirmed: boolean) => {
        setState({ is: 'sent', preview, since: now() });
        const about = { previewId, ...(external && confirmed ? { cloudConsentConfirmed: true } : {}) };
        void run(question, async (inner) => {
          await question.send(about, inner);
          return { is: 'done' };
        });
      };
      return { is: 'shown', preview, send };
    });
  };
  return {
    state,
    begin,
    /** Drops the preview, or stops waiting for the answer. */
    cancel() {
      running.current?.abort();
      setState((before) => ({ is: before.is === 'sent' ? 'cancelled' : 'idle' }));
    },
  };
}
