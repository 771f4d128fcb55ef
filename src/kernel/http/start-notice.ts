// Says when a request begins to leave: before that nothing of it has been sent.
import type http from 'node:http';
import https from 'node:https';
import type { Dispatcher } from 'undici';

/**
 * A dispatcher that asks by `dispatcher` and calls `onSent` when there is a connection, and head and body are about to be
 * written to it. For a name that is not found, a port that is closed or a handshake that fails it is never called.
 */
export function withStartNotice(dispatcher: Dispatcher, onSent: () => void): Dispatcher {
  return dispatcher.compose((dispatch) => (options, handler) => dispatch(options, noticing(handler, onSent)));
}

/**
 * The agent, fresh and for one request, which calls `onSent` when its connection is there: head and body are written to it then.
 * As with `withStartNotice` it is never called before.
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
