// The private environment file of the gate: what each setting refuses, and in which words.
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { hubAddress, ingressPorts, readGateConfig } from '#gate/config.ts';
import { writeText } from '#kernel/files/files.ts';
import { envText } from '../../scripts/env-text.ts';
import { gateSettings } from '../support/gate-settings.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());

const endpoint = 'https://mcp.gatehouse.test/mcp';
const usual: Readonly<Record<string, string>> = gateSettings(endpoint);

function read(settings: Readonly<Record<string, string>> = {}) {
  const file = path.join(folder.path, 'gate.env');
  const lines = Object.entries({ ...usual, ...settings }).map(([name, value]) => `${name}="${value}"\n`);
  writeText(file, lines.join(''));
  return readGateConfig(file);
}

describe('the endpoint', () => {
  test.each([
    ['mcp.gatehouse.test/mcp'],
    ['http://mcp.gatehouse.test/mcp'],
    ['https://mcp.gatehouse.test/'],
    ['https://mcp.gatehouse.test/mcp/'],
    ['https://mcp.gatehouse.test/other/mcp'],
    ['https://mcp.gatehouse.test/mcp?'],
    ['https://mcp.gatehouse.test/mcp?a=b'],
    ['https://mcp.gatehouse.test/mcp#'],
    ['https://ada@mcp.gatehouse.test/mcp'],
    ['https://:secret@mcp.gatehouse.test/mcp'],
    ['https://192.0.2.10/mcp'],
    ['https://[2001:db8::10]/mcp'],
  ])('%s is refused', (wrong) => {
    expect(() => read({ MCP_GATE_ENDPOINT: wrong, MCP_GATE_RESOURCE: wrong })).toThrow(
      /: MCP_GATE_ENDPOINT: must be https:\/\/NAME\/mcp without user, query or fragment$/,
    );
  });

  test('with a port is taken, text and address', () => {
    const withPort = 'https://mcp.gatehouse.test:8443/mcp';
    const { MCP_GATE_ENDPOINT: read8443 } = read({ MCP_GATE_ENDPOINT: withPort, MCP_GATE_RESOURCE: withPort });
    expect(read8443).toEqual({ text: withPort, url: new URL(withPort) });
  });
});

const bareHttps = /MCP_GATE_ISSUER: must be an https address without user, query or fragment$/;
const local = /MCP_GATE_MONITOR_URL: must be an http or https address of this machine$/;
const different = /: the tokens must all be different$/;
const pool = /cloud_idp is for the regional user-pool issuer only$/;
const cloud = { MCP_GATE_OAUTH_COMPATIBILITY_PROFILE: 'cloud_idp' };
const commit = /MCP_GATE_DEPLOYED_COMMIT: must be 40 hexadecimal digits in lower case$/;
const target = /MCP_GATE_CONNECT_ADDRESS: must be a host name, or IP addresses$/;
const control = /MCP_GATE_DNS_CONTROL_NAME: must be a host name$/;
const resolvers = /MCP_GATE_DNS_SERVER: must be addresses of resolvers, with commas between$/;
const person = /MCP_GATE_OPERATOR: must be the name of a person, 2 to 100 characters$/;
const oneScope = /MCP_GATE_READ_SCOPE: must be one scope$/;

