// Tells when a request starts to be sent. Before that no byte of it has left.
import type http from 'node:http';
import https from 'node:https';
import type { Dispatcher } from 'undici';

/**
 * Wraps `dispatcher`: calls `onSent` when the connection is open and the request is about to be written to it. `onSent` is
 * never called when the name is not found, the port is closed or the handshake fails.
 */
export function withStartNotice(dispatcher: Dispatcher, onSent: () => void): Dispatcher {
  return dispatcher.compose((dispatch) => (options, handler) => dispatch(options, noticing(handler, onSent)));
}

/**
 * Makes `agent`, which must be new and serve one request, call `onSent` when its connection is open and the request is about
 * to be written to it.
 */
export function agentWithStartNotice<A extends http.Agent>(agent: A, onSent: () => void): A {
  const connect = agent.createConnection;
  const ready = agent instanceof https.Agent ? 'secureConnect' : 'connect';
  agent.createConnection = (...given) => {
    const socket = connect.apply(agent, given);
    socket?.once(ready, onSent);
    return socket;
  };
  return agent;
}

function noticing(handler: Dispatcher.DispatchHandler, onSent: () => void): Dispatcher.DispatchHandler {
  return {
    onRequestStart(controller, context) {
      onSent();
      handler.onRequestStart?.(controller, context);
    },
    onRequestUpgrade: (...given) => handler.onRequestUpgrade?.(...given),
    onResponseStart: (...given) => handler.onResponseStart?.(...given),
    onResponseData: (...given) => handler.onResponseData?.(...given),
    onResponseEnd: (...given) => handler.onResponseEnd?.(...given),
    onResponseError: (...given) => handler.onResponseError?.(...given),
  };
}
