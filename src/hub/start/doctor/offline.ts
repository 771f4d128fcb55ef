// Checks of a hub from its files and its port: they also work when the hub does not start.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Agent } from 'undici';
import type { DiagnosticCheck } from '#contract/diagnostics.ts';
import { healthRoutes } from '#contract/health.ts';
import { messageOf } from '#kernel/errors.ts';
import { ifThere } from '#kernel/files/files.ts';
import { ClientError, createClient } from '#kernel/http/client.ts';
import { readDatabaseHeader } from '#kernel/sqlite/database-header.ts';
import type { HubOptions } from '../../base/config.ts';
import { describeCause } from '../../base/refusals.ts';
import { openDocument } from '../../base/settings/document.ts';
import type { Settings } from '../../base/settings/schema.ts';
import { measureDatabase } from '../../base/storage/backup/snapshot.ts';
import { toFileNames } from '../../base/storage/file-names.ts';
import { readNewestSchema } from '../../base/storage/product.ts';
import { checkPermissions, checkRoom } from './file-checks.ts';
import { createFinding, type Finding, toCheck } from './finding.ts';

const timeoutMs = 5000;

export type Places = Pick<HubOptions, 'dataDir' | 'configPath' | 'dbPath' | 'secretKey'>;

/** `fault` is what is wrong with the variables; null when they are right. */
export async function checkOffline(places: Places, hub: URL, fault: unknown) {
  const files = toFileNames(places);
  const opened = openSettings(places, files);
  const settings = [fault, opened.fault].filter((one) => one !== null).map(toSettingsFinding);
  const database = path.resolve(files.databaseFile);
  const checks: DiagnosticCheck[] = [
    toCheck('port', await checkPort(hub)),
    toCheck('settings', settings),
    toCheck('database', checkSchema(database)),
    toCheck('disk', checkRoom({ folder: path.dirname(database), bytesPerDay: null, backupBytes: sizeOf(database) })),
    toCheck('permissions', checkPermissions(places.dataDir, files)),
  ];
  return { checks, settings: opened.settings };
}

/** Opens the settings without writing anything, not even a first key. */
function openSettings(
  { secretKey }: Places,
  { documentFile, keyFile }: ReturnType<typeof toFileNames>,
): { settings: Settings | null; fault: unknown } {
  try {
    const key = secretKey ?? ifThere(() => readFileSync(keyFile, 'utf8').trim(), '');
    return { settings: openDocument(documentFile, key).current(), fault: null };
  } catch (error) {
    return { settings: null, fault: error };
  }
}

function toSettingsFinding(error: unknown): Finding {
  return createFinding('problem', 'settings_not_read', messageOf(error), describeCause(error));
}

/** Whether the file is a database of this version or an earlier one. A hub that starts makes a missing one. */
function checkSchema(file: string): Finding[] {
  const problem = (detail: string) => [
    createFinding('problem', 'database_not_read', `the database ${file} cannot be used (${detail})`, { file, detail }),
  ];
  try {
    const header = readDatabaseHeader(file);
    const newest = readNewestSchema();
    if (typeof header === 'string') {
      return header === 'not SQLite' ? problem('it is not an SQLite database') : [];
    }
    return header.userVersion > newest
      ? problem(`it has schema ${header.userVersion}, newer than this program's ${newest}`)
      : [];
  } catch (error) {
    return problem(messageOf(error));
  }
}

function sizeOf(database: string): number {
  try {
    return measureDatabase(database);
  } catch {
    // The check of the database says why it cannot be read.
    return 0;
  }
}

/** Finds out whether the hub, another program, or nothing answers at the address of the hub. */
async function checkPort(hub: URL): Promise<Finding[]> {
  const address = hub.origin;
  const dispatcher = new Agent();
  try {
    await createClient({ health: healthRoutes }, { baseUrl: hub, timeoutMs, dispatcher }).health.readyz({});
    return [];
  } catch (error) {
    if (error instanceof ClientError && error.status === 503) {
      const detail = String(error.body.reason ?? 'it starts or stops');
      const sentence = `the hub at ${address} is not ready (${detail})`;
      return [createFinding('problem', 'hub_not_ready', sentence, { address, detail })];
    }
    if (messageOf(error).includes('ECONNREFUSED')) {
      return [createFinding('advice', 'hub_down', `no hub runs at ${address}`, { address })];
    }
    const sentence = `another program than a hub answers at ${address}, or the hub there is too busy to answer`;
    return [createFinding('problem', 'port_taken', sentence, { address, ...describeCause(error) })];
  } finally {
    await dispatcher.destroy();
  }
}
