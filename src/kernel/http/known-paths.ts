// The paths of a server with their methods. Another method is refused before the request is read.
import type { FastifyInstance, FastifyRequest, HTTPMethods } from 'fastify';
import findMyWay from 'find-my-way';
import { AppError } from '../errors.ts';

/** Options of the router, for Fastify and for the paths here: both must understand the same spellings of a path. */
export const routerOptions = { ignoreTrailingSlash: true, maxParamLength: 200 };

export interface KnownPaths {
  add(path: string, method: HTTPMethods): void;
  /** The path as its route states it, however the request spells it; null when no method leads anywhere. */
  pathOf(request: FastifyRequest): string | null;
  /** Adds the hook that answers 405 with `Allow` where a known path does not take the method. It must be the last one. */
  refuseOtherMethods(app: FastifyInstance): void;
}

/** One tree holds the paths of all methods. A Fastify route for each refused method made every start slower. */
export function createKnownPaths(): KnownPaths {
  const methods = new Map<string, Set<HTTPMethods>>();
  const tree = findMyWay(routerOptions);
  const pathOf = (request: FastifyRequest): string | null =>
    request.routeOptions.url ?? tree.find('GET', request.url)?.store?.path ?? null;
  return {
    add(path, method) {
      const known = methods.get(path);
      if (known === undefined) {
        tree.on('GET', path, () => {}, { path });
      }
      const added = method === 'GET' ? ['GET' as const, 'HEAD' as const] : [method];
      methods.set(path, new Set([...(known ?? []), ...added]));
    },
    pathOf,
    refuseOtherMethods(app) {
      app.addHook('onRequest', async (request) => {
        const known = request.is404 ? methods.get(pathOf(request) ?? '') : undefined;
        if (known !== undefined) {
          const allow = [...known].join(', ');
          throw new AppError('method_not_allowed', `use ${allow} here`, { headers: { Allow: allow } });
        }
      });
    },
  };
}
