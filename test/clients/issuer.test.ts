// OpenID clients of other people sign in at the simulated issuer: Authlib, and mod_auth_openidc in a real Apache.
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { freePort } from '#kernel/http/listening.ts';
import { startIssuer } from '#simulators/index.ts';
import { untilOpen } from '../support/open-port.ts';
import { root, runProgram, startProgram } from '../support/program.ts';
import { python, withPrograms, withPython } from '../support/real-programs.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

withPython('python3-authlib python3-requests', ['authlib', 'requests'], () => {
  test('Authlib: code flow with PKCE, a checked ID token, a refresh that rotates', async () => {
    await using issuer = await startIssuer();
    const resource = 'https://mcp.example/mcp';
    const script = path.join(root, 'test/clients/with_authlib.py');
    const { code, stdout, stderr } = await runProgram(
      [script, issuer.issuer, 'gatehouse-mcp', 'http://127.0.0.1:53211/callback', resource],
      // Authlib wants HTTPS; the issuer of this test is on loopback.
      { command: python, env: { AUTHLIB_INSECURE_TRANSPORT: '1' } },
    );
    expect(code, stderr).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      nonce: true,
      subject: expect.stringMatching(/./),
      audience: resource,
      rotated: true,
      scope: 'network.read',
    });
  });
});

withPrograms('apache2 libapache2-mod-auth-openidc curl', ['/usr/sbin/apache2', 'curl'], () => {
  test('mod_auth_openidc: signs a browser in and hands its address on', async () => {
    using folder = temporaryFolder();
    const port = await freePort();
    const site = `http://127.0.0.1:${port}`;
    const hubSecret = 'a-secret-that-is-long-enough-for-hs256';
    await using issuer = await startIssuer({ hubRedirectUris: [`${site}/redirect_uri`], hubSecret });
    // Apache gives up the rights of root before it reads a page.
    chmodSync(folder.path, 0o755);
    mkdirSync(path.join(folder.path, 'www'));
    writeFileSync(path.join(folder.path, 'www/page.txt'), 'only for people who signed in\n');
    const modules = ['mpm_event', 'authn_core', 'authz_core', 'authz_user', 'headers', 'auth_openidc'];
    const settings = [
      'ServerRoot /usr/lib/apache2',
      'ServerName 127.0.0.1',
      `Listen 127.0.0.1:${port}`,
      `DefaultRuntimeDir ${folder.path}`,
      `PidFile ${folder.path}/apache2.pid`,
      `ErrorLog ${folder.path}/error.log`,
      'User nobody',
      'Group nogroup',
      ...modules.map((name) => `LoadModule ${name}_module modules/mod_${name}.so`),
      `DocumentRoot ${folder.path}/www`,
      `OIDCProviderMetadataURL ${issuer.issuer}/.well-known/openid-configuration`,
      'OIDCClientID gatehouse-hub',
      `OIDCClientSecret ${hubSecret}`,
      `OIDCRedirectURI ${site}/redirect_uri`,
      'OIDCCryptoPassphrase a-passphrase-of-this-test',
      'OIDCScope "openid email"',
      'OIDCPKCEMethod S256',
      '<Location />',
      'AuthType openid-connect',
      'Require valid-user',
      'Header set X-Seen-User "%{OIDC_CLAIM_email}e"',
      '</Location>',
    ];
    const file = path.join(folder.path, 'apache2.conf');
    writeFileSync(file, `${settings.join('\n')}\n`);
    await using apache = startProgram(['-X', '-f', file], { command: '/usr/sbin/apache2' });
    await Promise.race([untilOpen(port), apache.ended]);
    const log = readFileSync(path.join(folder.path, 'error.log'), 'utf8');
    // A browser with cookies that follows redirects; that of Node says with each request that it is a script.
    const jar = path.join(folder.path, 'cookies');
    const asked = ['-sSL', '-c', jar, '-b', jar, '-D', '-', `${site}/page.txt`];
    const page = await runProgram(asked, { command: 'curl' });
    expect(page.stdout, apache.stderr() + log).toMatch(/^X-Seen-User: operator@example\.com\r$/m);
    expect(page.stdout).toMatch(/\r\n\r\nonly for people who signed in\n$/);
  });
});
