// Certificates of simulated servers: chains, names, ages.
import { X509Certificate } from 'node:crypto';
import { expect, test } from 'vitest';
import { createAuthority, createSelfSigned } from '#simulators/support/certificates.ts';

test('a CA issues what verifies against it, for the names that were given', async () => {
  const authority = await createAuthority('A test CA');
  const { cert, key, fingerprint256 } = await authority.issue(['mqtt.example', '127.0.0.1', '::1']);
  const leaf = new X509Certificate(cert);
  const root = new X509Certificate(authority.cert);
  expect(leaf.verify(root.publicKey)).toBe(true);
  expect(leaf.checkIssued(root)).toBe(true);
  expect([leaf.subject, leaf.issuer, root.ca, leaf.ca]).toEqual(['CN=mqtt.example', 'CN=A test CA', true, false]);
  expect([leaf.checkHost('mqtt.example'), leaf.checkIP('127.0.0.1'), leaf.checkIP('::1')]).not.toContain(undefined);
  expect([leaf.checkHost('other.example'), leaf.checkIP('127.0.0.2')]).toEqual([undefined, undefined]);
  expect(leaf.fingerprint256).toBe(fingerprint256);
  expect(key).toContain('PRIVATE KEY');
});

test('a self-signed one has the size, digest and age that was asked for', async () => {
  const dayMs = 86_400_000;
  const { cert } = await createSelfSigned(['old.example'], {
    bits: 1024,
    digest: 'sha1',
    validFromMs: -3 * dayMs,
    validToMs: -dayMs,
  });
  const old = new X509Certificate(cert);
  expect(old.verify(old.publicKey)).toBe(true);
  expect(old.publicKey.asymmetricKeyDetails?.modulusLength).toBe(1024);
  expect(old.validToDate.getTime()).toBeLessThan(Date.now());
  expect(old.serialNumber).toMatch(/^01[0-9A-F]{30}$/);
});
