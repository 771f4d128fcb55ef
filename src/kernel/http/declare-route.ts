// Declares one route of a table: method and path, who may call it, and what else it states.
import type { Method, RouteDefinition } from './route.ts';

type Statement = Omit<RouteDefinition<unknown>, 'method' | 'path' | 'access'>;
/** A member that no route has, such as a misspelt one, is a compile error. */
type Known<R> = R & { readonly [K in Exclude<keyof R, keyof Statement>]: never };

const declare =
  <const M extends Method>(method: M) =>
  <const P extends `/${string}`, const A, const R extends Statement>(path: P, access: A, rest: Known<R>) => ({
    method,
    path,
    access,
    ...rest,
  });

export const get = declare('GET');
export const post = declare('POST');
export const put = declare('PUT');
export const patch = declare('PATCH');
export const del = declare('DELETE');
