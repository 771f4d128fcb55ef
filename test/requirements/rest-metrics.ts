// REST API: /metrics, as the wire contract has it (docs/reference/wire-contract/4-endpoints.md#metrics).
import { type Requirement, stated } from './requirement.ts';

export const restMetrics: readonly Requirement[] = stated(1, '4.8 Metrics', {
  'rest.metrics.protected': 'GET /metrics needs network.read',
  'rest.metrics.formats': 'who accepts OpenMetrics gets it, everybody else the text format of Prometheus',
  'rest.metrics.parsed': 'a parser of Prometheus text that is not ours accepts the answer',
  'rest.metrics.told':
    'values are those of the API, counters count polls by outcome, and no address of a device is in it',
  'rest.metrics.partial': 'a part that cannot be read is missing and counted; the others are there',
  'rest.metrics.dashboard': 'each query of the Grafana dashboard is PromQL, and its series are in /metrics',
  'rest.metrics.alert-rules': 'each alert rule is PromQL over series of /metrics, with for, labels and annotations',
  'rest.metrics.documented': 'docs/metrics.md lists exactly the series of /metrics with their types',
});

// docs/decisions/057-doctor.md and docs/reference/wire-contract/4-endpoints.md#diagnostics
export const restDiagnostics: readonly Requirement[] = stated(1, '4.8 Diagnostics', {
  'rest.diagnostics.protected': 'GET /api/diagnostics needs auth.admin',
  'rest.diagnostics.checks': 'each check has a state, what was found and what to do, by its real cause',
  'rest.diagnostics.no-secret':
    'no secret that the hub holds is in it; a hit is refused with its path, never its value',
  'rest.diagnostics.last-errors': 'it has the last warnings and errors of the process, at most 200',
  'rest.diagnostics.command':
    'gatehouse doctor checks the files also without a running hub: 0 no problem, 1 a problem, 2 not run',
});
