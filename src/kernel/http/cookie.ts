// Puts cookies on an answer.
import type { FastifyReply } from 'fastify';
import type { Cookie } from './route.ts';

export function setCookie(response: FastifyReply, { name, value, maxAgeMs, path, secure, httpOnly }: Cookie): void {
  const attributes = { path, secure, httpOnly, sameSite: 'lax' } as const;
  if (maxAgeMs <= 0) {
    response.clearCookie(name, attributes);
  } else {
    response.setCookie(name, value, { ...attributes, maxAge: Math.floor(maxAgeMs / 1000) });
  }
}
