// Handlers of the destinations: each is tried before it is kept.
import { isDeepStrictEqual } from 'node:util';
import { destinationLimits as limits } from '#contract/destination-limits.ts';
import {
  byToldKind,
  type Destination,
  type DestinationSettings,
  type SentDestinationSettings,
  toldKinds,
} from '#contract/destinations.ts';
import { AppError, refuseField } from '#kernel/errors.ts';
import { withChanges } from '#kernel/text/changes.ts';
import { createId } from '#kernel/text/secret.ts';
import type { Clock } from '#kernel/time/clock.ts';
import { timeZone } from '#kernel/time/time-zone.ts';
import type { HubHandlers } from '../../base/feature.ts';
import type { SettingsDocument } from '../../base/settings/document.ts';
import type { DestinationRecord } from '../../base/settings/schema.ts';
import type { Destinations } from './destinations.ts';
import { findHold, type Quiet } from './quiet-hours.ts';

/** The members that a new destination has unless the caller names others. */
export const destinationDefaults: Omit<DestinationRecord, 'id' | 'name' | 'settings'> = {
  enabled: true,
  tells: byToldKind(true),
  tellResolved: true,
  fields: byToldKind(null),
  quietHours: null,
  dangerAnyway: true,
  muteUntil: null,
};

export interface DestinationHandlersOptions {
  destinations: Destinations;
  document: SettingsDocument;
  clock: Clock;
}

export function createDestinationHandlers(options: DestinationHandlersOptions): HubHandlers['destinations'] {
  const { destinations, document, clock } = options;
  const find = (id: string) => requireFound(destinations.find(id));
  const answer = (record: DestinationRecord) => ({
    success: true as const,
    destination: toDestination(record, destinations, clock.now()),
  });
  return {
    list: () => {
      const now = clock.now();
      return { destinations: destinations.list().map((one) => toDestination(one, destinations, now)), serverTime: now };
    },
    async create({ body: { settings: sent, ...rest }, signal }) {
      requireRoom(destinations.list());
      requireTimes(rest, clock.now());
      const settings = toStored(sent, null);
      await destinations.test(settings, signal);
      const record: DestinationRecord = {
        ...withChanges({ ...destinationDefaults, name: rest.name }, rest),
        id: createId(),
        settings,
      };
      document.update((all) => {
        requireRoom(all.destinations);
        return { ...all, destinations: [...all.destinations, record] };
      });
      await destinations.apply(record.id);
      return answer(record);
    },
    async update({ params: { id }, body: { settings: sent, ...rest }, signal }) {
      const before = find(id);
      requireTimes(rest, clock.now());
      const stored = sent && toStored(sent, before.settings);
      const settings = isDeepStrictEqual(stored, before.settings) ? undefined : stored;
      if (settings) {
        await destinations.test(settings, signal);
      }
      document.update((all) => {
        requireFound(all.destinations.find((one) => one.id === id));
        const changed = all.destinations.map((one) => (one.id === id ? withChanges(one, { ...rest, settings }) : one));
        return { ...all, destinations: changed };
      });
      await destinations.apply(id);
      return answer(find(id));
    },
    async remove({ params: { id } }) {
      find(id);
      document.update((all) => ({ ...all, destinations: all.destinations.filter((one) => one.id !== id) }));
      await destinations.apply(id);
      return { success: true };
    },
    async test({ params: { id }, signal }) {
      await destinations.test(find(id).settings, signal);
      return { success: true };
    },
  };
}

function requireFound(record: DestinationRecord | undefined): DestinationRecord {
  if (!record) {
    throw new AppError('not_found', 'there is no such destination');
  }
  return record;
}

function requireRoom({ length }: readonly DestinationRecord[]): void {
  if (length >= limits.destinations) {
    throw new AppError('destination_limit', `there are ${length} destinations: delete one first`);
  }
}

/** Throws AppError `invalid_body` for times that nobody can mean. */
export function requireTimes(
  { quietHours, muteUntil }: { [K in keyof Quiet]?: Quiet[K] | undefined },
  now: number,
): void {
  if (quietHours && !timeZone(quietHours.timeZone)) {
    throw refuseField(
      'invalid_body',
      'quietHours.timeZone',
      'is no time zone: give an IANA name such as Asia/Tokyo',
      'no_time_zone',
    );
  }
  if (quietHours && quietHours.from === quietHours.to) {
    throw refuseField('invalid_body', 'quietHours.to', 'must be another time than from', 'same_time');
  }
  if (muteUntil != null && muteUntil > now + limits.destinationMuteMs) {
    throw refuseField(
      'invalid_body',
      'muteUntil',
      'must be at most six days ahead: events are kept for seven',
      'mute_too_long',
    );
  }
}

/**
 * What was sent with the stored secrets that are absent. A stored secret goes to no other address than before: who may
 * change settings must not learn it.
 */
function toStored(sent: SentDestinationSettings, before: DestinationSettings | null): DestinationSettings {
  const known = before?.kind === sent.kind ? before : null;
  if (sent.kind === 'webhook') {
    const stored = known?.kind === 'webhook' ? known : null;
    const url = sent.url ?? stored?.url;
    if (url === undefined) {
      throw refuseField('invalid_body', 'settings.url', 'is missing', 'missing');
    }
    const isSame = stored !== null && new URL(stored.url).origin === new URL(url).origin;
    return { ...sent, url, secret: keepSecret('secret', sent.secret, stored?.secret, isSame) };
  }
  const stored = known?.kind === 'webhook' ? null : known;
  const isSame = stored !== null && stored.host === sent.host && stored.port === sent.port;
  return { ...sent, password: keepSecret('password', sent.password, stored?.password, isSame) };
}

function keepSecret(member: string, sent: string | undefined, stored: string | undefined, isSameAddress: boolean) {
  if (sent === undefined && stored && !isSameAddress) {
    const reason = 'must be given again, since the address is another one: the stored one is not sent there';
    throw refuseField('invalid_body', `settings.${member}`, reason, 'secret_elsewhere');
  }
  return sent ?? stored ?? '';
}

function toDestination(record: DestinationRecord, destinations: Destinations, now: number): Destination {
  const outbox = destinations.running(record.id)?.outbox;
  const events = outbox?.listLast(limits.destinationEvents) ?? [];
  const state = outbox?.state() ?? { waiting: 0, lastSentAt: null, lastFailedAt: null, lastError: null };
  const quietUntil = findHold(record, now)?.until ?? null;
  const told = events.flatMap(({ kind, ...event }) => {
    const known = toldKinds.find((one) => one === kind);
    return known ? [{ ...event, kind: known }] : [];
  });
  return { ...record, settings: toShown(record.settings), delivery: { ...state, quietUntil, events: told } };
}

/** The presets whose address is a secret: whoever knows its path can send there. */
const secretPaths = new Set(['discord', 'teams', 'home_assistant']);

function toShown(settings: DestinationSettings): Destination['settings'] {
  if (settings.kind === 'webhook') {
    const { secret, url, ...rest } = settings;
    const shown = secretPaths.has(rest.preset) ? `${new URL(url).origin}/…` : url;
    return { ...rest, url: shown, secretSet: secret !== '' };
  }
  const { password, ...rest } = settings;
  return { ...rest, secretSet: password !== '' };
}
