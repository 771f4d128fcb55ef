// Reading a body for an exchange that is over.
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { readBody } from '#mcp/http/body.ts';

test('a body is not waited for when the exchange was ended before', async () => {
  const incoming = new IncomingMessage(new Socket());
  await expect(readBody(incoming, 10, AbortSignal.abort(new Error('the client went away')))).rejects.toThrow(
    'the client went away',
  );
});
