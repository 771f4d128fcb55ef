// What stands at the address of ClickHouse answers anything: the log answers, says why, and memory stays as it is.
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { createGzip, gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { rowText } from '#hub/base/clickhouse-rows.ts';
import { startHostileClickHouse } from '../support/hostile-clickhouse.ts';
import { startLab } from '../support/lab.ts';

const day = 86_400_000;
const mega = Buffer.from(`{"dst":"${'x'.repeat(1_000_000)}"}\n`);
const endless = () =>
  Readable.from(
    (function* () {
      for (let count = 0; count < 300; count += 1) {
        yield mega;
      }
    })(),
  );

/** A hub whose ClickHouse says which hours it holds, as one does, and answers everything else by `answer`. */
async function startScene(answer: (response: ServerResponse) => void) {
  await using opened = new AsyncDisposableStack();
  const { sink } = opened.use(
    await startHostileClickHouse(async (request, response) => {
      const body = Buffer.concat(await Readable.from(request).toArray());
      const query = String(request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body);
      if (query.includes('toUnixTimestamp(min(hour))')) {
        response.end('{"rows":1,"oldest":1600000000,"newest":1700000000}\n');
      } else if (query.includes('SELECT')) {
        answer(response);
      } else {
        response.end();
      }
    }),
  );
  const lab = opened.use(await startLab({ hub: { sink } }));
  const held = opened.move();
  return { lab, [Symbol.asyncDispose]: () => held.disposeAsync() };
}

const answers: [what: string, answer: (response: ServerResponse) => void, says: RegExp][] = [
  [
    '300 MB in a small compressed answer',
    (response) => {
      response.setHeader('content-encoding', 'gzip');
      endless()
        .pipe(createGzip({ level: 1 }))
        .on('error', () => undefined)
        .pipe(response);
    },
    /longer than 33554432 bytes \(HTTP 200\)/,
  ],
  [
    'a refusal of 300 MB',
    (response) => {
      response.statusCode = 500;
      endless().pipe(response);
    },
    /longer than 65536 bytes \(HTTP 500\)/,
  ],
  ['counts below zero', (response) => response.end('{"safe":-3,"warn":"x","danger":null}\n'), /not what was asked for/],
  ['rows of another kind', (response) => response.end('null\n[1]\n'), /not what was asked for/],
  ['the page of a captive portal', (response) => response.end('<html>log in</html>'), /not what was asked for/],
  ['nothing', (response) => response.end(), /has no row/],
  ['a redirect', (response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(), /HTTP 302/],
];

test.each(answers)('%s', async (_what, answer, says) => {
  await using scene = await startScene(answer);
  const { lab } = scene;
  const query = { from: String(lab.clock.now() - 800 * day), to: String(lab.clock.now()) };
  const { longRange, ...counts } = await lab.as.admin.connections.threatCounts({ query });
  expect(counts).toMatchObject({ safe: 0, warn: 0, danger: 0 });
  expect(longRange).toMatchObject({ answeredBy: 'log', until: null, message: expect.stringMatching(says) });
});

test('texts of an answer are shown without what cannot be seen', () => {
  expect(rowText.parse('<b>\u202e\u001b[31m')).toBe('<b>\ufffd[31m');
});
