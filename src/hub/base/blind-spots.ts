// What observers do not see by their nature. It is stored as sentences, and has a code for pages in another language.
import type { BlindSpot } from '#contract/coverage.ts';

type Code = BlindSpot['code'];

export const blindSpotSentences: Readonly<Record<Code, string>> = {
  between_reads:
    'connections that begin and end between two reads, unless the router still lists them at the next read',
  between_socket_reads: 'connections that begin and end between two reads of the socket table',
  unconnected_udp: 'UDP from sockets that are not connected, for example most DNS queries',
};

/** A sentence of an older version that is none of these has no code. */
export function toBlindSpots(sentences: readonly string[]): BlindSpot[] {
  const codes = Object.keys(blindSpotSentences) as Code[];
  return sentences.flatMap((sentence) =>
    codes.filter((code) => blindSpotSentences[code] === sentence).map((code) => ({ code, share: null })),
  );
}
