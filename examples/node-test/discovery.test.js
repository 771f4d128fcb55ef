import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startIssuer } from 'gatehouse-simulators';

/** The program under test: refuses an issuer that does not offer PKCE with S256. */
async function discover(issuer) {
  const answer = await fetch(`${issuer}/.well-known/openid-configuration`);
  const { code_challenge_methods_supported: methods = [], token_endpoint } = await answer.json();
  if (!methods.includes('S256')) {
    throw new Error(`${issuer} does not offer PKCE with S256`);
  }
  return token_endpoint;
}

test('an issuer with PKCE is used, one without is refused', async () => {
  await using issuer = await startIssuer();
  assert.ok((await discover(issuer.issuer)).startsWith(issuer.url.origin));
  issuer.fail('no-pkce-metadata');
  await assert.rejects(discover(issuer.issuer), /does not offer PKCE/);
  issuer.clearFaults();
  await discover(issuer.issuer);
});
