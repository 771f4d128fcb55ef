// The half of signing in that happens in a browser: one address brings the answer, and waiting for it has an end.
import { expect, test } from 'vitest';
import { authorizeByPerson, authorizeByRedirects, openCallback } from '#gate/collect/authorization.ts';
import type { CollectContext } from '#gate/collect/collector.ts';
import { ManualClock } from '../support/manual-clock.ts';

const signInAt = new URL('https://issuer.gatehouse.test/auth?client_id=gate');

/** A person who has been asked to sign in. */
function person(callback: Awaited<ReturnType<typeof openCallback>>) {
  const clock = new ManualClock();
  const stop = new AbortController();
  const said: string[] = [];
  const context = { clock, signal: stop.signal, say: (text: string) => said.push(text) } as unknown as CollectContext;
  return { clock, stop, said, answer: authorizeByPerson(signInAt, callback, context) };
}

async function open(address: string): Promise<[status: number, text: string]> {
  const response = await fetch(address);
  return [response.status, await response.text()];
}

test.each(['code=abc&state=xyz', 'error=access_denied'])('%s at the callback is the answer', async (query) => {
  await using callback = await openCallback(0);
  const { clock, said, answer } = person(callback);
  expect(said).toEqual([`Open this address in a browser, and sign in:\n\n  ${signInAt.href}\n\n`]);
  const { origin } = new URL(callback.uri);
  for (const elsewhere of [`${callback.uri}?state=xyz`, `${origin}/?${query}`, `${origin}/favicon.ico`]) {
    expect(await open(elsewhere)).toEqual([404, 'Not here.\n']);
  }
  expect(await open(`${callback.uri}?${query}`)).toEqual([200, 'Signed in. You can close this window.\n']);
  expect((await answer).href).toBe(`${callback.uri}?${query}`);
  expect(clock.sleeping).toBe(0);
});

test('the callback is there for as long as its scope', async () => {
  const callback = await openCallback(0);
  expect(await open(callback.uri)).toEqual([404, 'Not here.\n']);
  await callback[Symbol.asyncDispose]();
  await expect(open(callback.uri)).rejects.toThrow('fetch failed');
});

test('after five minutes nobody is waited for, nor after an interruption', async () => {
  await using callback = await openCallback(0);
  const { clock, answer } = person(callback);
  let ended: unknown = null;
  answer.catch((error: Error) => {
    ended = error.message;
  });
  await clock.advance(299_999);
  expect(ended).toBeNull();
  await clock.advance(1);
  expect(ended).toBe('nobody signed in within five minutes: run the command again');
  const other = person(callback);
  other.stop.abort(new Error('stopped'));
  await expect(other.answer).rejects.toThrow('stopped');
  expect(other.clock.sleeping).toBe(0);
});

const callbackUri = 'http://127.0.0.1:4000/callback';
const redirect = (location: string, ...cookies: string[]) =>
  new Response('', {
    status: 302,
    headers: [['location', location], ...cookies.map((one) => ['set-cookie', one] as [string, string])],
  });

test('redirects are followed with the cookies that were set last, up to the callback, which is not fetched', async () => {
  const asked: [string, string][] = [];
  const answers = [
    redirect('/login', 'session=1; Path=/; HttpOnly', 'other=a=b'),
    redirect('https://login.gatehouse.test/', 'session=2'),
    redirect(`${callbackUri}?code=abc`),
  ];
  const answer = await authorizeByRedirects(signInAt, callbackUri, (url, { headers }) => {
    asked.push([url, headers.cookie ?? '']);
    return Promise.resolve(answers.shift() ?? Response.error());
  });
  expect(answer.href).toBe(`${callbackUri}?code=abc`);
  expect(asked).toEqual([
    [signInAt.href, ''],
    ['https://issuer.gatehouse.test/login', 'session=1; other=a=b'],
    ['https://login.gatehouse.test/', 'session=2; other=a=b'],
  ]);
});

test('a page where a redirect is due, and a circle, are said', async () => {
  const page = () => Promise.resolve(new Response('<form>', { status: 200 }));
  await expect(authorizeByRedirects(signInAt, callbackUri, page)).rejects.toThrow(
    'the issuer answers 200 where a redirect is due: sign in with a browser, without --automatic',
  );
  let count = 0;
  const circle = () => {
    count += 1;
    return Promise.resolve(redirect('/auth'));
  };
  await expect(authorizeByRedirects(signInAt, callbackUri, circle)).rejects.toThrow('the issuer redirects in a circle');
  expect(count).toBe(15);
  // The callback's own name with something behind it is another address.
  const near = () => Promise.resolve(redirect(`${callbackUri}-other?code=abc`));
  await expect(authorizeByRedirects(signInAt, callbackUri, near)).rejects.toThrow('in a circle');
});
