// Talks to a mesh access point: a nonce, a login with it, and one document of what is connected where (decision 004).
import { z } from 'zod';
import type { Fact } from '#contract/facts.ts';
import { limits } from '#contract/limits.ts';
import { AppError, messageOf } from '#kernel/errors.ts';
import { readBounded } from '#kernel/http/bounded-fetch.ts';
import { parseJson } from '#kernel/text/json.ts';
import { readInput } from '#kernel/text/problem.ts';
import { createFact, createRefusal, describeCause } from '../../base/refusals.ts';

const nonceReply = z.object({ nonce: z.string().min(1).max(512), id: z.string().max(128) });
const loginReply = z.object({ token: z.string().min(1).max(512) });

export interface MeshTarget {
  /** `host` or `host:port`, checked before. */
  host: string;
}

/** `address` or `address:port` as the authority of a URL. */
export function toUrlHost(text: string): string {
  return text.split(':').length > 2 ? `[${text}]` : text;
}

/** Asks `http://host/login/nonce` for a nonce. Rejects with AppError `upstream_failed` (502). */
export async function fetchMeshNonce(
  target: MeshTarget,
  id: string,
  signal: AbortSignal,
): Promise<{ nonce: string; id: string }> {
  const { status, body } = await send(target, '/login/nonce', { body: { id } }, signal);
  const parsed = readInput(nonceReply, body);
  if (status !== 200 || !parsed.success) {
    throw createMeshRefusal('the mesh access point gave no nonce: check its address', createFact('mesh_no_nonce'));
  }
  return parsed.data;
}

/**
 * Logs in at `http://host/login`; resolves to the token of the session. Rejects with `mesh_login_refused` (401) or
 * `upstream_failed` (502).
 */
export async function logInToMesh(
  target: MeshTarget,
  user: string,
  password: string,
  signal: AbortSignal,
): Promise<string> {
  const { nonce, id } = await fetchMeshNonce(target, '', signal);
  const { status, body } = await send(target, '/login', { body: { username: user, password, nonce, id } }, signal);
  if (status === 401 || status === 403) {
    throw new AppError('mesh_login_refused', 'the mesh access point refused this user name or password');
  }
  const parsed = readInput(loginReply, body);
  if (status !== 200 || !parsed.success) {
    throw createMeshRefusal(
      `the mesh access point answered ${status} to the login, without a session`,
      status === 200 ? createFact('mesh_no_session') : createFact('mesh_status', { status }),
    );
  }
  return parsed.data.token;
}

/** The document at `http://host/network`; null when the session is over. Rejects with AppError `upstream_failed`. */
export async function fetchMeshNetwork(target: MeshTarget, token: string, signal: AbortSignal): Promise<unknown> {
  const { status, body } = await send(target, '/network', { token }, signal);
  if (status === 401) {
    return null;
  }
  if (status !== 200 || typeof body !== 'object' || body === null) {
    throw createMeshRefusal(
      `the mesh access point answered ${status} and did not say what is connected`,
      status === 200 ? createFact('mesh_no_list') : createFact('mesh_status', { status }),
    );
  }
  return body;
}

/** An AppError `upstream_failed` (502); `fact` says the same as `message`. */
export function createMeshRefusal(message: string, fact: Fact, cause?: unknown): AppError {
  return createRefusal('upstream_failed', message, [fact], { cause });
}

async function send(
  target: MeshTarget,
  path: string,
  { body, token }: { body?: object; token?: string },
  signal: AbortSignal,
): Promise<{ status: number; body: unknown }> {
  // Loaded with the first use: a start does not wait for it.
  const { request } = await import('undici');
  try {
    const response = await request(`http://${target.host}${path}`, {
      method: body ? 'POST' : 'GET',
      headers: {
        ...(body ? { 'content-type': 'application/json' } : {}),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      body: body ? JSON.stringify(body) : null,
      headersTimeout: limits.meshTimeoutMs,
      bodyTimeout: limits.meshTimeoutMs,
      signal,
    });
    const tooLong = () => new Error('its answer is longer than 1 MB');
    const answer = await readBounded(response.body, limits.meshAnswerBytes, tooLong);
    return { status: response.statusCode, body: parseJson(answer.toString('utf8')) };
  } catch (cause) {
    const message = `the mesh access point at ${target.host} did not answer: ${messageOf(cause)}`;
    throw createMeshRefusal(message, createFact('mesh_silent', { host: target.host, ...describeCause(cause) }), cause);
  }
}
