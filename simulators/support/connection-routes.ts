// Connections to a name of the outside world lead to a simulator on loopback: what a name server and a router would do.
import { Socket } from 'node:net';

/** Where connections to `host:port` go instead. */
export interface ConnectionRoute {
  host: string;
  port: number;
  to: { address: string; port: number };
}

interface Target {
  host?: string;
  port?: number | string;
  lookup?: unknown;
  servername?: string;
}

const routes = new Set<ConnectionRoute>();
const { connect } = Socket.prototype;

/** Holds for every TCP connection of this process (TLS too, under the name that was asked for) until it is disposed. */
export function routeConnections(route: ConnectionRoute): Disposable {
  routes.add(route);
  Socket.prototype.connect = routed;
  return {
    [Symbol.dispose]() {
      routes.delete(route);
      if (routes.size === 0) {
        Socket.prototype.connect = connect;
      }
    },
  };
}

/** Node calls it with options, or with an array of its own whose first element they are. */
function routed(this: Socket, ...args: unknown[]): Socket {
  const first: unknown = args[0];
  if (Array.isArray(first)) {
    first[0] = redirected(first[0] as Target);
  } else if (typeof first === 'object' && first !== null) {
    args[0] = redirected(first as Target);
  }
  return Reflect.apply(connect, this, args);
}

function redirected(target: Target): Target {
  const { host, port } = target;
  const route = [...routes].find((one) => one.host === host && one.port === Number(port));
  if (!route) {
    return target;
  }
  const { lookup: _byName, ...rest } = target;
  return { servername: route.host, ...rest, host: route.to.address, port: route.to.port };
}