describe('other settings', () => {
  test.each<[Record<string, string>, RegExp]>([
    [{ MCP_GATE_ISSUER: 'http://issuer.gatehouse.test' }, bareHttps],
    [{ MCP_GATE_ISSUER: 'https://ada@issuer.gatehouse.test' }, bareHttps],
    [{ MCP_GATE_ISSUER: 'https://:secret@issuer.gatehouse.test' }, bareHttps],
    [{ MCP_GATE_ISSUER: 'https://issuer.gatehouse.test?a' }, bareHttps],
    [{ MCP_GATE_ISSUER: 'https://issuer.gatehouse.test#a' }, bareHttps],
    [{ MCP_GATE_ISSUER: 'no address' }, bareHttps],
    [{ MCP_GATE_MONITOR_URL: 'http://192.0.2.1:3000' }, local],
    [{ MCP_GATE_MONITOR_URL: 'ftp://127.0.0.1' }, local],
    [{ MCP_GATE_MONITOR_URL: 'localhost' }, local],
    [{ MCP_GATE_RESOURCE: `${endpoint}/` }, /MCP_GATE_RESOURCE must be the same text as MCP_GATE_ENDPOINT$/],
    [{ MCP_GATE_WRITE_SCOPE: 'network.read' }, /MCP_GATE_READ_SCOPE and MCP_GATE_WRITE_SCOPE must differ$/],
    [{ MCP_GATE_READ_SCOPE: 'two scopes' }, oneScope],
    [{ MCP_GATE_READ_SCOPE: 's'.repeat(201) }, oneScope],
    [{ MCP_GATE_DEPLOYED_COMMIT: '0'.repeat(39) }, commit],
    [{ MCP_GATE_DEPLOYED_COMMIT: '0'.repeat(41) }, commit],
    [{ MCP_GATE_DEPLOYED_COMMIT: 'A'.repeat(40) }, commit],
    [{ MCP_GATE_CONNECT_ADDRESS: '127.0.0.1,' }, target],
    [{ MCP_GATE_CONNECT_ADDRESS: Array(9).fill('127.0.0.1').join() }, target],
    [{ MCP_GATE_DNS_CONTROL_NAME: 'localhost' }, control],
    [{ MCP_GATE_DNS_CONTROL_NAME: `${'n'.repeat(64)}.test` }, control],
    [{ MCP_GATE_DNS_SERVER: 'resolver.gatehouse.test' }, resolvers],
    [{ MCP_GATE_DNS_SERVER: '192.0.2.53,' }, resolvers],
    [{ MCP_GATE_OPERATOR: 'A' }, person],
    [{ MCP_GATE_OPERATOR: `A${'d'.repeat(100)}` }, person],
    [{ MCP_GATE_READ_TOKEN: 't'.repeat(16_385) }, /MCP_GATE_READ_TOKEN: is longer than 16384 characters$/],
    [{ MCP_GATE_LIMIT_TOKENS: 't'.repeat(20 * 16_384 + 1) }, /MCP_GATE_LIMIT_TOKENS: is longer than twenty tokens$/],
    [{ MCP_GATE_RATE_PROBE_REQUESTS: '501' }, /MCP_GATE_RATE_PROBE_REQUESTS: /],
    [{ MCP_GATE_EVIDENCE_POLICY: 'declared' }, /needs MCP_GATE_OPERATOR/],
    [cloud, pool],
    [{ ...cloud, MCP_GATE_ISSUER: 'https://cognito-idp.eu-central-1.amazonaws.com/eu-central-2_Example' }, pool],
    [{ ...cloud, MCP_GATE_ISSUER: 'https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_Example/' }, pool],
  ])('%o is refused', (settings, because) => {
    expect(() => read(settings)).toThrow(because);
  });

  test.each([
    'WRITE_TOKEN',
    'EXPIRED_TOKEN',
    'WRONG_AUDIENCE_TOKEN',
    'REVOKED_EXPIRED_TOKEN',
    'MONITOR_TOKEN',
    'NEAR_AUDIENCE_TOKEN',
    'AUDIENCE_LIST_TOKEN',
    'OTHER_ISSUER_TOKEN',
    'WRITE_ONLY_TOKEN',
  ])('%s that is the read token is refused', (name) => {
    expect(() => read({ [`MCP_GATE_${name}`]: 'read-token' })).toThrow(different);
  });

  test.each<[Record<string, string>]>([
    [{ MCP_GATE_MONITOR_URL: 'https://localhost' }],
    [{ MCP_GATE_MONITOR_URL: 'http://[::1]:3000' }],
    [{ MCP_GATE_CONNECT_ADDRESS: Array(8).fill('127.0.0.1').join() }],
    [{ MCP_GATE_DNS_CONTROL_NAME: `${'n'.repeat(63)}.test` }],
    [{ MCP_GATE_DNS_SERVER: '192.0.2.53, [2001:db8::53]:5353' }],
    [{ MCP_GATE_READ_SCOPE: 's'.repeat(200) }],
    [{ MCP_GATE_READ_TOKEN: 't'.repeat(16_384) }],
    [{ MCP_GATE_RATE_PROBE_REQUESTS: '500' }],
    [{ MCP_GATE_EVIDENCE_POLICY: 'declared', MCP_GATE_OPERATOR: 'Al' }],
    [{ ...cloud, MCP_GATE_ISSUER: 'https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_Example' }],
  ])('%o is taken', (settings) => {
    expect(() => read(settings)).not.toThrow();
  });

  test('tokens of the limits have blanks or commas between', () => {
    expect(read({ MCP_GATE_LIMIT_TOKENS: ' one, two\tthree ' }).MCP_GATE_LIMIT_TOKENS).toEqual(['one', 'two', 'three']);
  });
});

