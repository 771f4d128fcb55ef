// Finds the address at which a program of this machine is reached from this machine.
import { unbracketed } from './address.ts';

/** Where a program that listens on `host` is reached from its own machine. */
export function ownAddress(host: string, port: number): URL {
  const reached = { '0.0.0.0': '127.0.0.1', '::': '::1' }[unbracketed(host)] ?? unbracketed(host);
  return new URL(`http://${reached.includes(':') ? `[${reached}]` : reached}:${port}`);
}
