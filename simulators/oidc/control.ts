// The control surface of the simulated issuer: what a test or an operator can ask it and do to it.
import type { Control } from '../support/simulator.ts';
import type { IssuerFault } from './faults.ts';
import type { IssuerUser, PublicUser } from './users.ts';

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
