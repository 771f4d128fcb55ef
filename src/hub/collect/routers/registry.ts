// Router records: at most ten, ids that never come back, and credentials that cannot be steered to another host.
import type { z } from 'zod';
import { limits } from '#contract/limits.ts';
import type { routerCreate, routerUpdate } from '#contract/routers.ts';
import { AppError, refuseField } from '#kernel/errors.ts';
import { canonicalIp, isLoopback, isPrivateIp } from '#kernel/net/address.ts';
import { randomHex } from '#kernel/text/secret.ts';
import type { Clock } from '#kernel/time/clock.ts';
import type { SettingsDocument } from '../../base/settings/document.ts';
import type { RouterRecord, Settings } from '../../base/settings/schema.ts';
import { kinds } from './kinds.ts';

export type RouterInput = z.output<typeof routerCreate>;
export type RouterChange = z.output<typeof routerUpdate>;

export interface Registry {
  list(): readonly RouterRecord[];
  /** The record; throws AppError `not_found` when there is none. */
  get(id: string): RouterRecord;
  create(input: RouterInput): RouterRecord;
  update(id: string, change: RouterChange): RouterRecord;
  /** `all` with one record more at the end, checked as in `create` and not saved: for several changes in one update. */
  added(all: Settings, input: RouterInput): Settings;
  /** `all` with a changed record, likewise. */
  edited(all: Settings, id: string, change: RouterChange): Settings;
  /** Removes the record and keeps its id as a tombstone. */
  remove(id: string): void;
  /**
   * Stores what a device showed of itself: its prompt name, and the host key trusted on first use. `from` is the record
   * the connection was opened with; nothing is stored when the record names another device or login by now.
   */
  learn(from: RouterRecord, facts: Partial<Pick<RouterRecord, 'hostName' | 'hostFp'>>): void;
  /** A record as `input` would make it, checked but not stored: for detection. */
  draft(input: RouterInput): RouterRecord;
}

export interface RegistryOptions {
  document: SettingsDocument;
  clock: Clock;
  /** Loopback targets are accepted: for simulators. */
  allowLoopback: boolean;
}

export function createRegistry(options: RegistryOptions): Registry {
  const { document, allowLoopback } = options;
  const get = (id: string) => requireRecord(document.current(), id);
  const added: Registry['added'] = (all, input) => {
    const record = toRouterRecord(freeId(all, input.kind), input, allowLoopback);
    if (all.routers.length >= limits.routers) {
      throw new AppError('router_limit', `maximum ${limits.routers} routers: remove one before adding another`);
    }
    return { ...all, routers: [...all.routers, record] };
  };
  const edited: Registry['edited'] = (all, id, change) =>
    withRecord(all, changeRouter(requireRecord(all, id), change, allowLoopback));
  return {
    list: () => document.current().routers,
    get,
    added,
    edited,
    draft: (input) => toRouterRecord('draft', input, allowLoopback),
    create: (input) => document.update((all) => added(all, input)).routers.at(-1) as RouterRecord,
    update(id, change) {
      document.update((all) => edited(all, id, change));
      return get(id);
    },
    remove(id) {
      const { kind, displayName } = get(id);
      const grave = { id, kind, displayName, deletedAt: options.clock.now() };
      document.update((all) => ({
        ...all,
        routers: all.routers.filter((router) => router.id !== id),
        tombstones: [...all.tombstones, grave].slice(-limits.routerTombstones),
      }));
    },
    learn(from, facts) {
      const record = document.current().routers.find(({ id }) => id === from.id);
      const known =
        record && Object.entries(facts).every(([name, value]) => record[name as keyof RouterRecord] === value);
      if (record && !known && isSameLogin(record, from)) {
        document.update((all) => withRecord(all, { ...record, ...facts }));
      }
    },
  };
}

function requireRecord({ routers }: Settings, id: string): RouterRecord {
  const found = routers.find((router) => router.id === id);
  if (!found) {
    throw new AppError('not_found', 'there is no router with this id; GET /api/routers lists them');
  }
  return found;
}

