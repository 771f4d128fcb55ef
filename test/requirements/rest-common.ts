// REST specification: rules that hold for every endpoint, and the error table.
import { type Requirement, stated } from './requirement.ts';

export const restCommon: readonly Requirement[] = [
  ...stated(1, '1', {
    'rest.service.api-prefix': 'all API paths begin with /api',
    'rest.service.serves-automation': 'local automation can use the API',
  }),
  ...stated(1, '1', {
    'rest.service.serves-web-ui': 'the API serves the web UI',
    'rest.service.sub-path': 'API paths begin with /api also when the web UI is served below a sub-path',
  }),
  ...stated(1, '1', {
    'rest.service.notify-web-ui': 'detections can notify the web UI',
    'rest.service.new-devices': 'newly seen devices are tracked',
    'rest.service.new-destinations': 'newly seen destinations are tracked',
    'rest.service.beacon-candidates': 'beacon candidates are tracked',
    'rest.service.detection-log': 'a detection log is tracked',
    'rest.service.notify-chat': 'detections can notify a chat workspace',
  }),
  ...stated(1, '4 Common rules', {
    'rest.common.json': 'requests and responses are application/json',
    'rest.common.request-id-always': 'every response carries X-Request-Id',
    'rest.common.request-id-kept': 'a caller id matching [A-Za-z0-9][A-Za-z0-9._:-]{0,63} is preserved',
    'rest.common.request-id-replaced': 'a missing or unsafe request id is replaced with a generated UUID',
    'rest.common.logs-without-query': 'logs do not include query strings',
    'rest.common.from-to-epoch-ms': 'from and to are epoch milliseconds',
    'rest.common.from-to-open': 'from and to mean an open time range unless an endpoint says otherwise',
    'rest.common.reject-before-change': 'a rejected input returns 400 before application state changes',
  }),
  ...stated(1, '4 Common rules, 7', {
    'rest.common.error-shape': 'errors have the shape { error: <message> }',
  }),
  ...stated(1, '4 Common rules, 8', {
    'rest.common.body-64kb': 'the JSON request body limit is 64 KB',
  }),
  ...stated(1, '4 Common rules, 5', {
    'rest.access.public': 'Public routes need no credential',
    'rest.access.legacy-token': 'Protected accepts the legacy admin token in X-Admin-Token',
  }),
  ...stated(1, '4 Common rules, 5', {
    'rest.access.scoped-identity': 'Protected accepts a scoped identity token in X-Admin-Token',
    'rest.access.session-cookie': 'Protected accepts the browser HttpOnly session cookie',
    'rest.access.csrf': 'mutations through the cookie need the matching X-CSRF-Token',
    'rest.access.admin': 'admin is Protected plus the permission auth.admin',
  }),
  ...stated(1, '4 Common rules, 5', {
    'rest.access.agent-bearer': 'Agent bearer is a svca_ bearer with agent.ingest',
    'rest.access.agent-bearer-only-there': 'the Agent bearer works only on the Agent bearer routes',
    'rest.agents.not-cacheable': 'every Agent response is non-cacheable',
  }),
  ...stated(1, '7', {
    'rest.errors.400': 'invalid input answers 400',
    'rest.errors.401': 'invalid authentication answers 401',
    'rest.errors.404': 'a missing resource answers 404',
    'rest.errors.500': 'an internal or persistence failure answers 500',
  }),
  ...stated(1, '7', {
    'rest.errors.413-upload': 'an oversized upload answers 413',
  }),
  ...stated(1, '7', {
    'rest.errors.503-auth': '503 while authentication is not initialised',
  }),
  ...stated(1, '9', {
    'rest.service.no-version-segment': 'paths carry no version segment',
  }),
];
