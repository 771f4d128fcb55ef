// The control surface of the simulated issuer: what a test or an operator can ask it and do to it.

import { z } from 'zod';
import { AppError } from '#kernel/errors.ts';
import type { RouteTable } from '#kernel/http/route.ts';
import { type Mounted, mount } from '#kernel/http/serve.ts';
import { asInvalidBody, type ControlAccess, controlRoute } from '../support/control-server.ts';
import type { Control } from '../support/simulator.ts';
import type { IssuerFault } from './faults.ts';
import { type IssuerUser, type PublicUser, userSchema } from './users.ts';

export interface IssuerControl extends Control<IssuerFault> {
  readonly users: readonly PublicUser[];
  /** Adds a user, or replaces the one with the same `sub`. */
  putUser(user: IssuerUser): void;
  /** False when there is nobody of that `sub`. Tokens that were issued stay valid until they expire. */
  removeUser(sub: string): boolean;
  /** Whom automatic consent logs in from now on; throws when nobody has that `sub` or e-mail address. */
  loginAs(subOrEmail: string): void;
  /** Replaces the callbacks of a client; throws when there is no such client. */
  setRedirectUris(client: string, uris: readonly string[]): void;
  /** A new signing key; JWKS forgets the old one, so tokens signed before verify no more. Resolves to the new `kid`. */
  rotateKey(): Promise<string>;
}

const publicUser = userSchema.omit({ password: true });

const routes = {
  users: controlRoute('GET', '/users', 'The users, without their passwords.', {
    reply: { 200: z.object({ users: z.array(publicUser) }) },
  }),
  putUser: controlRoute('POST', '/users', 'Adds a user, or replaces the one with the same `sub`.', {
    body: userSchema,
    reply: { 201: z.object({ user: publicUser }) },
  }),
  removeUser: controlRoute(
    'DELETE',
    '/users/:sub',
    'Removes a user; tokens that were issued stay valid until they expire.',
    {
      params: z.object({ sub: z.string().min(1) }),
      reply: { 200: z.object({ ok: z.literal(true) }) },
    },
  ),
  loginAs: controlRoute(
    'POST',
    '/next-user',
    'Whom automatic consent logs in from now on: a `sub` or an e-mail address.',
    {
      body: z.object({ user: z.string().min(1) }).strict(),
      reply: { 200: z.object({ user: publicUser }) },
    },
  ),
  redirectUris: controlRoute('POST', '/redirect-uris', 'Replaces the callbacks of a client.', {
    body: z.object({ client: z.string().min(1), redirectUris: z.array(z.url()).max(20) }).strict(),
    reply: { 200: z.object({ ok: z.literal(true) }) },
  }),
  rotateKey: controlRoute('POST', '/keys', 'A new signing key; JWKS forgets the old one.', {
    reply: { 201: z.object({ kid: z.string() }) },
  }),
} as const satisfies RouteTable<ControlAccess>;

export function issuerControlRoutes(control: IssuerControl): Mounted<ControlAccess, null> {
  const findUser = (word: string) => {
    const user = control.users.find(({ sub, email }) => sub === word || email === word);
    if (!user) {
      throw new AppError('not_found', `there is no user "${word}"`);
    }
    return user;
  };
  return mount<typeof routes, null>(routes, {
    users: () => ({ users: [...control.users] }),
    putUser: ({ body }) => {
      control.putUser(body);
      return { user: findUser(body.sub) };
    },
    removeUser: ({ params }) => {
      findUser(params.sub);
      control.removeUser(params.sub);
      return { ok: true } as const;
    },
    loginAs: ({ body }) => {
      const user = findUser(body.user);
      control.loginAs(user.sub);
      return { user };
    },
    redirectUris: ({ body }) => {
      asInvalidBody(() => control.setRedirectUris(body.client, body.redirectUris));
      return { ok: true } as const;
    },
    rotateKey: async () => ({ kid: await control.rotateKey() }),
  });
}
