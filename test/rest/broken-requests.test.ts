// What never becomes a request: headers that do not end, that are too large, that are no HTTP. At the hub and at the
// MCP server, over plain sockets.
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { startMcpLab } from '../support/mcp-lab.ts';

const broken = [
  ['headers that do not end', 'POST /mcp HTTP/1.1\r\nHost: x\r\n', 'HTTP/1.1 408 Request Timeout', 'request_timeout'],
  [
    'headers that are too large',
    `GET / HTTP/1.1\r\nX-Large: ${'a'.repeat(60_000)}\r\n\r\n`,
    'HTTP/1.1 431 Request Header Fields Too Large',
    'headers_too_large',
  ],
  ...[
    [
      'a length and chunks',
      'Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n',
    ],
    ['two lengths', 'Content-Length: 4\r\nContent-Length: 5\r\n\r\n{}{}x'],
    ['a length that is no number', 'Content-Length: 0x2\r\n\r\n{}'],
    ['chunks that are not the last coding', 'Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n'],
  ].map(
    ([what, rest]) =>
      [what, `POST /mcp HTTP/1.1\r\nHost: x\r\n${rest}`, 'HTTP/1.1 400 Bad Request', 'malformed_request'] as const,
  ),
  ['no HTTP', 'HELLO\r\n\r\n', 'HTTP/1.1 400 Bad Request', 'malformed_request'],
] as const;

test('what is no request is answered with its own reason and a stable code, and ended', async () => {
  await using scene = await startMcpLab({ env: { MCP_REQUEST_TIMEOUT_MS: '500' }, hub: { headersMs: 500 } });
  for (const [what, sent, status, code] of broken) {
    const [hub, mcp] = await Promise.all([answerTo(scene.lab.url, sent), answerTo(scene.url, sent)]);
    const word = expect.stringMatching(/./);
    expect({ what, ...hub }).toEqual({ what, status, body: { error: word, code, requestId: word } });
    expect({ what, ...mcp }).toEqual({ what, status, body: { error: code, message: word, requestId: word } });
  }
});

/** Everything that comes until the other side ends, as status line and JSON body. */
async function answerTo(url: URL, sent: string): Promise<{ status: string | undefined; body: unknown }> {
  const text = await new Promise<string>((resolve) => {
    let seen = '';
    const socket = connect(Number(url.port), url.hostname);
    socket.on('data', (part) => (seen += String(part))).on('error', () => undefined);
    socket.on('close', () => resolve(seen));
    socket.write(sent);
  });
  const [head = '', body = '{}'] = text.split('\r\n\r\n');
  return { status: head.split('\r\n')[0], body: JSON.parse(body) };
}
