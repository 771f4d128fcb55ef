// Packed bodies at their bounds.
import { deflateSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { decodeContent } from '#upsget/body.ts';
import { limits } from '#upsget/limits.ts';

test.each([
  ['gzip', gzipSync],
  ['deflate', deflateSync],
])('%s that unpacks to more than a page may have is given up', async (coding, pack) => {
  const page = Buffer.alloc(limits.bodyBytes, 'x');
  expect((await decodeContent(pack(page), coding)).length).toBe(limits.bodyBytes);
  const large = pack(Buffer.concat([page, Buffer.from('x')]));
  await expect(decodeContent(large, coding)).rejects.toMatchObject({ code: 'ERR_BUFFER_TOO_LARGE' });
});

test('four codings are undone, the last one first, and five are refused', async () => {
  const three = gzipSync(deflateSync(gzipSync('page')));
  expect((await decodeContent(deflateSync(three), 'gzip, deflate, gzip, deflate')).toString()).toBe('page');
  await expect(decodeContent(gzipSync(deflateSync(three)), 'gzip, deflate, gzip, deflate, gzip')).rejects.toThrow(
    'which upsget does not read',
  );
});
