// The guardrail of every simulator: it stays on loopback, unless the caller or SIM_ALLOW_NON_LOOPBACK allows more.
import { z } from 'zod';
import { isLoopbackHost } from '#kernel/net/address.ts';
import { flag, readEnv } from '#kernel/process/env.ts';
import { UsageError } from '#kernel/process/program.ts';

/**
 * Throws a UsageError unless `host` is a loopback address, `allow` is true, or SIM_ALLOW_NON_LOOPBACK is `true`; also when the variable
 * is neither `true` nor `false`.
 */
export function requireLoopback(host: string, allow = false): void {
  if (!mayUse(host, allow)) {
    throw new UsageError(`a simulator does not listen on ${host}: use 127.0.0.1, or set SIM_ALLOW_NON_LOOPBACK=true`);
  }
}

/** The same for the hub that a simulator sends to: it must not misbehave towards somebody else's hub by accident. */
export function requireLoopbackHub(host: string, allow = false): void {
  if (!mayUse(host, allow)) {
    throw new UsageError(
      `a simulator does not send to ${host}: use a hub on loopback, or set SIM_ALLOW_NON_LOOPBACK=true`,
    );
  }
}

function mayUse(host: string, allow: boolean): boolean {
  const env = readEnv(z.object({ SIM_ALLOW_NON_LOOPBACK: flag() }));
  return isLoopbackHost(host) || allow || env.SIM_ALLOW_NON_LOOPBACK;
}
