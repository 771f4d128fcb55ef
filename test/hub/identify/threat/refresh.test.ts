// One document asked for again and again: when it is asked for next, to the minute, whatever the publisher answers.
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { concatShared } from '#hub/identify/threat/download.ts';
import { type DocumentName, feedDocuments } from '#hub/identify/threat/feed-documents.ts';
import { toFailureFact } from '#hub/identify/threat/feed-failure.ts';
import { refreshDocument } from '#hub/identify/threat/refresh.ts';
import { clampToNow, type DocumentRecord } from '#hub/identify/threat/store.ts';
import { createFeedThread } from '#hub/identify/threat/thread.ts';
import { c2Csv, dropJson, falsePositivesCsv } from '#simulators/feeds/documents.ts';
import { parseRows } from '#simulators/feeds/listing.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { hour, minute } from '../../../support/threat-lab.ts';

const day = 24 * hour;
const nothingKept = { fetchedAt: null, etag: null, lastModified: null, sha256: null, entries: 0, readBy: null };
const neverAsked = { checkedAt: null, attemptedAt: null, nextAt: 0, failures: 0, failure: null, refusedKey: null };
const blank: DocumentRecord = { ...nothingKept, ...neverAsked };
const createRows = (count: number) => Array.from({ length: count }, (_, index) => ({ cidr: `198.51.${index}.0/24` }));

interface Desk extends AsyncDisposable {
  clock: ManualClock;
  /** What the publisher answers from now on. */
  answer: RequestListener;
  /** Headers of the last request. */
  asked: IncomingHttpHeaders;
  record: DocumentRecord;
  /** Asks as soon as it is due; minutes until it is due again. */
  refresh(): Promise<number>;
}