test('addresses of the hub are below its own, and its port is one of those that must be closed', () => {
  const at = (hub: string) => {
    const config = read({ MCP_GATE_MONITOR_URL: hub, MCP_GATE_MCP_PORT: '3001' });
    return [hubAddress(config, 'healthz').href, ingressPorts(config)];
  };
  expect(at('http://127.0.0.1:3000')).toEqual(['http://127.0.0.1:3000/healthz', [443, 3000, 3001]]);
  expect(at('http://localhost/hub')).toEqual(['http://localhost/hub/healthz', [443, 80, 3001]]);
  expect(at('https://localhost/hub/')).toEqual(['https://localhost/hub/healthz', [443, 3001]]);
});

describe('the profile resource-server', () => {
  const needed = {
    MCP_GATE_ENDPOINT: 'https://mcp.bookshop.test/api/v2',
    MCP_GATE_ISSUER: 'https://issuer.bookshop.test',
    MCP_GATE_CONNECT_ADDRESS: '127.0.0.1',
    MCP_GATE_READ_SCOPE: 'books.read',
    MCP_GATE_READ_TOKEN: 'read-token',
    MCP_GATE_EXPIRED_TOKEN: 'expired-token',
    MCP_GATE_WRONG_AUDIENCE_TOKEN: 'audience-token',
  };
  const readAlone = (settings: Readonly<Record<string, string>>, profile?: 'publication' | 'resource-server') => {
    const file = path.join(folder.path, 'alone.env');
    writeText(file, envText(settings));
    return readGateConfig(file, profile);
  };

  test('takes these settings, and each of them must be there', () => {
    expect(readAlone(needed, 'resource-server')).toMatchObject({
      MCP_GATE_PROFILE: 'resource-server',
      MCP_GATE_RESOURCE: needed.MCP_GATE_ENDPOINT,
      MCP_GATE_WRITE_TOKEN: '',
    });
    for (const name of Object.keys(needed)) {
      const others = Object.fromEntries(Object.entries(needed).filter(([one]) => one !== name));
      expect(() => readAlone(others, 'resource-server')).toThrow(`${name}: is not set`);
    }
  });

  test('is named by the file or by the caller, who comes first; what only Gatehouse has is not used', () => {
    const whole = { ...usual, MCP_GATE_PROFILE: 'resource-server' };
    expect(readAlone(whole)).toMatchObject({ MCP_GATE_WRITE_TOKEN: '', MCP_GATE_REVOKED_EXPIRED_TOKEN: '' });
    expect(readAlone(whole, 'publication')).toEqual(read());
    expect(() => readAlone({ ...whole, MCP_GATE_PROFILE: 'lax' })).toThrow(/MCP_GATE_PROFILE: must be/);
    expect(() => readAlone({ ...needed, MCP_GATE_RESOURCE: 'https://x.test/' }, 'resource-server')).toThrow(
      /same text/,
    );
    expect(() => readAlone({ ...needed, MCP_GATE_EXPIRED_TOKEN: 'read-token' }, 'resource-server')).toThrow(different);
  });
});
