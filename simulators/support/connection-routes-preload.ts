// For `node --import`: the routes of the variable SIM_CONNECTION_ROUTES hold in a program that knows nothing of simulators.
import { childEnv } from '#kernel/process/env.ts';
import { type ConnectionRoute, routeConnections } from './connection-routes.ts';

for (const route of JSON.parse(childEnv().SIM_CONNECTION_ROUTES ?? '[]') as ConnectionRoute[]) {
  routeConnections(route);
}
