// How secrets are sealed: AES-256-GCM, a nonce for each, and nothing that was changed opens.
import { createDecipheriv } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createKey, createToken, isSealed, seal, unseal } from '#kernel/text/secret.ts';

const secret = 'password of a router';

test('what is sealed opens as AES-256-GCM with a tag of 128 bits, and no two are alike', () => {
  const key = createKey();
  expect(key).toMatch(/^[0-9a-f]{64}$/);
  const sealed = Array.from({ length: 200 }, () => seal(secret, key));
  expect(sealed.every(isSealed)).toBe(true);
  const parts = sealed.map((text) => Buffer.from(text.slice('v1:'.length), 'base64'));
  expect(new Set(parts.map((bytes) => bytes.subarray(0, 12).toString('hex'))).size).toBe(200);
  for (const bytes of parts) {
    const opened = createDecipheriv('aes-256-gcm', Buffer.from(key, 'hex'), bytes.subarray(0, 12), {
      authTagLength: 16,
    }).setAuthTag(bytes.subarray(12, 28));
    expect(opened.update(bytes.subarray(28), undefined, 'utf8') + opened.final('utf8')).toBe(secret);
  }
});

test('one changed bit anywhere, a cut, or another key, and it does not open', () => {
  const key = createKey();
  const sealed = seal(secret, key);
  expect(unseal(sealed, key)).toBe(secret);
  fc.assert(fc.property(fc.string(), (text) => unseal(seal(text, key), key) === text));
  const bytes = Buffer.from(sealed.slice('v1:'.length), 'base64');
  for (let at = 0; at < bytes.length; at += 1) {
    const changed = Buffer.from(bytes);
    changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
    expect(() => unseal(`v1:${changed.toString('base64')}`, key), `byte ${at}`).toThrow();
  }
  expect(() => unseal(`v1:${bytes.subarray(0, -1).toString('base64')}`, key)).toThrow();
  expect(() => unseal(sealed, createKey())).toThrow();
  expect(() => unseal(sealed.replace('v1', 'v2'), key)).toThrow(/unknown format/);
});

test('a token has the bits it is asked for, and none is like another', () => {
  const tokens = Array.from({ length: 500 }, () => createToken('svc_', 32));
  expect(new Set(tokens).size).toBe(500);
  expect(tokens.every((token) => /^svc_[0-9a-f]{64}$/.test(token))).toBe(true);
});
