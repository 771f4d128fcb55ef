// One fault for each check: those of broken-stage.ts, and for the others a mistake of the catalogue.
import { type Break, faults as ofStage } from './broken-stage.ts';
import { made } from './mistakes/catalogue.ts';

/** Check id → mistake that turns it red, and none but those that need it. */
const mistakes: Readonly<Record<string, string>> = {
  'issuer.keys': 'issuer.keys-down',
  'tokens.alike': 'operator.expired-just-now',
  'token.near-audience': 'endpoint.audience-prefix',
  'token.audience-list': 'endpoint.audience-list',
  'token.forged-key': 'endpoint.forged-is-403',
  'token.alg-none': 'endpoint.alg-none',
  'token.alg-confusion': 'endpoint.hs256-pem',
  'token.other-issuer': 'endpoint.follows-issuer',
  'token.jku': 'endpoint.follows-jku',
  'token.jwk': 'endpoint.embedded-jwk',
  'scope.read-required': 'endpoint.no-read-scope',
  'dns.absent': 'network.published-already',
  'target.alike': 'network.second-address-not-enforcing',
  'proxy.paths': 'proxy.serves-the-hub',
  'proxy.plain-http': 'proxy.serves-plain-http',
  'proxy.pages': 'proxy.opens-to-pages',
  'proxy.large-body': 'proxy.limits-bodies',
  'era.stream': 'proxy.buffers',
  'hub.answers': 'endpoint.devices-left-out',
  'hub.requests': 'operator.hub-proxy-new-request-id',
  'limit.address': 'operator.trust-proxy-unset',
  'limit.concurrency': 'operator.concurrency-lifted',
  'limit.subject': 'operator.subject-limit-lifted',
  'limit.client': 'operator.client-limit-lifted',
  'limit.global': 'operator.global-limit-lifted',
  'audit.pseudonyms': 'endpoint.address-plain',
};

/** Check id → fault. */
export const faults: Readonly<Record<string, Break>> = {
  ...ofStage,
  ...Object.fromEntries(Object.entries(mistakes).map(([check, id]) => [check, makerOf(id)])),
};

function makerOf(id: string): Break {
  const mistake = made[id];
  if (!mistake) {
    throw new Error(`nothing makes ${id}`);
  }
  return mistake.make;
}
