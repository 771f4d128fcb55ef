// The way to ClickHouse over TLS, through a real TLS relay before the simulated server.
import { type AddressInfo, connect, type Socket } from 'node:net';
import { createServer, type TlsOptions } from 'node:tls';
import { expect, test } from 'vitest';
import { close, listen } from '#kernel/http/listening.ts';
import { type ClickHouseSimulator, startClickHouse } from '#simulators/clickhouse/clickhouse.ts';
import { createAuthority } from '#simulators/support/certificates.ts';
import { noon } from '../../../support/connection-log.ts';
import { openSinkLab, rowsOfLog, rowsOfServer, sinkSettingsFor } from '../../../support/sink-lab.ts';

/** Listens on 127.0.0.1 with this certificate, and hands on to the server. */
async function startTlsRelay(server: ClickHouseSimulator, certificate: TlsOptions) {
  const sockets = new Set<Socket>();
  const relay = createServer(certificate, (inside) => {
    const outside = connect(Number(server.url.port), server.url.hostname);
    sockets.add(inside).add(outside);
    inside.pipe(outside).pipe(inside);
    for (const each of [inside, outside]) {
      each.on('error', () => undefined);
    }
  });
  await listen(relay);
  return {
    url: new URL(`https://127.0.0.1:${(relay.address() as AddressInfo).port}`),
    connections: () => sockets.size / 2,
    [Symbol.asyncDispose]: () => close(relay, sockets),
  };
}

const authority = createAuthority();

async function startScene(trusted: string | null, names = ['127.0.0.1']) {
  await using opened = new AsyncDisposableStack();
  const server = opened.use(await startClickHouse());
  const { key, cert } = await (await authority).issue(names);
  const relay = opened.use(await startTlsRelay(server, { key, cert }));
  const lab = opened.use(await openSinkLab(sinkSettingsFor(server, { url: relay.url, ca: trusted })));
  await lab.log.record([{ dst: '203.0.113.1', at: noon }]);
  const held = opened.move();
  return { server, relay, lab, [Symbol.asyncDispose]: () => held.disposeAsync() };
}

test('a server whose authority is named gets the rows', async () => {
  await using scene = await startScene((await authority).cert);
  await scene.lab.sendAll();
  expect(rowsOfServer(scene.server)).toHaveLength(1);
  expect(rowsOfServer(scene.server)).toEqual(rowsOfLog(scene.lab.log, scene.lab.time.now - 300_000));
  expect(scene.relay.connections()).toBeGreaterThan(0);
});

test.each([
  ['of an authority that is not named', null, ['127.0.0.1']],
  ['of another authority', 'other', ['127.0.0.1']],
  ['for another name', 'this', ['clickhouse.example']],
])('a server with a certificate %s gets nothing, and the failure says what to do', async (_, whose, names) => {
  const named = { other: () => createAuthority('another CA'), this: () => authority }[String(whose)];
  await using scene = await startScene(named ? (await named()).cert : null, names);
  await expect(scene.lab.sendAll()).rejects.toThrow(
    /^ClickHouse \(https:\/\/127\.0\.0\.1:\d+\): its certificate is not trusted \([A-Z_]+\): name the authority that signed it with MONITOR_CLICKHOUSE_CA_FILE$/,
  );
  expect(scene.server.journal()).toEqual([]);
  expect(rowsOfServer(scene.server)).toEqual([]);
  expect(scene.lab.store.backlog()).toMatchObject({ hours: 1 });
});
