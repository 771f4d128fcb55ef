// A router record and its runtime status → the public form: safe fields only.
import type { z } from 'zod';
import type { router } from '#contract/routers.ts';
import type { RouterRecord } from '../../base/settings/schema.ts';
import { toPublicNotes } from './notes.ts';
import type { RouterStatus } from './runtime.ts';

export type PublicRouter = z.input<typeof router>;

/** The name that people gave it, else its own host name, else its id. */
export function getRouterName({ displayName, hostName, id }: RouterRecord): string {
  return displayName || hostName || id;
}

/**
 * `withUser` = the caller may change settings; viewers do not see the login name
 * (docs/reference/wire-contract/4-endpoints.md#router-records).
 */
export function toPublicRouter(record: RouterRecord, status: RouterStatus, withUser: boolean): PublicRouter {
  return {
    id: record.id,
    kind: record.kind,
    displayName: record.displayName,
    hostName: record.hostName,
    ip: record.ip,
    port: record.port,
    ...(withUser ? { user: record.user } : {}),
    ...(record.kind === 'vendor_a' ? { nat: record.nat } : {}),
    enabled: record.enabled,
    legacyAlgorithms: record.legacyAlgorithms,
    passSet: record.pass !== '',
    enablePassSet: record.enablePass !== null,
    hostKeyPinned: record.hostFp !== null,
    ...status,
    ready: status.state === 'ready',
    unparsed: { count: status.unparsed.count, samples: [...status.unparsed.samples] },
    unsupported: { count: status.unsupported.count, samples: [...status.unsupported.samples] },
    ...toPublicNotes(status.notes),
  };
}
