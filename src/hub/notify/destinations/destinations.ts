// Runs the destinations of the settings. Each one has an outbox, a delivery and a sender of its own.
import { destinationLimits as limits } from '#contract/destination-limits.ts';
import type { DestinationSettings } from '#contract/destinations.ts';
import { messageOf } from '#kernel/errors.ts';
import { sha256 } from '#kernel/text/digest.ts';
import { createId } from '#kernel/text/secret.ts';
import { visibleText } from '#kernel/text/visible-text.ts';
import { withDeadline } from '#kernel/time/clock.ts';
import type { Base } from '../../base/feature.ts';
import { createFact, createRefusal } from '../../base/refusals.ts';
import type { DestinationRecord } from '../../base/settings/schema.ts';
import type { ToldEvent } from '../../base/told-event.ts';
import { type Delivery, startDelivery } from '../delivery.ts';
import { createOutbox, type Outbox } from '../outbox.ts';
import { SendFailure } from '../send-failure.ts';
import { findHold } from './quiet-hours.ts';
import type { Sender } from './sender.ts';
import type { CreateSender } from './senders.ts';

export interface Running {
  outbox: Outbox;
  delivery: Delivery;
  [Symbol.asyncDispose](): Promise<void>;
}

export type Destinations = ReturnType<typeof startDestinations>;

export function startDestinations(base: Pick<Base, 'clock' | 'log' | 'db' | 'settings'>, createSender: CreateSender) {
  const { clock, settings } = base;
  const all = new Map<string, Running>();
  const list = () => settings.current().destinations;
  const find = (id: string) => list().find((record) => record.id === id);
  const start = (record: DestinationRecord) => {
    const running = startDestination(base, record, () => find(record.id), createSender);
    all.set(record.id, running);
    return running;
  };
  for (const record of list()) {
    start(record);
  }
  return {
    list,
    find,
    /** Returns the parts of a running destination; null when it was deleted. */
    running: (id: string) => all.get(id) ?? null,
    /** Follows the settings of a destination that was added, changed or deleted. */
    async apply(id: string) {
      const record = find(id);
      const running = all.get(id) ?? (record && start(record));
      if (record && running) {
        await running.delivery.reconsider();
      } else if (running) {
        all.delete(id);
        await running[Symbol.asyncDispose]();
        await running.outbox.forget();
      }
    },
    /** Sends a test event with these settings, through a sender of its own. Rejects with AppError `destination_refused`. */
    async test(asked: DestinationSettings, signal?: AbortSignal) {
      await using sender = createSender(asked);
      const late = () => new SendFailure('unreachable', 'timed_out', 'it did not take a test event in time');
      try {
        await withDeadline(clock, limits.destinationTestMs, late, signal, (inner) =>
          sender.send({ event: createTestEvent(clock.now()), id: createId(), now: clock.now(), signal: inner }),
        );
      } catch (error) {
        throw error instanceof SendFailure ? toRefusal(error) : error;
      }
    },
    wake() {
      for (const { delivery } of all.values()) {
        delivery.wake();
      }
    },
    settled: () => Promise.all([...all.values()].map(({ delivery }) => delivery.settled())),
    async [Symbol.asyncDispose]() {
      await Promise.all([...all.values()].map((running) => running[Symbol.asyncDispose]()));
    },
  };
}

function startDestination(
  { clock, log, db }: Pick<Base, 'clock' | 'log' | 'db'>,
  { id, name }: DestinationRecord,
  settings: () => DestinationRecord | undefined,
  createSender: CreateSender,
): Running {
  const held: { of: DestinationSettings | null; sender: Sender | null } = { of: null, sender: null };
  const endSender = async () => {
    const { sender } = held;
    Object.assign(held, { of: null, sender: null });
    await sender?.[Symbol.asyncDispose]();
  };
  /** Opens the sender as soon as the destination is enabled: a broker is told at once that the hub is there. */
  const renewSender = async (record: DestinationRecord | undefined) => {
    const wanted = record?.enabled ? record.settings : null;
    if (held.of !== wanted) {
      await endSender();
      held.of = wanted;
      held.sender = wanted && createSender(wanted);
    }
  };
  const format = ([event]: readonly ToldEvent[]) => JSON.stringify(event && chooseFacts(event, settings()));
  const outbox = createOutbox({ db, destination: id, format });
  const delivery = startDelivery({
    clock,
    log,
    name: `the destination ${name}`,
    outbox,
    settings,
    prepare: renewSender,
    isReady: (record) => record?.enabled === true,
    findHold: (record, now) => (record ? findHold(record, now) : null),
    async send({ text, clientId }, record, signal) {
      if (!held.sender || settings() !== record) {
        return false;
      }
      await held.sender.send({ event: JSON.parse(text) as ToldEvent, id: clientId, now: clock.now(), signal });
      return true;
    },
    describeFailure: describe,
  });
  return {
    outbox,
    delivery,
    async [Symbol.asyncDispose]() {
      await delivery[Symbol.asyncDispose]();
      await endSender();
    },
  };
}

/** Returns the event with the facts that the destination is told. Its key would name addresses, so it becomes a digest. */
function chooseFacts(event: ToldEvent, record: DestinationRecord | undefined): ToldEvent {
  const chosen = event.kind === 'test' ? null : (record?.fields[event.kind] ?? null);
  const facts = chosen === null ? event.facts : event.facts.filter(({ name }) => chosen.includes(name));
  return { ...event, key: sha256(event.key).slice(0, 32), facts };
}

function createTestEvent(now: number): ToldEvent {
  return {
    key: createId(),
    kind: 'test',
    state: 'raised',
    level: 'info',
    at: now,
    title: 'Gatehouse can reach you here',
    facts: [],
  };
}

function toRefusal(failure: SendFailure): unknown {
  const detail = describe(failure);
  const facts = [createFact('destination_refused', { detail })];
  return createRefusal('destination_refused', `The test event was not taken: ${detail}`, facts, {
    details: { reason: failure.code },
    cause: failure,
  });
}

/** What the other side says may be long, or hold characters that mislead. */
function describe(failure: SendFailure): string {
  return visibleText(messageOf(failure), limits.destinationErrorText);
}
