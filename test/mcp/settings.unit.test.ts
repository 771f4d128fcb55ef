// What the environment means, and every combination that must stop the start before anything listens.
import { describe, expect, test } from 'vitest';
import { readEnv } from '#kernel/process/env.ts';
import { mcpEnv } from '#mcp/config.ts';
import { type HttpSettings, mcpSettings } from '#mcp/settings.ts';
import { verifies } from '../support/verifies.ts';

const svc = `svc_${'a1'.repeat(32)}`;
const key = 'k'.repeat(32);
const token: Record<string, string> = {
  MCP_PORT: '3901',
  MCP_TOKEN: 'token-of-clients',
  MCP_SERVICE_TOKEN: svc,
  MCP_AUDIT_HMAC_KEY: key,
};
const oauth: Record<string, string> = {
  MCP_PORT: '3901',
  MCP_AUTH_MODE: 'oauth',
  MCP_SERVICE_TOKEN: svc,
  MCP_AUDIT_HMAC_KEY: key,
  MCP_OAUTH_ISSUER: 'https://issuer.example/realm',
  MCP_OAUTH_RESOURCE: 'https://mcp.example/mcp',
  MCP_OAUTH_READ_SCOPE: 'net:read',
  MCP_OAUTH_NOTES_WRITE_SCOPE: 'notes:write',
};
const stdio = { MONITOR_TOKEN: 'admin-token' };

const read = (env: Record<string, string>) => mcpSettings(readEnv(mcpEnv, env, () => undefined));
const http = (env: Record<string, string>) => read(env) as HttpSettings;
const without = (env: Record<string, string>, name: string) =>
  Object.fromEntries(Object.entries(env).filter(([one]) => one !== name));

describe('profiles', () => {
  verifies('mcp.profile.inferred mcp.env.port', 'without MCP_PORT it is stdio, and the profile follows', () => {
    expect(read(stdio)).toMatchObject({ transport: 'stdio', profile: 'local-stdio' });
    expect(read(token)).toMatchObject({ transport: 'http', port: 3901, profile: 'private-http' });
    expect(read(oauth)).toMatchObject({ transport: 'http', profile: 'public-oauth' });
  });

  verifies('mcp.profile.four mcp.env.profile', 'each of the four is accepted where it fits', () => {
    const named = (env: Record<string, string>, profile: string) =>
      read({ ...env, MONITOR_DEPLOYMENT_PROFILE: profile }).profile;
    expect(named(stdio, 'local-stdio')).toBe('local-stdio');
    expect(named(token, 'private-http')).toBe('private-http');
    expect(named(oauth, 'private-oauth')).toBe('private-oauth');
    expect(named(oauth, 'public-oauth')).toBe('public-oauth');
    expect(() => named(stdio, 'public')).toThrow(
      /MONITOR_DEPLOYMENT_PROFILE: must be local-stdio, .* or public-oauth, not "public"/,
    );
  });

  verifies('mcp.profile.mismatch', 'one that does not fit transport or authentication stops the start', () => {
    const wrong: [Record<string, string>, string[]][] = [
      [stdio, ['private-http', 'private-oauth', 'public-oauth']],
      [token, ['local-stdio', 'private-oauth', 'public-oauth']],
      [oauth, ['local-stdio', 'private-http']],
    ];
    for (const [env, profiles] of wrong) {
      for (const profile of profiles) {
        expect(() => read({ ...env, MONITOR_DEPLOYMENT_PROFILE: profile })).toThrow(
          new RegExp(`^MONITOR_DEPLOYMENT_PROFILE: ${profile} does not fit`),
        );
      }
    }
    expect(() => read({ ...stdio, MCP_AUTH_MODE: 'oauth' })).toThrow(/^MCP_AUTH_MODE: oauth needs HTTP/);
  });
});

