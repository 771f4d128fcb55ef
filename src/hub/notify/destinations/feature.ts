// The feature of destinations: their settings, their queues, and who is told of what.
import { packageVersion } from '#kernel/process/version.ts';
import type { Base, Feature, HubHandlers } from '../../base/feature.ts';
import { describeOutbox } from '../../base/metrics.ts';
import type { Telling } from '../../base/told-event.ts';
import type { ChatFeature } from '../chat/feature.ts';
import { pruneOutbox } from '../outbox-state.ts';
import { startDestinations } from './destinations.ts';
import { createDestinationHandlers } from './handlers.ts';
import { createSenderFactory } from './senders.ts';
import { createTelling } from './telling.ts';

export interface DestinationsFeature extends Feature<Pick<HubHandlers, 'destinations'>> {
  telling: Telling;
  /** Forgets what was delivered or given up before `before`, also to the chat workspace, and the queues of deleted destinations. */
  prune(before: number): Promise<void>;
}

export function startDestinationsFeature(base: Base, { chat }: { chat: ChatFeature }): DestinationsFeature {
  const { clock, log, db, settings, signals, options } = base;
  const hubUrl = options.publicUrl?.href;
  const createSender = createSenderFactory({ clock, log, version: packageVersion(), ...(hubUrl && { hubUrl }) });
  const destinations = startDestinations(base, createSender);
  signals.on('clockCorrected', destinations.wake);
  return {
    telling: createTelling(chat, destinations),
    prune: (before) => pruneOutbox(db, before, ['chat', ...destinations.list().map(({ id }) => id)]),
    handlers: { destinations: createDestinationHandlers({ destinations, document: settings, clock }) },
    metrics: () =>
      destinations.list().flatMap(({ id, name }) => {
        const outbox = destinations.running(id)?.outbox;
        return outbox
          ? describeOutbox({ outbox: 'destinations', destination: id, name }, outbox.state().waiting, outbox.oldestAt())
          : [];
      }),
    settled: destinations.settled,
    [Symbol.asyncDispose]: () => destinations[Symbol.asyncDispose](),
  };
}
