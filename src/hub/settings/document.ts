// The one settings document: monitor.json, mode 0600. What it was before a failed save, it still is after it.
import { z } from 'zod';
import { AppError, messageOf } from '#kernel/errors.ts';
import { readJson, writeJson } from '#kernel/files.ts';
import { seal, unseal } from '#kernel/secret.ts';

const routerRecord = z.object({
  id: z.string(),
  kind: z.enum(['vendor_a', 'vendor_b']),
  displayName: z.string(),
  hostName: z.string(),
  ip: z.string(),
  port: z.int(),
  user: z.string(),
  pass: z.string(),
  enablePass: z.string().nullable(),
  nat: z.string(),
  enabled: z.boolean(),
  legacyAlgorithms: z.boolean(),
  /** SHA-256 of the pinned host key, hex; null until first use. */
  hostFp: z.string().nullable(),
});

const tombstone = z.object({
  id: z.string(),
  kind: z.enum(['vendor_a', 'vendor_b']),
  displayName: z.string(),
  deletedAt: z.int(),
});

const oidcSettings = z.object({
  enabled: z.boolean(),
  issuer: z.string(),
  clientId: z.string(),
  /** Sealed; empty when there is none. */
  clientSecret: z.string(),
  allowedEmails: z.array(z.string()),
  allowedDomains: z.array(z.string()),
});

const settings = z.object({
  version: z.literal(2),
  /** SHA-256 of the admin token, hex; null before the first start has ended. */
  adminTokenHash: z.string().nullable(),
  /** Hash of the login password with its parameters; null before the first start has ended. */
  passwordRecord: z.string().nullable(),
  /** Key of the audit trail's pseudonyms, sealed; null before the first start has ended. */
  auditKey: z.string().nullable(),
  oidc: oidcSettings,
  routers: z.array(routerRecord),
  tombstones: z.array(tombstone),
  mesh: z.object({ ip: z.string(), user: z.string(), pass: z.string() }).nullable(),
});

export type RouterRecord = z.output<typeof routerRecord>;
export type Tombstone = z.output<typeof tombstone>;
export type Settings = z.output<typeof settings>;

export interface SettingsDocument {
  readonly file: string;
  current(): Settings;
  /** Saves what `change` makes of the settings; throws AppError `save_failed` and keeps the old state when it cannot. */
  update(change: (settings: Settings) => Settings): Settings;
}

/** Reads `file`, or starts with empty settings. `key` opens the stored secrets. Throws when the file is damaged. */
export function openDocument(file: string, key: string): SettingsDocument {
  const stored = readJson(file);
  let current = stored === undefined ? emptySettings() : mapSecrets(readSettings(file, stored), opener(file, key));
  return {
    file,
    current: () => current,
    update(change) {
      const next = change(current);
      try {
        writeJson(
          file,
          mapSecrets(next, (text) => seal(text, key)),
        );
      } catch (cause) {
        throw new AppError(
          'save_failed',
          `the settings could not be saved (${messageOf(cause)}): nothing was changed`,
          {
            cause,
          },
        );
      }
      current = next;
      return next;
    },
  };
}

/** What version 2 added to version 1. */
const addedByVersion2 = {
  passwordRecord: null,
  auditKey: null,
  oidc: { enabled: false, issuer: '', clientId: '', clientSecret: '', allowedEmails: [], allowedDomains: [] },
};

function emptySettings(): Settings {
  return { version: 2, adminTokenHash: null, ...addedByVersion2, routers: [], tombstones: [], mesh: null };
}

/** Brings what an earlier version wrote to this one; the file itself is rewritten at the next save. */
function upgraded(stored: unknown): unknown {
  const isVersion1 = typeof stored === 'object' && stored !== null && 'version' in stored && stored.version === 1;
  return isVersion1 ? { ...stored, ...addedByVersion2, version: 2 } : stored;
}

function readSettings(file: string, stored: unknown): Settings {
  const parsed = settings.safeParse(upgraded(stored));
  if (!parsed.success) {
    const where = parsed.error.issues[0]?.path.join('.') ?? '';
    throw new Error(`${file} does not hold valid settings (at "${where}"): restore it from a backup`);
  }
  return parsed.data;
}

function opener(file: string, key: string) {
  return (text: string) => {
    try {
      return unseal(text, key);
    } catch (cause) {
      throw new Error(`the secrets in ${file} cannot be opened with this key: put the secret.key of this data back`, {
        cause,
      });
    }
  };
}

function mapSecrets(all: Settings, change: (text: string) => string): Settings {
  return {
    ...all,
    routers: all.routers.map((router) => ({
      ...router,
      pass: change(router.pass),
      enablePass: router.enablePass === null ? null : change(router.enablePass),
    })),
    mesh: all.mesh && { ...all.mesh, pass: change(all.mesh.pass) },
    auditKey: all.auditKey === null ? null : change(all.auditKey),
    oidc: { ...all.oidc, clientSecret: all.oidc.clientSecret === '' ? '' : change(all.oidc.clientSecret) },
  };
}
