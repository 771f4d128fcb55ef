// What variables of the hub hold besides numbers and switches. Each reader adds one sentence when the value is wrong.
import { accessSync, constants, statSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { isLoopback, unbracketed } from '#kernel/net/address.ts';
import { parseResolver } from '../resolver.ts';

export const hexKey = z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 hex digits');

/** The address of a service that the hub queries: https, or http on loopback; a slash is added to its path. */
export function serviceUrl(text: string, context: z.RefinementCtx): URL {
  const url = publicUrl(text, context);
  if (url instanceof URL && url.protocol === 'http:' && !isLoopback(unbracketed(url.hostname))) {
    context.addIssue({ code: 'custom', message: 'must be https, or http on loopback' });
    return z.NEVER;
  }
  return url instanceof URL && !url.pathname.endsWith('/') ? new URL(`${url.href}/`) : url;
}

/** Where browsers reach the hub: http or https, with a path for a sub-path and nothing more. */
export function publicUrl(text: string, context: z.RefinementCtx): URL {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash) {
    context.addIssue({ code: 'custom', message: 'must be an http or https address without user, query or fragment' });
    return z.NEVER;
  }
  return url;
}

/** `address` or `address:port` of a name server; empty when there is none. */
export function resolver(text: string, context: z.RefinementCtx): string {
  if (text !== '' && parseResolver(text) === null) {
    context.addIssue({ code: 'custom', message: 'must be the IP address of a name server, with or without :port' });
  }
  return text;
}

/** The absolute path of a program that this user may run. */
export function program(text: string, context: z.RefinementCtx): string {
  try {
    accessSync(text, constants.X_OK);
    if (path.isAbsolute(text) && statSync(text).isFile()) {
      return text;
    }
  } catch {
    // The issue below names the rule for every kind of failure.
  }
  context.addIssue({ code: 'custom', message: 'must be the absolute path of a program that this user may run' });
  return text;
}

/** Absolute folders, separated by commas. */
export function folders(text: string, context: z.RefinementCtx): readonly string[] {
  const listed = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  for (const part of listed.filter((folder) => !/^\/[^/]/.test(folder))) {
    context.addIssue({ code: 'custom', message: `"${part}" is not an absolute path of a folder` });
  }
  return listed;
}
