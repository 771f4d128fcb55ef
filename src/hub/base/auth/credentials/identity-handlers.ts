// Handlers of the scoped API identities.
import { permissions } from '#contract/access.ts';
import { AppError } from '#kernel/errors.ts';
import type { RouteHandlers } from '../../feature.ts';
import type { Auth } from '../auth.ts';
import { requireStillValid, toActor } from '../principal.ts';

type IdentityHandlers = RouteHandlers<'auth', 'identities' | 'createIdentity' | 'revokeIdentity' | 'self'>;

export function identityHandlers(auth: Auth): IdentityHandlers {
  const { identities, audit } = auth;
  return {
    identities: () => ({ identities: identities.list(), availablePermissions: [...permissions] }),
    async createIdentity({ body, principal, request }) {
      const created = await identities.create(body, () => requireStillValid(auth, request, principal));
      const { id, permissions: granted, expiresAt } = created.identity;
      await audit.record({
        type: 'api_identity_created',
        outcome: 'success',
        request,
        by: toActor(principal),
        metadata: { identity: id, permissions: granted, expiresAt },
      });
      return created;
    },
    async revokeIdentity({ params, principal, request }) {
      if (!(await identities.revoke(params.id))) {
        throw new AppError(
          'not_found',
          'there is no active identity with this id; GET /api/auth/api-identities lists them',
        );
      }
      const by = toActor(principal);
      const metadata = { identity: params.id };
      await audit.record({ type: 'api_identity_revoked', outcome: 'success', request, by, metadata });
      return { success: true };
    },
    self({ principal }) {
      if (principal.who !== 'identity') {
        throw new AppError('forbidden', 'only a scoped API identity can ask for itself');
      }
      const { id, label, permissions: granted, expiresAt } = principal.identity;
      return { identity: { id, label, permissions: granted, expiresAt } };
    },
  };
}
