// Sentences for addresses that a server cannot listen on.

/** The names of the settings of port and address, for the sentence. */
const options = { port: '--port', host: '--host' };

interface ListenError extends NodeJS.ErrnoException {
  address?: string;
  port?: number;
  /** Of a failed look-up. */
  hostname?: string;
}

/** A sentence for the errors of `listen` that a user can fix; `null` for every other error. */
export function listenFailure(error: unknown, settings = options): string | null {
  const { syscall, code, address, port, hostname } = error as ListenError;
  if (syscall === 'getaddrinfo') {
    return `the host name ${hostname} to listen on is not known: choose an address of this machine with ${settings.host}`;
  }
  if (syscall !== 'listen') {
    return null;
  }
  switch (code) {
    case 'EADDRINUSE':
      return `port ${port} of ${address} is in use: stop what listens there, or choose another one with ${settings.port}`;
    case 'EACCES':
      return `port ${port} of ${address} may not be used by this user: choose one above 1023`;
    case 'EADDRNOTAVAIL':
      return `${address} is no address of this machine: choose another one with ${settings.host}`;
    default:
      return null;
  }
}