function withRecord(all: Settings, record: RouterRecord): Settings {
  return { ...all, routers: all.routers.map((old) => (old.id === record.id ? record : old)) };
}

const loginFields = ['ip', 'port', 'user', 'pass', 'hostFp'] as const;

function isSameLogin(one: RouterRecord, other: RouterRecord): boolean {
  return loginFields.every((name) => one[name] === other[name]);
}

export function toRouterRecord(id: string, input: RouterInput, allowLoopback: boolean): RouterRecord {
  refuseForeignFields(input.kind, input);
  return {
    id,
    kind: input.kind,
    displayName: input.displayName?.trim() || kinds[input.kind].name,
    hostName: '',
    ip: targetAddress(input.ip, allowLoopback),
    port: input.port ?? 22,
    user: input.user,
    pass: input.pass,
    enablePass: input.enablePass || null,
    nat: input.nat ?? '100',
    enabled: input.enabled ?? true,
    legacyAlgorithms: input.legacyAlgorithms ?? false,
    hostFp: input.hostFp ?? null,
  };
}

export function changeRouter(old: RouterRecord, change: RouterChange, allowLoopback: boolean): RouterRecord {
  if (change.kind !== undefined && change.kind !== old.kind) {
    throw new AppError('router_kind_fixed', 'kind cannot change: remove this router and add one of the other kind');
  }
  refuseForeignFields(old.kind, change);
  const ip = change.ip === undefined ? old.ip : targetAddress(change.ip, allowLoopback);
  const port = change.port ?? old.port;
  const moved = ip !== old.ip || port !== old.port;
  if (moved && !change.pass) {
    throw new AppError('router_password_required', 'pass must be given again when ip or port changes');
  }
  return {
    ...old,
    ip,
    port,
    displayName: change.displayName === undefined ? old.displayName : change.displayName.trim() || kinds[old.kind].name,
    user: change.user ?? old.user,
    pass: change.pass || old.pass,
    enablePass: nextEnablePass(old, change, moved),
    nat: change.nat ?? old.nat,
    enabled: change.enabled ?? old.enabled,
    legacyAlgorithms: change.legacyAlgorithms ?? old.legacyAlgorithms,
    hostName: moved ? '' : old.hostName,
    hostFp: change.hostFp ?? (moved ? null : old.hostFp),
  };
}

/**
 * Unchanged when omitted or empty, cleared by null; never carried to another address
 * (docs/reference/wire-contract/4-endpoints.md#router-records).
 */
function nextEnablePass(old: RouterRecord, change: RouterChange, moved: boolean): string | null {
  if (change.enablePass) {
    return change.enablePass;
  }
  return change.enablePass === null || moved ? null : old.enablePass;
}

function refuseForeignFields(kind: RouterRecord['kind'], input: RouterInput | RouterChange): void {
  if (kind === 'vendor_b' && input.nat !== undefined) {
    throw refuseField('invalid_body', 'nat', 'is only for a Yamaha RTX (vendor_a)', 'not_for_kind');
  }
  if (kind === 'vendor_a' && input.enablePass) {
    throw refuseField('invalid_body', 'enablePass', 'is only for a Cisco IOS (vendor_b)', 'not_for_kind');
  }
}

/**
 * The canonical address; private IPv4 or unique-local IPv6 literals only
 * (docs/reference/wire-contract/0-conventions.md#a2-router-targets).
 */
export function targetAddress(text: string, allowLoopback: boolean): string {
  const ip = canonicalIp(text);
  if (ip === null || !(isPrivateIp(ip) || (allowLoopback && isLoopback(ip)))) {
    throw new AppError('router_address', 'ip must be a private IPv4 or unique-local IPv6 address');
  }
  return ip;
}

function freeId({ routers, tombstones }: Settings, kind: RouterRecord['kind']): string {
  const taken = new Set([...routers, ...tombstones].map(({ id }) => id));
  for (;;) {
    const id = `${kind.replace('_', '-')}-${randomHex(8)}`;
    if (!taken.has(id)) {
      return id;
    }
  }
}