describe('what must be set', () => {
  verifies('mcp.auth.token-mode-three mcp.env.mcp-token mcp.auth.no-fallback', 'token mode needs its three', () => {
    for (const name of ['MCP_TOKEN', 'MCP_SERVICE_TOKEN', 'MCP_AUDIT_HMAC_KEY']) {
      expect(() => read({ ...without(token, name), MONITOR_TOKEN: 'admin-token' }), name).toThrow(
        new RegExp(`^${name}: is not set`),
      );
    }
  });

  verifies('mcp.oauth.needs', 'OAuth mode needs its six', () => {
    for (const name of Object.keys(oauth).filter((one) => one !== 'MCP_PORT' && one !== 'MCP_AUTH_MODE')) {
      expect(() => read(without(oauth, name)), name).toThrow(new RegExp(`^${name}: is not set`));
    }
  });

  verifies('mcp.auth.secrets-distinct mcp.env.mcp-token', 'no two credentials are the same', () => {
    const names = ['MONITOR_TOKEN', 'MCP_TOKEN', 'MCP_SERVICE_TOKEN', 'MCP_AUDIT_HMAC_KEY'];
    for (const [at, name] of names.entries()) {
      for (const other of names.slice(at + 1)) {
        const env = { ...token, MONITOR_TOKEN: 'admin-token', [name]: svc, [other]: svc, MCP_SERVICE_TOKEN: svc };
        expect(() => read(env), `${name} ${other}`).toThrow(/is the same as/);
      }
    }
    expect(() => read({ ...oauth, MONITOR_TOKEN: key })).toThrow(/is the same as/);
  });

  verifies('mcp.env.service-token mcp.oauth.svc-only', 'the service token is an API identity in both modes', () => {
    for (const env of [token, oauth]) {
      for (const wrong of ['a'.repeat(48), 'svc_short', `svc_${'A1'.repeat(32)}`, `svca_${'a1'.repeat(32)}`]) {
        expect(() => read({ ...env, MCP_SERVICE_TOKEN: wrong })).toThrow(/^MCP_SERVICE_TOKEN: must be the token of/);
      }
      expect(http({ ...env, MONITOR_TOKEN: 'admin-token' }).hub.token).toBe(svc);
    }
  });

  verifies('mcp.env.hmac-key', 'the key of the pseudonyms has at least 32 characters', () => {
    expect(() => read({ ...token, MCP_AUDIT_HMAC_KEY: 'k'.repeat(31) })).toThrow(/^MCP_AUDIT_HMAC_KEY: .* 32 char/);
    expect(http(token).auditKey).toBe(key);
  });

  test('stdio needs the admin token', () => {
    expect(() => read({})).toThrow(/^MONITOR_TOKEN: is not set/);
  });
});

describe('addresses', () => {
  verifies('mcp.env.url mcp.env.url-sub-path', 'the hub is at localhost:3000, or under a sub-path', () => {
    expect(read(stdio).hub.url.href).toBe('http://localhost:3000/');
    expect(read({ ...stdio, MONITOR_URL: 'https://h.example/watch' }).hub.url.pathname).toBe('/watch');
    for (const wrong of ['h.example', 'ftp://h.example', 'http://u:p@h.example', 'http://h.example/?a=1']) {
      expect(() => read({ ...stdio, MONITOR_URL: wrong })).toThrow(/^MONITOR_URL: /);
    }
  });

  verifies(
    'mcp.env.bind-address mcp.auth.default-loopback mcp.env.bind-hostname',
    'the bind is loopback unless a literal address says otherwise',
    () => {
      expect(http(token).bind).toBe('127.0.0.1');
      expect(http({ ...token, MCP_BIND_ADDRESS: '::1' }).bind).toBe('::1');
      for (const name of ['localhost', 'mcp.example', '127.0.0.1:80']) {
        const env = { ...token, MCP_BIND_ADDRESS: name };
        expect(() => read(env), name).toThrow(/^MCP_BIND_ADDRESS: .* host name is not accepted/);
      }
    },
  );

  verifies('mcp.env.non-loopback', 'another bind needs exactly true and an explicit profile', () => {
    for (const bind of ['0.0.0.0', '::', '192.168.1.5', 'fd00::5']) {
      const env = { ...token, MCP_BIND_ADDRESS: bind, MONITOR_DEPLOYMENT_PROFILE: 'private-http' };
      for (const almost of ['', 'TRUE', '1', 'yes', 'true ']) {
        expect(() => read({ ...env, MCP_ALLOW_NON_LOOPBACK: almost })).toThrow(
          /MCP_ALLOW_NON_LOOPBACK(=true|: must be true or false)/,
        );
      }
      const allowed = { ...env, MCP_ALLOW_NON_LOOPBACK: 'true' };
      expect(http(allowed).bind).toBe(bind);
      expect(() => read(without(allowed, 'MONITOR_DEPLOYMENT_PROFILE'))).toThrow(/^MONITOR_DEPLOYMENT_PROFILE: must/);
    }
  });

  test('the port is a port', () => {
    for (const port of ['0', '65536', '-1', 'http', '80.5']) {
      expect(() => read({ ...token, MCP_PORT: port }), port).toThrow(
        /MCP_PORT: must be a whole number from 1 to 65535/,
      );
    }
  });
});

