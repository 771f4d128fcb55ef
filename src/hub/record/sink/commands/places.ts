// What commands of the sink work with: the settings and the database of the hub.
import { z } from 'zod';
import { flag, readEnv } from '#kernel/process/env.ts';
import { Db } from '#kernel/sqlite/sqlite.ts';
import { type SinkSettings, sinkEnv, sinkSettings } from '../../../base/settings/sink.ts';
import { findDatabase } from '../../../base/storage/commands/places.ts';

const env = z.object({
  MONITOR_OFFLINE_MODE: flag(),
  ...sinkEnv,
});

/** Throws an Error that says which variable or option is missing. */
export function sinkPlaces(data: string | undefined): { settings: SinkSettings; file: string } {
  const given = readEnv(env);
  if (given.MONITOR_OFFLINE_MODE) {
    throw new Error(
      'MONITOR_OFFLINE_MODE is on: ClickHouse is not asked and gets nothing. Switch it off for this command',
    );
  }
  const settings = sinkSettings(given);
  if (settings === null) {
    throw new Error('MONITOR_CLICKHOUSE_URL is not set: name the server, such as https://clickhouse.example.net:8443');
  }
  return { settings, file: findDatabase(data) };
}

/** The migration that brought the tables of the sink. */
const firstSchema = 23;

/** Opens the database; the hub may run. Throws an Error for a database of an earlier version. */
export function openBeside(file: string): Db {
  const db = new Db(file);
  if (db.schemaVersion() < firstSchema) {
    void db.close();
    throw new Error(`${file} is of an earlier version: start the hub of this version once, then try again`);
  }
  return db;
}
