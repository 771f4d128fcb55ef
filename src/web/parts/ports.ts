// Ports in words. A protocol without ports, such as ICMP, has the port 0, which is not shown.

/** A protocol and its port. */
export const showService = (proto: string | null, port: number | null): string =>
  port ? `${proto} ${port}` : (proto ?? '');

export const showPorts = (ports: readonly number[]): number[] => ports.filter((port) => port !== 0);

/** The destination of an alert or a rule: a name, or an address and a port with a space between. */
export const showTarget = (target: string): string => target.replace(/ 0$/, '').replace(/ (\d+)$/, ':$1');
