// What to do about an address that cannot be listened on.

/** A sentence for the errors of `listen` that a user can mend; `null` for every other error. */
export function listenFailure(error: unknown): string | null {
  const { syscall, code, address, port } = error as NodeJS.ErrnoException & { address?: string; port?: number };
  if (syscall !== 'listen') {
    return null;
  }
  switch (code) {
    case 'EADDRINUSE':
      return `port ${port} of ${address} is in use: stop what listens there, or choose another one with --port`;
    case 'EACCES':
      return `port ${port} of ${address} may not be used by this user: choose one above 1023`;
    case 'EADDRNOTAVAIL':
      return `${address} is no address of this machine: choose another one with --host`;
    default:
      return null;
  }
}
