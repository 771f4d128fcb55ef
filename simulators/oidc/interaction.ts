// Logging in and consenting: by itself, refused, or on two pages.
import type { InteractionResults, KoaContextWithOIDC, Provider } from 'oidc-provider';
import { readBody } from '../support/body.ts';
import { consentPage, errorPage, loginPage } from './pages.ts';
import { userScopes } from './provider.ts';
import type { IssuerSettings } from './settings.ts';
import type { Users } from './users.ts';

export interface InteractionOptions {
  provider: Provider;
  settings: IssuerSettings;
  users: Users;
  resourceScopes: readonly string[];
  note: (kind: string, details: Record<string, unknown>) => void;
}

type Middleware = (ctx: KoaContextWithOIDC, next: () => Promise<void>) => Promise<void>;
type Details = Awaited<ReturnType<Provider['interactionDetails']>>;

const longestForm = 16_384;

/** Answers below `/interaction/`. */
export function createInteractionPages(options: InteractionOptions): Middleware {
  const { provider, settings, users, note } = options;

  const finish = async (ctx: KoaContextWithOIDC, result: InteractionResults) => {
    ctx.redirect(await provider.interactionResult(ctx.req, ctx.res, result));
    ctx.status = 303;
  };
  const refuse = (ctx: KoaContextWithOIDC, client: string, why: string) => {
    note('consent', { client, granted: false });
    return finish(ctx, { error: 'access_denied', error_description: why });
  };
  const logIn = (client: string, sub: string): InteractionResults => {
    note('login', { client, user: users.find(sub)?.email ?? sub, outcome: 'success' });
    return { login: { accountId: sub }, select_account: {} };
  };
  const consent = async (details: Details, client: string, sub: string): Promise<InteractionResults> => {
    note('consent', { client, granted: true });
    return { consent: { grantId: await grantAll(options, details, client, sub) } };
  };

  const byItself = async (ctx: KoaContextWithOIDC, details: Details, client: string) => {
    const user = settings.nextUser === null ? null : users.find(settings.nextUser);
    if (!user || settings.consent === 'denied') {
      return refuse(ctx, client, user ? 'the user refused' : 'there is no user to log in');
    }
    const login = details.session?.accountId === user.sub ? {} : logIn(client, user.sub);
    return finish(ctx, { ...login, ...(await consent(details, client, user.sub)) });
  };

  const show = (ctx: KoaContextWithOIDC, details: Details, client: string, failed = false) => {
    ctx.type = 'html';
    ctx.status = failed ? 401 : 200;
    const { scopes, resources } = requestedAccess(details);
    ctx.body = details.prompt.name === 'consent' ? consentPage(client, scopes, resources) : loginPage(client, failed);
  };

  const submit = async (ctx: KoaContextWithOIDC, details: Details, client: string) => {
    const body = await readBody(ctx.req, longestForm);
    const form = body === null ? null : new URLSearchParams(body);
    const account = details.session?.accountId;
    if (form?.get('step') === 'consent' && details.prompt.name === 'consent' && account !== undefined) {
      return form.get('answer') === 'allow'
        ? finish(ctx, await consent(details, client, account))
        : refuse(ctx, client, 'the user refused');
    }
    if (form?.get('step') === 'login' && details.prompt.name !== 'consent') {
      const user = users.find(form.get('email') ?? '');
      if (user && user.password === form.get('password')) {
        return finish(ctx, logIn(client, user.sub));
      }
      note('login', { client, user: user?.email ?? null, outcome: 'failure' });
      return show(ctx, details, client, true);
    }
    ctx.status = 400;
    ctx.type = 'html';
    ctx.body = errorPage('invalid_request', 'This form does not belong to the page that was asked for.');
  };

  return async (ctx, next) => {
    if (!ctx.path.startsWith('/interaction/')) {
      return next();
    }
    ctx.set('cache-control', 'no-store');
    ctx.set('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'");
    const details = await provider.interactionDetails(ctx.req, ctx.res).catch(() => undefined);
    if (!details || ctx.path !== `/interaction/${details.uid}`) {
      ctx.status = 400;
      ctx.type = 'html';
      ctx.body = errorPage('session_not_found', 'This login was not begun in this browser, or it has expired.');
      return;
    }
    const client = String(details.params.client_id);
    if (settings.consent !== 'page') {
      return byItself(ctx, details, client);
    }
    if (ctx.method === 'POST') {
      return submit(ctx, details, client);
    }
    show(ctx, details, client);
  };
}

function requestedAccess({ params }: Details): { scopes: readonly string[]; resources: readonly string[] } {
  const { scope, resource } = params;
  const resources = Array.isArray(resource) ? resource.map(String) : typeof resource === 'string' ? [resource] : [];
  return { scopes: typeof scope === 'string' ? scope.split(' ').filter((word) => word !== '') : [], resources };
}

/** A grant of its own for each login, so that revoking one family leaves the others alone. */
async function grantAll(
  { provider, resourceScopes }: InteractionOptions,
  details: Details,
  clientId: string,
  accountId: string,
): Promise<string> {
  const { scopes, resources } = requestedAccess(details);
  const grant = new provider.Grant({ clientId, accountId });
  grant.addOIDCScope(scopes.filter((scope) => userScopes.some((known) => known === scope)));
  for (const resource of resources) {
    grant.addResourceScope(
      resource,
      scopes.filter((scope) => resourceScopes.includes(scope)),
    );
  }
  return grant.save();
}
