// IPv4 arithmetic for made-up networks.

/** `192.168.1.2` as an unsigned 32-bit number. */
export function ipv4Number(address: string): number {
  return address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
}

export function ipv4Text(number: number): string {
  return `${(number >>> 24) & 255}.${(number >>> 16) & 255}.${(number >>> 8) & 255}.${number & 255}`;
}

/** The first address of the network `address/prefix` is in, as a number. */
export function networkStart(address: string, prefix: number): number {
  const size = 2 ** (32 - prefix);
  return Math.floor(ipv4Number(address) / size) * size;
}

export function isInside(address: string, inside: string, prefix: number): boolean {
  return networkStart(address, prefix) === networkStart(inside, prefix);
}
