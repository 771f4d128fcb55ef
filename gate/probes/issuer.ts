// Checks of the authorization server: metadata, keys, PKCE.
import { type Check, fail, pass, passUnless } from '../check.ts';
import { toMembers, toTexts } from '../json.ts';
import type { ProbeContext } from './context.ts';

const metadata: Check<ProbeContext> = {
  id: 'issuer.metadata',
  asks: 'the authorization server describes itself, under exactly the configured issuer',
  category: 'authorizationCompatibility',
  remedy: 'compare MCP_GATE_ISSUER with the issuer of the discovery document, character by character',
  async judge({ config, issuer }) {
    const { metadata: found } = await issuer();
    const keys = URL.parse(String(found.jwks_uri));
    return passUnless([
      ...(found.issuer === config.MCP_GATE_ISSUER ? [] : ['its issuer is another text']),
      ...(keys?.protocol === 'https:' ? [] : ['its keys are not served over https']),
    ]);
  },
};

const keySet: Check<ProbeContext> = {
  id: 'issuer.keys',
  asks: 'the authorization server serves its key set, with a key for RS256 signatures',
  category: 'authorizationCompatibility',
  needs: ['issuer.metadata'],
  remedy: 'open the jwks_uri of the discovery document: a working issuer answers 200 with RSA keys that have a kid',
  async judge({ issuer }) {
    const { keysStatus, keys } = await issuer();
    if (keysStatus !== 200) {
      return fail(`the key set is answered with ${keysStatus}`);
    }
    const usable = keys.keys
      .map(toMembers)
      .filter(({ kty, kid, use = 'sig' }) => kty === 'RSA' && typeof kid === 'string' && use === 'sig');
    return usable.length > 0 ? pass : fail('the key set has no RSA key with a kid for signatures');
  },
};

const pkce: Check<ProbeContext> = {
  id: 'issuer.pkce',
  asks: 'the authorization server advertises PKCE S256 (under cloud_idp it may say nothing, but not something else)',
  category: 'authorizationCompatibility',
  needs: ['issuer.metadata'],
  remedy: 'enable PKCE with S256 at the authorization server',
  async judge({ config, issuer }) {
    const { metadata: found } = await issuer();
    const methods = found.code_challenge_methods_supported;
    if (methods === undefined && config.MCP_GATE_OAUTH_COMPATIBILITY_PROFILE === 'cloud_idp') {
      return pass;
    }
    return toTexts(methods).includes('S256') ? pass : fail('code_challenge_methods_supported does not list S256');
  },
};

export const issuerChecks = [metadata, keySet, pkce] as const;
