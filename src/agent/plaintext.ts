// Which address of a hub may be used: HTTPS, this machine, or plain HTTP that somebody accepted.
import { isLoopbackHost } from '#kernel/net/address.ts';
import { UsageError } from '#kernel/process/program.ts';

/** Throws a UsageError for anything but the address of a hub. */
export function parseHubUrl(text: string): URL {
  const url = URL.parse(text);
  const isHub =
    url !== null &&
    (url.protocol === 'https:' || url.protocol === 'http:') &&
    url.username + url.password + url.search + url.hash === '';
  if (!isHub) {
    throw new UsageError(`--hub must be an address such as https://hub.example.net, without user, query or fragment`);
  }
  return url;
}

export const isPlaintext = (url: URL): boolean => url.protocol === 'http:' && !isLoopbackHost(url.hostname);

const exposed =
  'anybody on the way can read the list of programs of this machine and where they connect to, ' +
  'can copy the bearer, and can send forged reports with it';

/** Throws an Error, before anything is sent, for plain HTTP that nobody accepted. */
export function requireSafeTransport(url: URL, isAccepted: boolean): void {
  if (isPlaintext(url) && !isAccepted) {
    throw new Error(
      `${url.origin} is plain HTTP: ${exposed}. Use https, or accept this with --accept-plaintext when you enrol`,
    );
  }
}

export const plaintextWarning = (url: URL): string => `${url.origin} is plain HTTP, which was accepted: ${exposed}`;
