// The simulated ClickHouse as its official client sees it, and every fault it can show.

import { Readable } from 'node:stream';
import { createClient } from '@clickhouse/client';
import { expect, test } from 'vitest';
import { type ClickHouseSimulator, startClickHouse } from '#simulators/clickhouse/clickhouse.ts';
import { type ClickHouseFault, clickHouseFaults } from '#simulators/clickhouse/faults.ts';
import { startProgram } from '../support/program.ts';

async function clientOf(server: ClickHouseSimulator, who: 'writer' | 'reader' = 'writer') {
  const { database, [who]: user } = server.settings;
  const client = createClient({ url: server.url, database, username: user.user, password: user.password });
  const insert = (token: string, flow = '1') =>
    client.insert({
      table: 'flow_hour',
      columns: ['hub', 'hour', 'flow', 'version'],
      values: Readable.from([Buffer.from(`attic\t2026-11-25 13:00:00\t${flow}\t7\n`)], { objectMode: false }),
      format: 'TabSeparated',
      clickhouse_settings: { insert_deduplication_token: token },
    });
  return { client, insert, [Symbol.asyncDispose]: () => client.close() };
}

test('a token that came before changes nothing, another one replaces the row', async () => {
  await using server = await startClickHouse();
  await using writer = await clientOf(server);
  await writer.insert('a');
  await writer.insert('a');
  expect(server.rows).toMatchObject({ inserted: 1, repeated: 0 });
  await writer.insert('b');
  expect(server.rows).toMatchObject({ inserted: 2, repeated: 1 });
  expect(server.rows.held()).toMatchObject([{ hub: 'attic', hour: '2026-11-25 13:00:00', flow: '1' }]);
});

test('the writer may not read and the reader may not write', async () => {
  await using server = await startClickHouse();
  await using writer = await clientOf(server);
  await using reader = await clientOf(server, 'reader');
  await expect(writer.client.query({ query: 'SELECT 1' })).rejects.toMatchObject({ code: '497' });
  await expect(reader.insert('a')).rejects.toMatchObject({ code: '497' });
});

const shown: Record<Exclude<ClickHouseFault, 'no-answer' | 'slow'>, object> = {
  unavailable: { message: expect.stringContaining('503') },
  'lost-answer': { code: 'ECONNRESET' },
  'cut-connection': { code: 'ECONNRESET' },
  'bad-row': { code: '27' },
  'wrong-password': { code: '516' },
  'not-allowed': { code: '497' },
  'table-missing': { code: '60' },
  'disk-full': { code: '243' },
};

test.each(Object.entries(shown))('%s shows once', async (fault, error) => {
  await using server = await startClickHouse();
  await using writer = await clientOf(server);
  server.fail(fault as ClickHouseFault, { times: 1 });
  await expect(writer.insert('a')).rejects.toMatchObject(error);
  expect(server.rows.inserted).toBe(fault === 'lost-answer' ? 1 : 0);
  await writer.insert('a');
  expect(server.rows.inserted).toBe(1);
});

test('a slow server answers late, and one without an answer when its faults are cleared', async () => {
  await using server = await startClickHouse();
  await using writer = await clientOf(server);
  server.fail('slow', { value: 20, times: 1 });
  await writer.insert('a');
  server.fail('no-answer', { times: 1 });
  const waiting = expect(writer.insert('b')).rejects.toThrow();
  await expect.poll(() => server.journal().filter(({ kind }) => kind === 'request').length).toBe(2);
  server.clearFaults();
  await waiting;
  expect(Object.keys(clickHouseFaults).sort()).toEqual([...Object.keys(shown), 'no-answer', 'slow'].sort());
});

test('gatehouse sim clickhouse tells its users and serves its control surface', async () => {
  await using program = startProgram(['src/main.ts', 'sim', 'clickhouse', '--port', '0', '--control-port', '0']);
  const [line] = await program.printed(/^\{.*\}$/m);
  const started = JSON.parse(line ?? '{}') as { url: string; control: string; writer: { user: string } };
  expect(started.writer.user).toBe('gatehouse_writer');
  const state = await (await fetch(`${started.control}/state`)).json();
  expect(state).toMatchObject({ inserted: 0, held: 0 });
});
