// Browser login without a hub, against an issuer whose every answer a test replaces.
import { expect } from 'vitest';
// Registers the statuses of the product's codes: a test file that runs alone loads nothing else that does.
import '#contract/errors.ts';
import { createOidcLogin, type OidcLogin } from '#hub/base/auth/oidc/oidc.ts';
import { AppError, type ErrorCode } from '#kernel/errors.ts';
import { ManualClock } from './manual-clock.ts';
import { type StubIssuer, startStubIssuer } from './stub-issuer.ts';

export const clientId = 'hub';
export const clientSecret = 'a secret: with/odd characters & more than 32 bytes';

export interface Bench extends AsyncDisposable {
  clock: ManualClock;
  stub: StubIssuer;
  oidc: OidcLogin;
  settings: Record<string, unknown>;
  world: { publicUrl: string | null; offline: boolean };
  logged: string[];
}

export async function startBench(): Promise<Bench> {
  const clock = new ManualClock();
  const stub = await startStubIssuer({ now: clock.now, clientId });
  const settings: Record<string, unknown> = {
    enabled: true,
    issuer: stub.issuer,
    clientId,
    clientSecret,
    allowedEmails: ['olive@example.com'],
    allowedDomains: ['example.org'],
  };
  const world: Bench['world'] = { publicUrl: 'https://hub.example/watch', offline: false };
  const logged: string[] = [];
  const note = (...all: unknown[]) => {
    logged.push(JSON.stringify(all));
  };
  const oidc = createOidcLogin({
    clock,
    settings: () => ({ ...settings }) as never,
    publicUrl: () => (world.publicUrl === null ? null : new URL(world.publicUrl)),
    offline: () => world.offline,
    log: { info: note, warn: note },
  });
  return { clock, stub, oidc, settings, world, logged, [Symbol.asyncDispose]: () => stub[Symbol.asyncDispose]() };
}

/** A whole login; `change` may bend the callback before it is handed in. */
export async function logIn({ oidc, stub }: Bench, change: (callback: URL) => void = () => {}) {
  const { location, state } = await oidc.start();
  const url = stub.approve(location);
  change(url);
  return oidc.finish({ url, stateCookie: state });
}

/** The code of the AppError that `work` rejects with, and that its sentence tells nobody's address. */
export async function refusal(work: Promise<unknown>): Promise<ErrorCode | 'accepted'> {
  try {
    await work;
    return 'accepted';
  } catch (error) {
    if (!(error instanceof AppError)) {
      throw error;
    }
    expect(error.message).not.toMatch(/olive|@/);
    expect(error.cause).toBeUndefined();
    return error.code;
  }
}
