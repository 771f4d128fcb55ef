// What stands at the address of ClickHouse answers anything to an insert: nothing counts as sent, and so many bytes are read.
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { expect, test, vi } from 'vitest';
import { readStored } from '#hub/record/sink/stored-bytes.ts';
import { hour, noon } from '../../../support/connection-log.ts';
import { startHostileClickHouse } from '../../../support/hostile-clickhouse.ts';
import { openSinkLab } from '../../../support/sink-lab.ts';

/** What was written to the hub before it closed the connection. */
interface Written {
  bytes: number;
}

const clickHouse = { 'x-clickhouse-server-display-name': 'one' };

/** Writes as long as the other end takes it. */
function endless(response: ServerResponse, written: Written): void {
  const part = Buffer.alloc(65_536, 'x');
  const more = () => {
    while (!response.destroyed && response.write(part)) {
      written.bytes += part.length;
    }
  };
  response.on('drain', more);
  more();
}

async function startScene(answer: (response: ServerResponse, written: Written) => void) {
  await using opened = new AsyncDisposableStack();
  const written = { bytes: 0 };
  const { sink } = opened.use(
    await startHostileClickHouse((request, response) => {
      request.resume().on('end', () => answer(response, written));
    }),
  );
  const lab = opened.use(await openSinkLab(sink));
  await lab.log.record([{ dst: '203.0.113.1', at: noon + hour / 2 }]);
  const held = opened.move();
  return { lab, written, [Symbol.asyncDispose]: () => held.disposeAsync() };
}

const answers: [what: string, answer: (response: ServerResponse, written: Written) => void, says: RegExp][] = [
  [
    'a refusal without end',
    (response, written) => endless(response.writeHead(500), written),
    /longer than 65536 bytes/,
  ],
  [
    'an answer without end',
    (response, written) => endless(response.writeHead(200, clickHouse), written),
    /longer than 65536 bytes \(HTTP 200\)/,
  ],
  ['the page of a captive portal', (response) => response.end('<html>log in</html>'), /not that of ClickHouse/],
  ['nothing, of another server', (response) => response.end(), /not that of ClickHouse/],
  [
    'an error in an answer that began well',
    (response) => response.writeHead(200, clickHouse).end('Code: 241. DB::Exception: (MEMORY_LIMIT_EXCEEDED)'),
    /not that of ClickHouse/,
  ],
  ['a redirect', (response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(), /HTTP 302/],
];

test.each(answers)('%s is no receipt', async (_what, answer, says) => {
  await using scene = await startScene(answer);
  await expect(scene.lab.sendAll()).rejects.toThrow(says);
  expect(scene.lab.store.backlog()).toMatchObject({ hours: 1, rows: 1 });
  // What lies in the buffers of both ends was not read.
  expect(scene.written.bytes).toBeLessThan(16_777_216);
});

test('an empty answer of ClickHouse is one, to rows that came compressed', async () => {
  const headers: IncomingHttpHeaders[] = [];
  await using scene = await startScene((response) => {
    headers.push(response.req.headers);
    response.writeHead(200, clickHouse).end();
  });
  await scene.lab.sendAll();
  expect(scene.lab.store.backlog()).toMatchObject({ hours: 0, rows: 0 });
  expect(headers).toEqual([expect.objectContaining({ 'content-encoding': 'gzip', 'accept-encoding': 'gzip' })]);
});

test.each(['', '{"rows":-1,"bytes":1}', '{"rows":1,"bytes":-1}', '{"rows":1}', '{"rows":"1","bytes":"2"}'])(
  'the answer %j to what is stored is no figure',
  async (body) => {
    await using scene = await startScene((response) => response.end(body));
    expect(await readStored(scene.lab.settings, new AbortController().signal)).toBeNull();
  },
);

test('the client prints nothing of a failure: the log of the hub says it', async () => {
  using warn = vi.spyOn(console, 'warn');
  using error = vi.spyOn(console, 'error');
  await using scene = await startScene((response) => response.destroy());
  await expect(scene.lab.sendAll()).rejects.toThrow('the connection was cut');
  expect([...warn.mock.calls, ...error.mock.calls]).toEqual([]);
});
