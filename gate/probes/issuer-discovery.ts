// The metadata and keys of the authorization server, read as its clients read them.
import type { JSONWebKeySet } from 'jose';
import { toMembers } from '../json.ts';
import type { Http } from '../target.ts';

export interface IssuerView {
  metadata: Readonly<Record<string, unknown>>;
  /** HTTP status of the key set. */
  keysStatus: number;
  /** Empty when the answer is no key set. */
  keys: JSONWebKeySet;
}

/** OpenID Connect discovery (path appended), else RFC 8414 (path inserted). Rejects when neither answers. */
export async function readIssuer(http: Http, issuer: string): Promise<IssuerView> {
  const base = issuer.replace(/\/$/, '');
  const { origin, pathname } = new URL(issuer);
  const inserted = `${origin}/.well-known/oauth-authorization-server${pathname === '/' ? '' : pathname}`;
  for (const address of [`${base}/.well-known/openid-configuration`, inserted]) {
    const { status, json } = await http.ask('discovery', new URL(address));
    const metadata = toMembers(json);
    if (status === 200 && typeof metadata.jwks_uri === 'string') {
      const answer = await http.ask('jwks', new URL(metadata.jwks_uri));
      const { keys } = toMembers(answer.json);
      return {
        metadata,
        keysStatus: answer.status,
        keys: { keys: answer.status === 200 && Array.isArray(keys) ? keys : [] },
      };
    }
  }
  throw Object.assign(new Error('the issuer has no metadata'), { code: 'ISSUER_WITHOUT_METADATA' });
}
