// The ports of an address as `gate collect direct-ingress` tries them: each is named, and none shows anything by itself.
import { createServer } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { directIngress } from '#gate/collect/direct-ingress.ts';
import { close, freePort, listen } from '#kernel/http/listening.ts';
import { type ProbeLab, startProbeLab } from '../support/probe-lab.ts';

let lab: ProbeLab;
beforeAll(async () => {
  lab = await startProbeLab();
});
afterAll(() => lab[Symbol.asyncDispose]());

/** Nothing listens at the ports of the settings. */
const settings = { MCP_GATE_MONITOR_URL: 'http://127.0.0.1:9', MCP_GATE_MCP_PORT: '10' };
const usual = { address: '127.0.0.2', witness: '11' };

test('each port of the settings and each one more is tried once at each address, and an open one is named', async () => {
  const server = createServer();
  const open = Number((await listen(server, '127.0.0.2')).split(':')[1]);
  const closed = await freePort();
  const context = lab.collecting(settings, { ...usual, address: '127.0.0.2,127.0.0.3', ports: `9, ${closed},${open}` });
  const { fields, objections } = await directIngress.run(context);
  const ports = [443, 9, 10, closed, open];
  expect(fields).toEqual({ portsClosed: false, address: '127.0.0.2,127.0.0.3', ports });
  const silent = (address: string) => `the witness does not answer at ${address}: closed ports there show nothing`;
  expect(objections).toEqual([silent('127.0.0.2'), `port ${open} of 127.0.0.2 is open`, silent('127.0.0.3')]);
  expect(context.transcript.steps.map(({ did, saw }) => `${did}: ${saw}`)).toEqual(
    ['127.0.0.2', '127.0.0.3'].flatMap((address) => [
      `asked the witness at ${address}: no answer of the witness`,
      ...ports.map(
        (port) =>
          `connected to ${address}, port ${port}: ${port === open && address === '127.0.0.2' ? 'open' : 'closed'}`,
      ),
    ]),
  );
  await close(server);
});

test.each<[Record<string, string>, string]>([
  [{ witness: '11' }, '--address is missing: the public address of the machine behind the proxy'],
  [{ address: '127.0.0.2' }, '--witness is missing: the port of `gatehouse gate witness` on the machine'],
  [{ ...usual, witness: '0' }, '--witness must be port numbers with commas between'],
  [{ ...usual, witness: '65536' }, '--witness must be port numbers with commas between'],
  [{ ...usual, ports: '80,' }, '--ports must be port numbers with commas between'],
  [{ ...usual, ports: '80,x' }, '--ports must be port numbers with commas between'],
  [{ ...usual, ports: '123456' }, '--ports must be port numbers with commas between'],
])('%o is refused', async (options, because) => {
  const context = lab.collecting(settings, options);
  await expect(directIngress.run(context)).rejects.toThrow(because);
  expect(context.transcript.steps).toEqual([]);
});

test('the highest and the lowest port are ports', async () => {
  const { fields } = await directIngress.run(lab.collecting(settings, { ...usual, ports: '1,65535' }));
  expect(fields.ports).toEqual([443, 9, 10, 1, 65_535]);
});
