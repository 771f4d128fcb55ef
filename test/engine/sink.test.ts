// The sink against the real engine: what the statements make, what tokens and versions do, many rows, random histories.
import type { ClickHouseClient } from '@clickhouse/client';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createHourPacking } from '#hub/record/connections/store/hour-pack.ts';
import { readHourCounts } from '#hub/record/sink/hour-counts.ts';
import { createSchemaStatements } from '#hub/record/sink/schema-statements.ts';
import { hour, noon } from '../support/connection-log.ts';
import { budget, runs } from '../support/property-runs.ts';
import { createDice } from '../support/random-log.ts';
import { runHistory } from '../support/sink-history.ts';
import { afterNoon, comparedColumns, openSinkLab, rowsOfLog } from '../support/sink-lab.ts';
import { database, engineMissing, openEngine } from './engine.ts';

if (engineMissing !== null) {
  console.log(`skipped: ${engineMissing}`);
}

const settings = {
  ...{ url: new URL('http://127.0.0.1:8123'), database, ca: null, hub: 'attic', ttlDays: null },
  ...{ writer: { name: 'writer', password: '' }, reader: null },
};

const signal = new AbortController().signal;

describe.skipIf(engineMissing !== null)('the sink and the engine', () => {
  const state = {} as { client: ClickHouseClient };
  beforeAll(async () => {
    state.client = await openEngine();
  });
  beforeEach(() => state.client.command({ query: `TRUNCATE TABLE ${database}.flow_hour` }));
  afterAll(() => state.client.close());

  /** Rows of the table as they hold, in the form of `rowsOfLog`. */
  const rowsOfTable = async (): Promise<string[]> => {
    const columns = comparedColumns.map((name) => `toString(${name})`).join(', ');
    const query = `SELECT concat_ws(' | ', ${columns}) AS text FROM ${database}.flow_hour FINAL WHERE hub = 'attic'`;
    const answer = await state.client.query({ query, format: 'JSONEachRow' });
    return ((await answer.json()) as { text: string }[]).map(({ text }) => text).sort();
  };
  const physicalRows = async (): Promise<number> => {
    const answer = await state.client.query({
      query: `SELECT count() AS n FROM ${database}.flow_hour`,
      format: 'JSONEachRow',
    });
    return Number(((await answer.json()) as { n: string }[])[0]?.n);
  };
  /** The client, whose answer to the next inserts is lost. */
  const losing = (answers: { left: number }): ClickHouseClient =>
    new Proxy(state.client, {
      get(client, name) {
        if (name !== 'exec') {
          const value = Reflect.get(client, name);
          return typeof value === 'function' ? value.bind(client) : value;
        }
        return async (params: Parameters<ClickHouseClient['exec']>[0]) => {
          const result = await client.exec(params);
          if (params.query.startsWith('INSERT') && answers.left > 0) {
            answers.left -= 1;
            throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
          }
          return result;
        };
      },
    });

  test('every statement of the schema is read, for one server and for a cluster', async () => {
    const options = { database, ttlDays: 30, writer: 'gatehouse_writer', reader: 'gatehouse_reader' };
    for (const statement of [
      ...createSchemaStatements(options),
      ...createSchemaStatements({ ...options, cluster: 'home' }),
    ]) {
      const answer = await state.client.query({ query: `EXPLAIN AST ${statement}`, format: 'TabSeparated' });
      expect(await answer.text()).not.toBe('');
    }
  });

  test('the time to live of the statement is the one of the table', async () => {
    const [, create = ''] = createSchemaStatements({ database: 'other', ttlDays: 30, writer: 'w', reader: 'r' });
    await state.client.command({ query: 'CREATE DATABASE IF NOT EXISTS other' });
    await state.client.command({ query: create });
    const answer = await state.client.query({ query: 'SHOW CREATE TABLE other.flow_hour', format: 'TabSeparatedRaw' });
    expect(await answer.text()).toContain('TTL hour + toIntervalDay(30)');
  });

  test('texts with tabs, quotes and backslashes come back as they are', async () => {
    await using lab = await openSinkLab(settings, state.client);
    const org = 'Tab\there, \'quotes\' "too", back\\slash, line\nend, 日本';
    await lab.log.record([{ at: noon }], { routerId: "router's \\ own" });
    await lab.log.describe('destination', '203.0.113.80', { org });
    await lab.sendAll();
    const query = `SELECT org, observers FROM ${database}.flow_hour`;
    const answer = await state.client.query({ query, format: 'JSONEachRow' });
    expect(await answer.json()).toEqual([{ org, observers: ["router's \\ own"] }]);
  });

  test('an insert whose answer was lost is not carried out twice', async () => {
    const answers = { left: 1 };
    await using lab = await openSinkLab(settings, losing(answers));
    await lab.log.record(Array.from({ length: 50 }, (_, dport) => ({ dport, at: noon })));
    await expect(lab.sendAll()).rejects.toThrow('cut');
    await lab.sendAll();
    expect([await physicalRows(), await rowsOfTable()]).toEqual([50, rowsOfLog(lab.log, afterNoon)]);
  });

  test('rows that are sent again replace those of before', async () => {
    await using lab = await openSinkLab(settings, state.client);
    await lab.log.record([
      { dport: 1, at: noon },
      { dport: 2, at: noon },
    ]);
    await lab.sendAll();
    await lab.log.record([{ dport: 1, at: noon + 90_000 }], { now: lab.time.now });
    await lab.log.judge('203.0.113.80', { level: 'danger' }, 2);
    await lab.sendAll();
    expect(await rowsOfTable()).toEqual(rowsOfLog(lab.log, afterNoon));
    expect(await readHourCounts(state.client, { hub: 'attic', from: noon / hour, to: noon / hour }, signal)).toEqual(
      new Map([[noon / hour, 2]]),
    );
  });

  test.each([11, 12, 13])('a random history of seed %i', async (seed) => {
    const answers = { left: 0 };
    await using lab = await openSinkLab(settings, losing(answers));
    const dice = createDice(seed);
    const { isWhole, steps } = await runHistory(lab, seed, 60, () => {
      answers.left = 1 + dice.whole(2);
    });
    const expected = rowsOfLog(lab.log, lab.time.now - 300_000);
    const held = await rowsOfTable();
    expect(isWhole ? held : held.filter((row) => expected.includes(row)), steps.join(' ')).toEqual(expected);
  });

  test(`${budget(200_000, 1_000_000, 'rows')} are sent, and every hour has as many there`, async () => {
    await using lab = await openSinkLab(settings, state.client);
    const [flows, hours] = [5000, runs(40, 200)];
    await lab.log.record(Array.from({ length: flows }, (_, dport) => ({ dport, at: noon })));
    await lab.log.db.write((writer) => {
      const put = writer.prepare('INSERT OR REPLACE INTO flow_hour_pack (hour, flows, spans) VALUES (?, ?, ?)');
      const ids = writer.prepare('SELECT id FROM flow ORDER BY id').pluck().all() as number[];
      for (let at = 1; at < hours; at += 1) {
        const packing = createHourPacking();
        for (const [index, id] of ids.entries()) {
          packing.add(id, 1 + (index % 60), index, index + at);
        }
        const { flows: packed, spans } = packing.pack();
        put.run(noon / hour - at, packed, spans);
      }
    });
    await lab.sendAll();
    const first = noon / hour - hours + 1;
    const counts = await readHourCounts(state.client, { hub: 'attic', from: first, to: noon / hour }, signal);
    expect([...counts]).toEqual(Array.from({ length: hours }, (_, index) => [first + index, flows]));
    expect(await physicalRows()).toBe(flows * hours);
    // A million rows are two minutes of a processor; where others want it too, many times that.
  }, 2_400_000);
});