describe('OAuth', () => {
  verifies('mcp.env.auth-mode', 'the mode is token unless it is oauth', () => {
    expect(http(token).auth).toEqual({ mode: 'token', token: 'token-of-clients' });
    expect(http({ ...token, MCP_AUTH_MODE: 'token' }).auth.mode).toBe('token');
    expect(http(oauth).auth.mode).toBe('oauth');
    expect(() => read({ ...token, MCP_AUTH_MODE: 'none' })).toThrow(/must be token or oauth/);
  });

  verifies(
    'mcp.env.issuer mcp.env.resource mcp.oauth.https',
    'issuer and resource are https, or http on loopback, and nothing but an address',
    () => {
      for (const name of ['MCP_OAUTH_ISSUER', 'MCP_OAUTH_RESOURCE']) {
        for (const good of [
          'https://a.example',
          'http://127.0.0.1:4000',
          'http://localhost:4000/x',
          'http://[::1]:4',
        ]) {
          expect(() => read({ ...oauth, [name]: good }), good).not.toThrow();
        }
        for (const wrong of ['http://a.example', 'a.example', 'ftp://a.example', 'http://192.168.1.1/']) {
          expect(() => read({ ...oauth, [name]: wrong }), wrong).toThrow(new RegExp(`^${name}: must be`));
        }
        for (const wrong of [
          'https://u:p@a.example',
          'https://a.example/?b',
          'https://a.example/#c',
          'https://a.example/ ',
        ]) {
          expect(() => read({ ...oauth, [name]: wrong }), wrong).toThrow(new RegExp(`^${name}: must be`));
        }
      }
    },
  );

  verifies('mcp.env.read-scope mcp.env.write-scope', 'scopes are two different scope tokens', () => {
    expect(http(oauth).auth).toMatchObject({ readScope: 'net:read', writeScope: 'notes:write' });
    for (const name of ['MCP_OAUTH_READ_SCOPE', 'MCP_OAUTH_NOTES_WRITE_SCOPE']) {
      for (const wrong of ['two words', 'quo"te', 'back\\slash', 'ümlaut', 'line\n']) {
        expect(() => read({ ...oauth, [name]: wrong }), wrong).toThrow(new RegExp(`^${name}: must be one scope`));
      }
    }
    expect(() => read({ ...oauth, MCP_OAUTH_NOTES_WRITE_SCOPE: 'net:read' })).toThrow(/must differ/);
  });

  verifies(
    'mcp.env.compatibility mcp.oauth.strict mcp.oauth.cloud-idp-issuer',
    'strict is the default; cloud_idp takes the exact regional user-pool issuer and no other',
    () => {
      const pool = (issuer: string) =>
        http({ ...oauth, MCP_OAUTH_ISSUER: issuer, MCP_OAUTH_COMPATIBILITY_PROFILE: 'cloud_idp' }).auth;
      expect(http(oauth).auth).toMatchObject({ compatibility: 'strict' });
      const named = (region: string, pool = 'AbCdEf123') =>
        `https://cognito-idp.${region}.amazonaws.com/${region}_${pool}`;
      const good = named('eu-central-1');
      for (const right of [good, named('us-gov-west-1'), named('eu-central-1', 'a'.repeat(55))]) {
        expect(pool(right)).toMatchObject({ compatibility: 'cloud_idp', issuer: right });
      }
      for (const wrong of [
        'https://issuer.example/eu-central-1_AbCdEf123',
        'https://cognito-idp.eu-central-1.amazonaws.com/us-east-1_AbCdEf123',
        'https://cognito-idp.eu-central-1.amazonaws.com/',
        `${good}/`,
        good.replace('https', 'https://x.example/https'),
        `${good}-x`,
        named('eu-central-1', ''),
        named('eu-central-1', 'a'.repeat(56)),
        named('eu-central'),
        named('eu-1'),
        named('eu-central-11'),
        good.replace('-idp.', '-idp-'),
        'https://cognito-idp.eu-central-1.amazonaws.com.evil.example/eu-central-1_AbCdEf123',
        'http://127.0.0.1:4000',
      ]) {
        expect(() => pool(wrong), wrong).toThrow(/^MCP_OAUTH_COMPATIBILITY_PROFILE: cloud_idp is for/);
      }
      expect(() => read({ ...oauth, MCP_OAUTH_COMPATIBILITY_PROFILE: 'lax' })).toThrow(/must be strict or cloud_idp/);
    },
  );

  verifies('mcp.oauth.containment', 'with everything of both modes set, MCP_AUTH_MODE alone chooses', () => {
    const both = { ...oauth, MCP_TOKEN: 'token-of-clients' };
    expect(http(both).auth.mode).toBe('oauth');
    expect(http({ ...both, MCP_AUTH_MODE: 'token' }).auth.mode).toBe('token');
  });
});

