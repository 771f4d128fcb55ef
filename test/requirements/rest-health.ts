// REST specification: process health.
import { type Requirement, stated } from './requirement.ts';

export const restHealth: readonly Requirement[] = [
  ...stated(1, '1', {
    'rest.health.outside-api': '/healthz and /readyz lie outside /api',
  }),
  ...stated(1, '4 Health', {
    'rest.health.live': 'GET /healthz answers { status: ok } when the event loop can respond',
    'rest.health.live-public': '/healthz is Public',
    'rest.health.live-not-cached': '/healthz disables caching',
    'rest.health.ready': 'GET /readyz answers 200 { status: ready } after bootstrap',
    'rest.health.ready-public': '/readyz is Public',
    'rest.health.ready-not-cached': '/readyz disables caching',
    'rest.health.ready-exposes-nothing': '/readyz exposes no router, database or credential of the service',
  }),
  ...stated(1, '3, 4 Health, 7', {
    'rest.health.not-ready': '/readyz answers 503 { status: not_ready } before bootstrap is complete',
  }),
  ...stated(1, '3', {
    'rest.health.ready-transition': 'readiness moves from 503 to 200 when configuration and database are bootstrapped',
  }),
];
