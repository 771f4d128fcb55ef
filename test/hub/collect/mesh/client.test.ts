// What the hub asks a mesh access point, and what it makes of answers that no access point should give.
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { limits } from '#contract/limits.ts';
import { fetchMeshNetwork, fetchMeshNonce, logInToMesh, toUrlHost } from '#hub/collect/mesh/client.ts';

interface Answer {
  status?: number;
  body: string;
}

/** An access point that gives these answers, one after the other. */
async function startAccessPoint(...answers: Answer[]) {
  const asked: unknown[] = [];
  const server = createServer(async (request, response) => {
    const { method, url, headers } = request;
    const body = await text(request);
    asked.push([method, url, headers['content-type'], headers.authorization, body && JSON.parse(body)]);
    const { status = 200, body: answer } = answers.shift() ?? { body: '' };
    response.writeHead(status, { connection: 'close' }).end(answer);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return {
    target: { host: `127.0.0.1:${port}` },
    asked,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

const json = (body: unknown, status = 200): Answer => ({ status, body: JSON.stringify(body) });
const nonce = json({ nonce: 'n', id: 'i' });
const { signal } = new AbortController();

test('a login asks for a nonce first and sends it back; the list is asked for with the token', async () => {
  await using point = await startAccessPoint(nonce, nonce, json({ token: 't' }), json({ nodes: [] }));
  expect(await fetchMeshNonce(point.target, 'own', signal)).toEqual({ nonce: 'n', id: 'i' });
  expect(await logInToMesh(point.target, 'user', 'secret', signal)).toBe('t');
  expect(await fetchMeshNetwork(point.target, 't', signal)).toEqual({ nodes: [] });
  const type = 'application/json';
  expect(point.asked).toEqual([
    ['POST', '/login/nonce', type, undefined, { id: 'own' }],
    ['POST', '/login/nonce', type, undefined, { id: '' }],
    ['POST', '/login', type, undefined, { username: 'user', password: 'secret', nonce: 'n', id: 'i' }],
    ['GET', '/network', undefined, 'Bearer t', ''],
  ]);
});

test.each([
  ['no text of JSON', { body: 'hello' }],
  ['another status', json({ nonce: 'n', id: 'i' }, 201)],
  ['no nonce', json({ nonce: '', id: 'i' })],
  ['a nonce without end', json({ nonce: 'n'.repeat(513), id: 'i' })],
])('%s is no nonce, and no login is sent', async (_, answer) => {
  await using point = await startAccessPoint(answer, answer);
  const details = { errorFacts: [{ code: 'mesh_no_nonce', values: {} }] };
  const message = 'the mesh access point gave no nonce: check its address';
  const refusal = { code: 'upstream_failed', message, details };
  await expect(fetchMeshNonce(point.target, 'own', signal)).rejects.toMatchObject(refusal);
  await expect(logInToMesh(point.target, 'user', 'secret', signal)).rejects.toMatchObject(refusal);
  expect(point.asked).toHaveLength(2);
});

test.each([
  [json({}, 401), 'mesh_login_refused', 'refused this user name or password'],
  [json({}, 403), 'mesh_login_refused', 'refused this user name or password'],
  [json({ token: 't' }, 500), 'upstream_failed', 'answered 500 to the login, without a session'],
  [json({ token: '' }), 'upstream_failed', 'answered 200 to the login, without a session'],
  [json({ token: 't' }, 402), 'upstream_failed', 'answered 402 to the login'],
])('a login that is answered with %j is %s', async (answer, code, message) => {
  await using point = await startAccessPoint(nonce, answer);
  await expect(logInToMesh(point.target, 'user', 'secret', signal)).rejects.toMatchObject({
    ...{ code, message: expect.stringContaining(message) },
  });
});

test('the list: a session that is over is null, and anything but an object is an error with the status', async () => {
  await using point = await startAccessPoint(json({}, 401), json({}, 500), json('text'), json(null), { body: '{' });
  expect(await fetchMeshNetwork(point.target, 't', signal)).toBeNull();
  for (const status of [500, 200, 200, 200]) {
    await expect(fetchMeshNetwork(point.target, 't', signal)).rejects.toMatchObject({
      ...{ code: 'upstream_failed', message: expect.stringContaining(`answered ${status} and did not say`) },
      details: {
        errorFacts: [
          status === 200 ? { code: 'mesh_no_list', values: {} } : { code: 'mesh_status', values: { status } },
        ],
      },
    });
  }
});

test('an answer longer than a megabyte is given up, and so is one that is aborted', async () => {
  const long = JSON.stringify({ text: 'x'.repeat(limits.meshAnswerBytes) });
  await using point = await startAccessPoint({ body: long });
  await expect(fetchMeshNetwork(point.target, 't', signal)).rejects.toThrow('its answer is longer than 1 MB');
  const aborted = AbortSignal.abort(new Error('not wanted'));
  await expect(fetchMeshNetwork(point.target, 't', aborted)).rejects.toThrow(/did not answer: not wanted/);
  expect(point.asked).toHaveLength(1);
});

test('an address of version 6 stands in brackets', () => {
  expect(['192.0.2.1', '192.0.2.1:8080', '2001:db8::1'].map(toUrlHost)).toEqual([
    ...['192.0.2.1', '192.0.2.1:8080', '[2001:db8::1]'],
  ]);
});
