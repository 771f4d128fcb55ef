// Live updates: all open streams, and what is published to them. A stream ends with the credential of its reader.
import type { Permission } from '#contract/access.ts';
import { type LiveEventData, type LiveEventName, liveEvents, type StreamEvents } from '#contract/events.ts';
import { liveLimits } from '#contract/live-limits.ts';
import { AppError } from '#kernel/errors.ts';
import type { RequestFacts } from '#kernel/http/request-facts.ts';
import type { EventStream } from '#kernel/http/route.ts';
import { randomHex } from '#kernel/text/secret.ts';
import { startJob } from '#kernel/time/job.ts';
import type { SignedIn } from '../../base/auth/principal.ts';
import type { Base } from '../../base/feature.ts';
import type { Signals } from '../../base/signals.ts';
import { changeBetween, watchCredential } from './credential-watch.ts';
import { createEventRing } from './event-ring.ts';
import { createEventStream, type LiveStream } from './event-stream.ts';
import { eventFrame } from './frame.ts';

export interface LiveOptions extends Pick<Base, 'clock' | 'steadyClock' | 'log'> {
  signals: Pick<Signals, 'on'>;
  /** Who a request is from now; null for nobody. */
  identify: (request: RequestFacts) => SignedIn | null;
  /** Throws AppError `csrf_rejected` when another site's page asks with our cookie. */
  requireOwnPage: (request: RequestFacts, holder: SignedIn) => void;
}

export interface Live extends AsyncDisposable {
  /**
   * Sends to every stream with the permission. Holders of `fuller.needs` get its data instead. What is larger than
   * `liveLimits.liveWaitingBytes` is sent as `resync`.
   */
  publish<N extends LiveEventName>(
    name: N,
    data: LiveEventData<N>,
    fuller?: { needs: Permission; data: LiveEventData<N> },
  ): void;
  /**
   * A stream for `request`, ended when `signal` is aborted. Throws AppError `unauthorized` when its credential ended
   * meanwhile, `csrf_rejected`, `stream_limit` when it has ten streams, `too_many_streams`, or `not_ready` while the hub
   * stops.
   */
  open(request: RequestFacts, signal: AbortSignal): EventStream;
}

interface OpenStream {
  stream: LiveStream;
  holder: SignedIn;
  request: RequestFacts;
}

export function startLive({ clock, steadyClock, log, signals, identify, requireOwnPage }: LiveOptions): Live {
  const ring = createEventRing({
    epoch: `${clock.now()}-${randomHex(8)}`,
    maxEvents: liveLimits.liveRingEvents,
    maxBytes: liveLimits.liveRingBytes,
  });
  /** Each open stream, with a promise that resolves when its reader has gone. */
  const streams = new Map<OpenStream, Promise<void>>();
  const stopped = new AbortController();
  const stopListening = signals.on('credentialRevoked', (credential) => {
    for (const { holder, stream } of [...streams.keys()]) {
      if (holder.credential === credential) {
        stream.end(changeBetween(holder, null, steadyClock.now()) ?? 'revoked');
      }
    }
  });
  const heartbeat = startJob(clock, log, {
    name: 'the heartbeat of the live updates',
    everyMs: liveLimits.liveHeartbeatMs,
    async run() {
      for (const { stream } of streams.keys()) {
        stream.heartbeat();
      }
    },
  });

  function resyncFrame(id: string): Buffer {
    const data: StreamEvents['resync'] = { serverTime: clock.now() };
    return eventFrame({ event: 'resync', data, id });
  }

  /** Where a reader resumes, and its first frame. */
  function opening(request: RequestFacts): { after: number; opening: Buffer } {
    const asked = request.headers['last-event-id'];
    const known = typeof asked === 'string' && asked !== '' ? ring.resumable(asked) : ring.head();
    const after = known ?? ring.head();
    const event = known === null ? 'resync' : 'ready';
    const data: StreamEvents[typeof event] = { serverTime: clock.now() };
    return { after, opening: eventFrame({ event, data, id: ring.idOf(after), retryMs: liveLimits.liveRetryMs }) };
  }

  return {
    publish(name, data, fuller) {
      const frame = (shown: unknown) => (id: string) => {
        const whole = eventFrame({ id, event: name, data: shown });
        return whole.byteLength > liveLimits.liveWaitingBytes ? resyncFrame(id) : whole;
      };
      const event = ring.append({
        needs: liveEvents[name].needs,
        frame: frame(data),
        fuller: fuller && { needs: fuller.needs, frame: frame(fuller.data) },
      });
      for (const { stream } of [...streams.keys()]) {
        stream.appended(event);
      }
    },
    open(request, signal) {
      if (stopped.signal.aborted) {
        throw new AppError('not_ready', 'the hub is stopping: try again in a moment');
      }
      const holder = identify(request);
      if (!holder) {
        throw new AppError('unauthorized', 'this credential has just ended: log in again');
      }
      requireOwnPage(request, holder);
      signal.throwIfAborted();
      const later = { headers: { 'Retry-After': '30' } };
      const own = [...streams.keys()].filter((open) => open.holder.credential === holder.credential).length;
      if (own >= liveLimits.liveStreamsOfCredential) {
        throw new AppError('stream_limit', `this credential has ${own} live streams open: close one first`, later);
      }
      if (streams.size >= liveLimits.liveStreams) {
        throw new AppError(
          'too_many_streams',
          `${liveLimits.liveStreams} live streams are open: try again later`,
          later,
        );
      }
      const { permissions } = holder;
      const stream = createEventStream({ ring, permissions, now: steadyClock.now, resyncFrame, ...opening(request) });
      const open = { stream, holder, request };
      signal.addEventListener('abort', () => stream.body.destroy(), { once: true });
      const attending = attendStream(open, { clock, steadyClock, identify })
        .catch((error: unknown) => {
          log.error({ err: error }, 'a live stream failed and is closed: its reader connects again');
          stream.body.destroy();
        })
        .finally(() => streams.delete(open));
      streams.set(open, attending);
      return stream.body;
    },
    async [Symbol.asyncDispose]() {
      stopped.abort();
      stopListening();
      for (const { stream } of [...streams.keys()]) {
        stream.end('stopping');
      }
      await Promise.all(streams.values());
      await heartbeat[Symbol.asyncDispose]();
    },
  };
}

/**
 * Ends the stream when the credential of its holder ends. Resolves when the body is gone; its reader has a second for the
 * last event.
 */
async function attendStream(
  { stream, holder, request }: OpenStream,
  { clock, steadyClock, identify }: Pick<LiveOptions, 'clock' | 'steadyClock' | 'identify'>,
): Promise<void> {
  const { body, ending } = stream;
  const gone = new AbortController();
  body.once('close', () => gone.abort());
  const reason = await watchCredential({
    clock: steadyClock,
    everyMs: liveLimits.liveRecheckMs,
    holder,
    identify: () => identify(request),
    signal: ending,
  });
  if (reason) {
    stream.end(reason);
  }
  await clock.sleep(liveLimits.liveGoodbyeMs, gone.signal).then(
    () => body.destroy(),
    () => undefined,
  );
}
