// Browser login while the issuer or its settings are at fault: no exchange, no beginning, and a test that says why.
import { describe, expect, test } from 'vitest';
import type { FactCode } from '#contract/facts.ts';
import type { ErrorCode } from '#kernel/errors.ts';
import { logIn, refusal, startBench } from '../../../support/oidc-bench.ts';

describe('the exchange fails', () => {
  const answers: readonly [string, number, Record<string, string>, string, ErrorCode][] = [
    ['the code is expired', 400, {}, '{"error":"invalid_grant"}', 'oidc_code_rejected'],
    ['the secret is wrong', 401, { 'www-authenticate': 'Basic' }, '{"error":"invalid_client"}', 'oidc_client_rejected'],
    ['the client is unknown', 400, {}, '{"error":"invalid_client"}', 'oidc_client_rejected'],
    ['the issuer is broken', 500, {}, 'oops', 'oidc_exchange_failed'],
    ['the issuer is busy', 429, {}, 'later', 'oidc_exchange_failed'],
    ['it redirects', 307, { location: 'https://evil.example/token' }, '', 'oidc_exchange_failed'],
    ['a refusal in HTML', 403, { 'content-type': 'text/html' }, '<p>no', 'oidc_exchange_failed'],
    ['more than 1 MB', 200, {}, `{"x":"${'y'.repeat(1_048_576)}"}`, 'oidc_exchange_failed'],
    ['no ID token', 200, {}, '{"access_token":"a","token_type":"Bearer"}', 'oidc_token_invalid'],
    ['an array', 200, {}, '[]', 'oidc_token_invalid'],
  ];
  test.each(answers)('%s', async (_name, status, headers, text, code) => {
    await using bench = await startBench();
    bench.stub.answer = (path, response) => {
      if (path !== '/token') {
        return null;
      }
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
      return true;
    };
    expect(await refusal(logIn(bench))).toBe(code);
  });

  test('the issuer is gone, or silent for ten seconds', async () => {
    await using bench = await startBench();
    let reached = () => {};
    const asked = new Promise<void>((resolve) => {
      reached = resolve;
    });
    bench.stub.answer = (path) => {
      if (path !== '/token') {
        return null;
      }
      reached();
      return true;
    };
    const silent = refusal(logIn(bench));
    await asked;
    await bench.clock.advance(10_000);
    expect(await silent).toBe('oidc_exchange_failed');
    const { location, state } = await bench.oidc.start();
    const url = bench.stub.approve(location);
    await bench.stub[Symbol.asyncDispose]();
    expect(await refusal(bench.oidc.finish({ url, stateCookie: state }))).toBe('oidc_exchange_failed');
  });
});

describe('a login does not begin', () => {
  const refusedMetadata: readonly [string, Record<string, unknown>, ErrorCode, FactCode][] = [
    ['no PKCE metadata', { code_challenge_methods_supported: undefined }, 'oidc_pkce_unsupported', 'oidc_no_pkce'],
    ['another issuer', { issuer: 'http://127.0.0.1:1/' }, 'oidc_issuer_metadata', 'oidc_discovery'],
    ['no token endpoint', { token_endpoint: undefined }, 'oidc_issuer_metadata', 'oidc_endpoint'],
    [
      'no way for a secret',
      { token_endpoint_auth_methods_supported: ['private_key_jwt'] },
      'oidc_issuer_metadata',
      'oidc_no_secret_method',
    ],
  ];
  test.each(refusedMetadata)('%s', async (_name, metadata, code, fact) => {
    await using bench = await startBench();
    bench.stub.metadata = metadata;
    expect(await refusal(bench.oidc.start())).toBe(code);
    const failed = await bench.oidc.test().catch((error: unknown) => error);
    expect(failed).toMatchObject({ status: 502, code: 'oidc_test_failed' });
    expect(failed).toMatchObject({ details: { reason: code, errorFacts: [{ code: fact }] } });
    bench.stub.metadata = {};
    expect(await refusal(bench.oidc.start())).toBe('accepted');
  });

  test('an issuer that is down, redirects, or answers with a page', async () => {
    await using bench = await startBench();
    const answers = [
      [503, '', 'oidc_issuer_down'],
      [302, '', 'oidc_issuer_down'],
      [404, '{}', 'oidc_issuer_metadata'],
      [200, '<!doctype html>', 'oidc_issuer_metadata'],
    ] as const;
    for (const [status, text, code] of answers) {
      bench.stub.answer = (_path, response) => {
        response.writeHead(status, { location: `${bench.stub.issuer}/elsewhere` }).end(text);
        return true;
      };
      expect(await refusal(bench.oidc.start())).toBe(code);
    }
    expect(new Set(bench.stub.asked)).toEqual(new Set(['/.well-known/openid-configuration']));
    await bench.stub[Symbol.asyncDispose]();
    expect(await refusal(bench.oidc.start())).toBe('oidc_issuer_down');
    await expect(bench.oidc.start()).rejects.toThrow(
      `the OIDC issuer at ${new URL(bench.stub.issuer).host} did not answer: ECONNREFUSED`,
    );
  });

  test('an address that no issuer may have', async () => {
    await using bench = await startBench();
    bench.settings.issuer = 'http://issuer.example';
    expect(await refusal(bench.oidc.start())).toBe('oidc_not_configured');
  });

  test('switched off, without a public address, or offline: nothing leaves the hub', async () => {
    await using bench = await startBench();
    bench.settings.enabled = false;
    expect(await refusal(bench.oidc.start())).toBe('oidc_not_configured');
    bench.settings.enabled = true;
    for (const name of ['clientId', 'clientSecret', 'issuer']) {
      const { [name]: value } = bench.settings;
      bench.settings[name] = '';
      await expect(bench.oidc.start()).rejects.toThrow('is not configured: use the password');
      bench.settings[name] = value;
    }
    bench.world.publicUrl = null;
    expect(await refusal(bench.oidc.start())).toBe('oidc_not_configured');
    bench.world.publicUrl = 'https://hub.example';
    bench.world.offline = true;
    expect(await refusal(bench.oidc.start())).toBe('oidc_offline');
    await expect(bench.oidc.test()).rejects.toMatchObject({ status: 502, details: { reason: 'oidc_offline' } });
    expect(bench.stub.asked).toEqual([]);
  });
});

describe('the test of the settings', () => {
  test('asks the issuer anew each time, its keys too', async () => {
    await using bench = await startBench();
    expect(await bench.oidc.test()).toEqual({ issuer: bench.stub.issuer });
    expect(await bench.oidc.test()).toEqual({ issuer: bench.stub.issuer });
    expect(bench.stub.asked).toEqual(Array(2).fill(['/.well-known/openid-configuration', '/jwks']).flat());
  });

  test('fails without a usable key', async () => {
    await using bench = await startBench();
    const usable = '{"keys":[{"kty":"RSA"}]}';
    for (const text of [usable, '{"keys":[]}', '{"keys":[null]}', '{"keys":[{"kty":"EC"}]}', '{}', 'null', '<p>']) {
      bench.stub.answer = (path, response) => {
        if (path !== '/jwks') {
          return null;
        }
        response.writeHead(text === usable ? 201 : 200).end(text);
        return true;
      };
      const details = { reason: 'oidc_issuer_metadata', errorFacts: [{ code: 'oidc_no_keys', values: {} }] };
      await expect(bench.oidc.test()).rejects.toMatchObject({ code: 'oidc_test_failed', details });
    }
  });
});