async function openDesk(name: DocumentName): Promise<Desk> {
  const server = createServer((request, response) => {
    desk.asked = request.headers;
    desk.answer(request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const mirror = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  const thread = createFeedThread();
  const clock = new ManualClock();
  const desk: Desk = {
    clock,
    answer: (_request, response) => void response.writeHead(500).end(),
    asked: {},
    record: blank,
    async refresh() {
      clock.jump(Math.max(clock.now(), desk.record.nextAt));
      const options = { clock, mirror, authKey: 'the-key', thread, readBy: 'test' };
      ({ record: desk.record } = await refreshDocument(name, desk.record, options));
      expect(desk.record.attemptedAt).toBe(clock.now());
      return (desk.record.nextAt - clock.now()) / minute;
    },
    async [Symbol.asyncDispose]() {
      await thread[Symbol.asyncDispose]();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return desk;
}

async function waits({ refresh }: Desk, count: number): Promise<number[]> {
  const minutes: number[] = [];
  for (let turn = 0; turn < count; turn += 1) {
    minutes.push(await refresh());
  }
  return minutes;
}

/** Minutes after a success, which vary by a tenth. */
function expectUsual(minutes: number, name: DocumentName): void {
  const { everyMs } = feedDocuments[name];
  expect(Math.abs((minutes * minute) / everyMs - 1)).toBeLessThanOrEqual(0.1001);
}

test('a failure waits 5, 10, … minutes and at most 6 hours; a success begins anew', async () => {
  await using desk = await openDesk('c2');
  const doubled = [5, 10, 20, 40, 80, 160, 320, 360, 360];
  expect(await waits(desk, 9)).toEqual(doubled);
  expect(desk.record).toMatchObject({ failures: 9, failure: 'answered 500', fetchedAt: null, checkedAt: null });
  desk.answer = (_request, response) => void response.setHeader('etag', '"one"').end(c2Csv([], 0));
  expectUsual(await desk.refresh(), 'c2');
  expect(desk.record).toMatchObject({ failures: 0, failure: null, fetchedAt: desk.clock.now(), etag: '"one"' });
  const { fetchedAt } = desk.record;
  desk.answer = (_request, response) => void response.writeHead(304).end();
  expectUsual(await desk.refresh(), 'c2');
  expect(desk.asked['if-none-match']).toBe('"one"');
  expect(desk.record).toMatchObject({ fetchedAt, checkedAt: desk.clock.now() });
  desk.answer = (_request, response) => void response.destroy();
  expect(await waits(desk, 3)).toEqual([5, 10, 20]);
  expect(desk.record).toMatchObject({ fetchedAt, failures: 3, etag: '"one"' });
});

test('how a refresh fails has a fact of its own, with the cause that the connection names', async () => {
  await using desk = await openDesk('c2');
  const factAfter = async (answer: RequestListener) => {
    desk.answer = answer;
    await desk.refresh();
    return toFailureFact(desk.record.failure ?? '');
  };
  expect(await factAfter((_request, response) => void response.destroy())).toEqual({
    code: 'feed_failed',
    values: { detail: 'UND_ERR_SOCKET', cause: 'cut' },
  });
  const answering = (status: number): RequestListener => {
    return (_request, response) => void response.writeHead(status).end();
  };
  expect(await factAfter(answering(302))).toEqual({ code: 'feed_redirects', values: { status: 302 } });
  expect(await factAfter(answering(429))).toEqual({ code: 'feed_busy', values: {} });
  expect(await factAfter(answering(503))).toEqual({ code: 'feed_status', values: { status: 503 } });
  const page: RequestListener = (_request, response) => void response.end('<html>');
  expect(await factAfter(page)).toEqual({
    code: 'feed_not_list',
    values: { detail: 'it is a web page', cause: 'web_page' },
  });
});

test('what the publisher allows, or asks for, is the least', async () => {
  await using desk = await openDesk('drop_v4');
  expect(await waits(desk, 6)).toEqual([60, 60, 60, 60, 80, 160]);
  const later = (seconds: number): RequestListener => {
    return (_request, response) => void response.writeHead(429, { 'retry-after': String(seconds) }).end();
  };
  desk.answer = later(60);
  expect(await desk.refresh()).toBe(320);
  desk.answer = later(7 * 3600);
  expect(await desk.refresh()).toBe(7 * 60);
  desk.answer = later(0);
  expect(await desk.refresh()).toBe(360);
});

test('a list that shrank is believed when the one before is seven days old, not a moment earlier', async () => {
  await using desk = await openDesk('drop_v4');
  desk.answer = (_request, response) => void response.end(dropJson(parseRows('drop', createRows(100)), 0));
  expectUsual(await desk.refresh(), 'drop_v4');
  const { fetchedAt, sha256 } = desk.record;
  desk.answer = (_request, response) => void response.end(dropJson(parseRows('drop', createRows(19)), 0));
  desk.clock.jump((fetchedAt ?? 0) + 7 * day - 1);
  expect(await desk.refresh()).toBe(60);
  expect(desk.record).toMatchObject({ fetchedAt, sha256, entries: 100, failures: 1 });
  expect(desk.record.failure).toBe('sent something that is not the list: it has 19 entries, and had 100 before');
  desk.clock.jump((fetchedAt ?? 0) + 7 * day);
  desk.record = { ...desk.record, nextAt: 0 };
  await desk.refresh();
  expect(desk.record).toMatchObject({ fetchedAt: desk.clock.now(), entries: 19, failures: 0, failure: null });
});

test('a list with a fifth of the entries before is believed', async () => {
  await using desk = await openDesk('drop_v4');
  for (const count of [100, 20]) {
    desk.answer = (_request, response) => void response.end(dropJson(parseRows('drop', createRows(count)), 0));
    await desk.refresh();
    expect(desk.record).toMatchObject({ entries: count, failure: null });
  }
});

test('the list of what was taken back is asked for with a JSON body, and the key in a header', async () => {
  await using desk = await openDesk('false_positives');
  const sent: unknown[] = [];
  desk.answer = async (request, response) => {
    const { method, url } = request;
    sent.push(method, url, await json(request));
    response.end(falsePositivesCsv([], 0));
  };
  expectUsual(await desk.refresh(), 'false_positives');
  expect(sent).toEqual(['POST', '/hunting/api/v1/', { query: 'get_fplist', format: 'csv' }]);
  expect(desk.asked).toMatchObject({
    'content-type': 'application/json',
    'user-agent': 'gatehouse',
    'auth-key': 'the-key',
  });
});

test('what a clock that was ahead wrote down counts as done now, and is due as much later as it was then', () => {
  const then = { ...blank, attemptedAt: 5000, checkedAt: 5000, fetchedAt: 4000, nextAt: 9000 };
  const record = { ...then, entries: 3, etag: '"one"' };
  expect(clampToNow(5000, record)).toEqual(record);
  expect(clampToNow(4999, record)).toEqual({ ...record, attemptedAt: 4999, checkedAt: 4999, nextAt: 8999 });
  const put = { attemptedAt: 2000, checkedAt: 2000, fetchedAt: 2000, nextAt: 6000 };
  expect(clampToNow(2000, record)).toEqual({ ...record, ...put });
  const failed = { ...blank, attemptedAt: 5000, nextAt: 9000, failures: 1 };
  expect(clampToNow(2000, failed)).toEqual({ ...failed, attemptedAt: 2000, nextAt: 6000 });
  expect(clampToNow(0, blank)).toEqual(blank);
});

test('a large answer is put together in turns of the event loop, a small one at once', async () => {
  const count = async (sizes: readonly number[]) => {
    let turns = 0;
    const next = () => {
      turns += 1;
      timer = setImmediate(next);
    };
    let timer = setImmediate(next);
    const chunks = sizes.map((size, index) => new Uint8Array(size).fill(index + 1));
    const whole = await concatShared(
      chunks,
      sizes.reduce((sum, size) => sum + size, 0),
    );
    clearImmediate(timer);
    expect(Buffer.from(whole).equals(Buffer.concat(chunks))).toBe(true);
    return turns;
  };
  const megabyte = 1_048_576;
  expect(await count(Array(8).fill(megabyte))).toBe(2);
  expect(await count([2 * megabyte, 1, megabyte])).toBe(1);
  expect(await count([2 * megabyte])).toBe(0);
});
