// Request → who calls, and the one decision whether a route's access rule lets them. Denies by default.
import type { FastifyRequest } from 'fastify';
import { type Access, type Permission, permissions } from '#contract/access.ts';
import { AppError } from '#kernel/errors.ts';
import { matchesHash } from '#kernel/secret.ts';
import type { SettingsDocument } from '../settings/document.ts';

export type Principal =
  | { who: 'nobody' }
  /** The legacy admin token: every permission (wire contract 1.5). */
  | { who: 'admin'; permissions: ReadonlySet<Permission> };

const nobody: Principal = { who: 'nobody' };
const admin: Principal = { who: 'admin', permissions: new Set(permissions) };

/** The decision for every request of the API; throws AppError 401, 403, or 503 before a token exists. */
export function createAuthorize(document: () => SettingsDocument | undefined) {
  return (request: FastifyRequest, access: Access): Principal => {
    if (access.who === 'open') {
      return nobody;
    }
    const hash = document()?.current().adminTokenHash;
    if (!hash) {
      throw new AppError('auth_not_initialised', 'the hub is still starting: try again in a moment');
    }
    const principal = identify(request, hash);
    if (!allows(access, principal)) {
      throw new AppError('forbidden', 'this credential does not hold the permission this path needs');
    }
    return principal;
  };
}

function identify(request: FastifyRequest, adminTokenHash: string): Principal {
  const token = request.headers['x-admin-token'];
  if (typeof token === 'string' && token.length <= 512 && matchesHash(token, adminTokenHash)) {
    return admin;
  }
  throw new AppError('unauthorized', 'send a valid credential in X-Admin-Token');
}

function allows(access: Access, principal: Principal): boolean {
  if (principal.who === 'nobody') {
    return false;
  }
  switch (access.who) {
    case 'open':
    case 'signed-in':
      return true;
    case 'can':
      return principal.permissions.has(access.permission);
    case 'agent':
    case 'identity':
      return false;
  }
}
