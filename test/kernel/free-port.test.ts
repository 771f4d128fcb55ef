// Ports for addresses that must be known before anything listens.
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { close, freePort, listen } from '#kernel/http/listening.ts';

const rangeFile = '/proc/sys/net/ipv4/ip_local_port_range';

test('a free port is none that outgoing connections take, and can be listened on', async () => {
  const [first = 0] = existsSync(rangeFile) ? readFileSync(rangeFile, 'utf8').split(/\s+/).map(Number) : [32_768];
  const ports = await Promise.all(Array.from({ length: 20 }, () => freePort()));
  expect(ports.filter((port) => port >= first || port < 1024)).toEqual([]);
  const server = createServer();
  expect(await listen(server, '127.0.0.1', ports[0])).toBe(`127.0.0.1:${ports[0]}`);
  await close(server);
});
