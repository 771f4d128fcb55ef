// The control surface of the simulated issuer: what a test or an operator can ask it and do to it.

import { z } from 'zod';
import { AppError } from '#kernel/errors.ts';
import { del, get, post } from '#kernel/http/declare-route.ts';
import { acknowledge, type ControlRoutes, done, mountControl } from '../support/control-server.ts';
import type { Control } from '../support/simulator.ts';
import type { IssuerFault } from './faults.ts';
import { type IssuerUser, type PublicUser, userSchema } from './users.ts';

export interface IssuerControl extends Control<IssuerFault> {
  readonly users: readonly PublicUser[];
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
  users: get('/users', 'open', {
    summary: 'The users, without their passwords.',
    reply: { 200: z.object({ users: z.array(publicUser) }) },
  }),
  putUser: post('/users', 'open', {
    summary: 'Adds a user, or replaces the one with the same `sub`.',
    body: userSchema,
    reply: { 201: z.object({ user: publicUser }) },
  }),
  removeUser: del('/users/:sub', 'open', {
    summary: 'Removes a user; tokens that were issued stay valid until they expire.',
    params: z.object({ sub: z.string().min(1) }),
    reply: { 200: done },
  }),
  loginAs: post('/next-user', 'open', {
    summary: 'Whom automatic consent logs in from now on: a `sub` or an e-mail address.',
    body: z.object({ user: z.string().min(1) }).strict(),
    reply: { 200: z.object({ user: publicUser }) },
  }),
  redirectUris: post('/redirect-uris', 'open', {
    summary: 'Replaces the callbacks of a client.',
    body: z.object({ client: z.string().min(1), redirectUris: z.array(z.url()).max(20) }).strict(),
    reply: { 200: done },
  }),
  rotateKey: post('/keys', 'open', {
    summary: 'A new signing key; JWKS forgets the old one.',
    reply: { 201: z.object({ kid: z.string() }) },
  }),
};

export function issuerControlRoutes(control: IssuerControl): ControlRoutes {
  const findUser = (word: string) => {
    const user = control.users.find(({ sub, email }) => sub === word || email === word);
    if (!user) {
      throw new AppError('not_found', `there is no user "${word}"`);
    }
    return user;
  };
  return mountControl(routes, {
    users: () => ({ users: [...control.users] }),
    putUser: ({ body }) => {
      control.putUser(body);
      return { user: findUser(body.sub) };
    },
    removeUser: ({ params }) => {
      findUser(params.sub);
      return acknowledge(() => control.removeUser(params.sub));
    },
    loginAs: ({ body }) => {
      const user = findUser(body.user);
      control.loginAs(user.sub);
      return { user };
    },
    redirectUris: ({ body }) => acknowledge(() => control.setRedirectUris(body.client, body.redirectUris)),
    rotateKey: async () => ({ kid: await control.rotateKey() }),
  });
}
