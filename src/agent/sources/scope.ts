// Which destinations are watched: those that a packet to them may leave this machine for.

/**
 * Whether connections to `address` (canonical) are reported. The unspecified address, multicast, broadcast and
 * link-local ones never are; loopback ones only with `includeLoopback`.
 */
export function isWatched(address: string, includeLoopback: boolean): boolean {
  if (address.includes(':')) {
    return address === '::1'
      ? includeLoopback
      : address !== '::' && !/^(?:fe[89ab][\da-f]:|ff[\da-f]{2}:)/.test(address);
  }
  const first = Number(address.slice(0, address.indexOf('.')));
  if (first === 127) {
    return includeLoopback;
  }
  return first > 0 && first < 224 && !address.startsWith('169.254.');
}