describe('limits', () => {
  verifies.each(
    [
      { ids: 'mcp.limits.global-60', what: 'MCP_RATE_LIMIT_GLOBAL', of: 'global', standard: 60 },
      { ids: 'mcp.limits.subject-30', what: 'MCP_RATE_LIMIT_SUBJECT', of: 'subject', standard: 30 },
      { ids: 'mcp.limits.client-30', what: 'MCP_RATE_LIMIT_CLIENT', of: 'client', standard: 30 },
      { ids: 'mcp.limits.concurrent-4', what: 'MCP_MAX_CONCURRENT', of: 'concurrent', standard: 4 },
    ],
    ({ what, of, standard }) => {
      const limits = (env: Record<string, string>) => {
        const { rates, concurrent } = http({ ...token, ...env });
        return { ...rates, concurrent };
      };
      const usual = { global: 60, subject: 30, client: 30, windowMs: 60_000, concurrent: 4 };
      expect(limits({})).toEqual(usual);
      expect(limits({ [what]: '7' })).toEqual({ ...usual, [of]: 7 });
      expect(limits({ [what]: '' })).toMatchObject({ [of]: standard });
    },
  );

  verifies('mcp.limits.rate-invalid', 'a rate that is no positive integer is the default', () => {
    const names = ['MCP_RATE_LIMIT_GLOBAL', 'MCP_RATE_LIMIT_SUBJECT', 'MCP_RATE_LIMIT_CLIENT', 'MCP_MAX_CONCURRENT'];
    for (const wrong of ['0', '-5', '1.5', '1e3', 'many', '60/min', ' 7', '']) {
      const env = Object.fromEntries(names.map((name) => [name, wrong]));
      expect(http({ ...token, ...env }), wrong).toMatchObject({
        rates: { global: 60, subject: 30, client: 30 },
        concurrent: 4,
      });
    }
  });

  const timeouts = (env: Record<string, string>) => {
    const { requestTimeoutMs, hub } = http({ ...token, ...env });
    return [requestTimeoutMs, hub.apiTimeoutMs];
  };

  verifies(
    'mcp.limits.request-timeout mcp.limits.api-timeout',
    '30 s an exchange, 15 s a call, each by its variable',
    () => {
      expect(timeouts({})).toEqual([30_000, 15_000]);
      expect(timeouts({ MCP_REQUEST_TIMEOUT_MS: '7' })).toEqual([7, 15_000]);
      expect(timeouts({ MCP_API_TIMEOUT_MS: '7' })).toEqual([30_000, 7]);
    },
  );

  verifies(
    'mcp.limits.timeout-range mcp.limits.timeout-invalid',
    'timeouts are whole milliseconds from 1 through 600000, else the default',
    () => {
      const both = (text: string) => timeouts({ MCP_REQUEST_TIMEOUT_MS: text, MCP_API_TIMEOUT_MS: text });
      expect(both('1')).toEqual([1, 1]);
      expect(both('600000')).toEqual([600_000, 600_000]);
      for (const wrong of ['0', '600001', '1.5', '-1', '30s', '']) {
        expect(both(wrong), wrong).toEqual([30_000, 15_000]);
      }
    },
  );

  verifies('mcp.limits.body-256kb', 'the body limit is 256 kb unless it is a size', () => {
    const bytes = (text: string) => http({ ...token, MCP_MAX_BODY: text }).bodyBytes;
    expect(http(token).bodyBytes).toBe(262_144);
    expect([bytes('4096'), bytes('16kb'), bytes('1MB'), bytes('10b')]).toEqual([4096, 16_384, 1_048_576, 10]);
    for (const wrong of ['0', '-1', '1gb', 'big', '1.5kb', '']) {
      expect(bytes(wrong), wrong).toBe(262_144);
    }
  });

  verifies('mcp.limits.trust-proxy', 'trusted proxies are addresses and IPv4 ranges; nobody by default', () => {
    expect(http(token).trustProxy).toEqual([]);
    expect(http({ ...token, MCP_TRUST_PROXY: '10.0.0.1, 172.16.0.0/12,fd00::1' }).trustProxy).toEqual([
      '10.0.0.1',
      '172.16.0.0/12',
      'fd00::1',
    ]);
    for (const wrong of ['proxy.example', '0.0.0.0/0', 'fd00::/8', 'true', '*']) {
      expect(() => read({ ...token, MCP_TRUST_PROXY: wrong }), wrong).toThrow(/is not an address or an IPv4 range/);
    }
  });

  verifies('mcp.env.audit-path', 'the audit store is .monitor-mcp-audit.db unless named', () => {
    expect(http(token).auditFile).toBe('.monitor-mcp-audit.db');
    expect(http({ ...token, MCP_AUDIT_DB_PATH: '/var/lib/a.db' }).auditFile).toBe('/var/lib/a.db');
  });
});
