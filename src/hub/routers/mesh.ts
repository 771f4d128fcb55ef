// The login page of a mesh access point: one question (a nonce) and one answer (accepted or not). Nothing is collected.
import { request } from 'undici';
import { z } from 'zod';
import { limits } from '#contract/limits.ts';
import { AppError, messageOf } from '#kernel/errors.ts';

const nonceReply = z.object({ nonce: z.string().min(1).max(512), id: z.string().max(128) });

export interface MeshTarget {
  /** `host` or `host:port`, checked before. */
  host: string;
}

/** Asks `http://host/login/nonce` for a nonce. Rejects with AppError `upstream_failed` (502). */
export async function meshNonce(
  target: MeshTarget,
  id: string,
  signal: AbortSignal,
): Promise<{ nonce: string; id: string }> {
  const { status, body } = await post(target, '/login/nonce', { id }, signal);
  const parsed = nonceReply.safeParse(body);
  if (status !== 200 || !parsed.success) {
    throw new AppError('upstream_failed', 'the mesh access point gave no nonce: check its address');
  }
  return parsed.data;
}

/** Tries the credentials at `http://host/login`. Rejects with `mesh_login_refused` (401) or `upstream_failed` (502). */
export async function meshLogin(
  target: MeshTarget,
  user: string,
  password: string,
  signal: AbortSignal,
): Promise<void> {
  const { nonce, id } = await meshNonce(target, '', signal);
  const { status } = await post(target, '/login', { username: user, password, nonce, id }, signal);
  if (status === 401 || status === 403) {
    throw new AppError('mesh_login_refused', 'the mesh access point refused this user name or password');
  }
  if (status !== 200) {
    throw new AppError('upstream_failed', `the mesh access point answered ${status} to the login`);
  }
}

async function post(target: MeshTarget, path: string, body: unknown, signal: AbortSignal) {
  try {
    const response = await request(`http://${target.host}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      headersTimeout: limits.meshTimeoutMs,
      bodyTimeout: limits.meshTimeoutMs,
      signal,
    });
    const text = await response.body.text();
    return { status: response.statusCode, body: jsonOf(text) };
  } catch (cause) {
    throw new AppError(
      'upstream_failed',
      `the mesh access point at ${target.host} did not answer: ${messageOf(cause)}`,
      {
        cause,
      },
    );
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
