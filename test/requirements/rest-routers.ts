// REST specification: routers and their set-up.
import { type Requirement, stated } from './requirement.ts';

export const restRouters: readonly Requirement[] = [
  ...stated(1, '1', {
    'rest.routers.two-kinds-mixed': 'connections are collected from routers of two vendor kinds, which may be mixed',
    'rest.routers.up-to-10-polled': 'up to 10 routers are collected from',
  }),
  ...stated(1, '2 Router', {
    'rest.routers.kind-closed': 'kind is vendor_a or vendor_b, nothing else',
    'rest.routers.kind-fixed': 'kind is fixed at creation',
    'rest.routers.id-stable': 'the router id is stable and cannot change',
    'rest.routers.tombstone-id': 'a deleted router keeps a tombstoned id to which history stays attributed',
    'rest.routers.field-display-name': 'displayName is a string',
    'rest.routers.field-ip': 'ip is a string',
    'rest.routers.field-user': 'user is a string',
    'rest.routers.pass-kept': 'pass omitted on update keeps the stored value',
    'rest.routers.field-enabled': 'enabled is a boolean',
    'rest.routers.field-nat': 'nat is used by vendor_a',
    'rest.routers.field-enable-pass': 'enablePass is optional and used by vendor_b',
    'rest.routers.read-public-fields': 'read responses carry the safe public fields, never a secret',
    'rest.routers.read-runtime-status': 'read responses carry the runtime status',
  }),
  ...stated(1, '2 Router, 8', {
    'rest.routers.at-most-10': 'at most 10 router records exist, enabled or disabled',
  }),
  ...stated(1, '3', {
    'rest.routers.delete-inactive': 'DELETE moves a configured router out of the active configuration',
    'rest.routers.delete-keeps-history': 'history of a deleted router stays attributed to its tombstoned id',
  }),
  ...stated(1, '4 Routers', {
    'rest.routers.all-protected': 'every route of router set-up and routers is Protected',
    'rest.routers.nonce': 'POST /api/nonce exists',
    'rest.routers.vendor-a-detect': 'POST /api/vendor-a/detect detects a vendor_a router',
    'rest.routers.vendor-b-detect': 'POST /api/vendor-b/detect detects a vendor_b router',
    'rest.routers.legacy-login': 'POST /api/login is the legacy set-up flow',
    'rest.routers.list': 'GET /api/routers returns safe public fields and runtime status',
    'rest.routers.detect-unsaved': 'POST /api/routers/detect tests an unsaved definition and stores nothing',
    'rest.routers.detect-lan-nat': 'detection returns the detected LAN and NAT information',
    'rest.routers.create': 'POST /api/routers takes kind, displayName, ip, user, pass, enabled, nat, enablePass',
    'rest.routers.create-201': 'creating a router returns 201',
    'rest.routers.update': 'PUT /api/routers/:id updates a router',
    'rest.routers.update-kind-refused': 'PUT cannot change the kind',
    'rest.routers.update-id-refused': 'PUT cannot change the id',
    'rest.routers.delete': 'DELETE /api/routers/:id removes it from the active configuration',
  }),
  ...stated(1, '4 Routers, 7', {
    'rest.routers.detect-502': 'failed detection answers 502 with diagnostics',
  }),
];
