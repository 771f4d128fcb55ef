// The applications that may ask the simulated issuer for tokens.

export interface IssuerClient {
  id: string;
  /** Null: a public client, which proves itself by PKCE alone. */
  secret: string | null;
  /** Exact callbacks; of a native client on loopback the port is free. */
  redirectUris: readonly string[];
  kind: 'web' | 'native';
  refresh: boolean;
}

export const hubClientId = 'gatehouse-hub';
export const mcpClientId = 'gatehouse-mcp';
export const fixedMcpClientId = 'gatehouse-mcp-fixed';

/** The hub's confidential client, a native MCP client of any loopback port, and one of a fixed callback. */
export function defaultClients(hubRedirectUris: readonly string[], hubSecret: string): readonly IssuerClient[] {
  const paths = ['/callback', '/oauth/callback'];
  return [
    { id: hubClientId, secret: hubSecret, redirectUris: hubRedirectUris, kind: 'web', refresh: false },
    {
      id: mcpClientId,
      secret: null,
      redirectUris: paths.flatMap((path) => [`http://127.0.0.1${path}`, `http://localhost${path}`]),
      kind: 'native',
      refresh: true,
    },
    {
      id: fixedMcpClientId,
      secret: null,
      redirectUris: ['http://127.0.0.1:33418/callback'],
      kind: 'web',
      refresh: true,
    },
  ];
}

export type Clients = ReturnType<typeof createClients>;

export function createClients(first: readonly IssuerClient[]) {
  const byId = new Map<string, IssuerClient>();
  const reset = () => {
    byId.clear();
    for (const client of first) {
      byId.set(client.id, client);
    }
  };
  reset();
  return {
    find: (id: string): IssuerClient | null => byId.get(id) ?? null,
    list: (): readonly IssuerClient[] => [...byId.values()],
    /** Throws when there is no such client or an address is not absolute. */
    setRedirectUris(id: string, uris: readonly string[]): void {
      const client = byId.get(id);
      if (!client) {
        throw new Error(`there is no client "${id}"; there are ${[...byId.keys()].join(', ')}`);
      }
      const wrong = uris.find((uri) => URL.parse(uri) === null);
      if (wrong !== undefined) {
        throw new Error(`the redirect URI "${wrong}" is not an absolute address`);
      }
      byId.set(id, { ...client, redirectUris: [...uris] });
    },
    reset,
  };
}

/**
 * Registration of the client as the provider reads it, null while it has no callback. The provider takes the secret of
 * a confidential client from the header and from the body alike, as large providers do.
 */
export function toRegistration(client: IssuerClient): Record<string, unknown> | null {
  if (client.redirectUris.length === 0) {
    return null;
  }
  return {
    client_id: client.id,
    ...(client.secret === null ? {} : { client_secret: client.secret }),
    token_endpoint_auth_method: client.secret === null ? 'none' : 'client_secret_basic',
    redirect_uris: [...client.redirectUris],
    application_type: client.kind,
    response_types: ['code'],
    grant_types: ['authorization_code', ...(client.refresh ? ['refresh_token'] : [])],
    id_token_signed_response_alg: 'RS256',
  };
}
