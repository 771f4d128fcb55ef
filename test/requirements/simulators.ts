// The design card's simulators, in the detail that the references and the acceptance give them.
import { type Requirement, stated } from './requirement.ts';

export const simulators: readonly Requirement[] = [
  ...stated(0, 'shape', {
    'sim.router.real-ssh': 'each router simulator is a real SSH server that the OpenSSH client can work in',
    'sim.router.loopback-only': 'a simulator binds to loopback unless it is told otherwise',
    'sim.router.learnt-prompt': 'the prompt is configurable and must be learnt by the client',
    'sim.router.escalation': 'administrator and enable ask for a password without echo and raise the privilege',
    'sim.router.paging': 'output is paged until the pager is turned off',
    'sim.router.wrapping': 'vendor_a wraps at console columns by display width',
    'sim.router.character-sets': 'vendor_a prints in its configured character set',
    'sim.router.line-ends': 'vendor_a ends a line at each CR and each LF, vendor_b at CR, LF or CR LF once',
    'sim.router.exec-refused': 'exec requests are refused, a shell is needed',
    'sim.router.session-limit': 'the number of parallel sessions is limited',
    'sim.router.idle-limit': 'an idle session is closed',
    'sim.router.vendor-a-tables': 'vendor_a prints its NAT, ARP and IPv6 neighbour tables in its dialects',
    'sim.router.vendor-b-tables': 'vendor_b prints its NAT, ARP and IPv6 neighbour tables in its dialects',
    'sim.router.table-moves': 'the session table moves in time, from 0 to 65,000 sessions',
    'sim.router.deterministic': 'the same seed, clock script and commands give the same bytes',
    'sim.router.latency': 'a latency profile delays answers',
    'sim.router.faults': 'every fault is switched by name and shows',
    'sim.router.control': 'a control API changes the world and reads its truth',
    'sim.router.journal': 'a journal records what arrived, secrets redacted',
    'sim.router.violations': 'any command that is not read-only or changes the whole device is a violation',
    'sim.router.replay': '--replay FILE answers from a capture',
    'sim.router.captures': 'every capture in fixtures/routers gives its expected sessions through SSH, poller and API',
  }),
  ...stated(0, 'shape', {
    'sim.oidc.independent-client':
      'openid-client completes discovery, code with PKCE and resource, refresh and revocation',
    'sim.oidc.verifiable-tokens': 'ID tokens and access tokens are RS256 JWTs that verify against the published JWKS',
    'sim.oidc.one-audience':
      'an access token names exactly one audience, the resource that was asked for, also refreshed',
    'sim.oidc.pkce-required': 'an authorization request without PKCE S256 is refused',
    'sim.oidc.reject-replay':
      'in mode reject-replay a replayed refresh token fails and the current family stays usable',
    'sim.oidc.revoke-family': 'in mode revoke-family a replayed refresh token ends its family',
    'sim.oidc.revocation': 'a revoked refresh token is refused',
    'sim.oidc.cloud-idp': 'profile cloud_idp omits code_challenge_methods_supported',
    'sim.oidc.lifetimes': 'codes and tokens are short-lived, on the clock of the simulator',
    'sim.oidc.consent': 'login and consent happen by themselves, on a page, or are refused',
    'sim.oidc.faults': 'every misbehaviour is switched by name and shows',
    'sim.oidc.control': 'a control API changes users, settings and keys',
    'sim.oidc.journal':
      'a journal has every authorization and token request with its PKCE and resource parameters, secrets masked',
  }),
  ...stated(0, 'shape', {
    'sim.ups.fixtures': 'the UPS simulator writes the pages of fixtures/ups/1.4.0 byte for byte',
    'sim.ups.exchanges': 'the UPS simulator answers the recorded sequences of fixtures/ups/1.4.0',
    'sim.ups.real-https': 'the UPS simulator is a real HTTPS server with a self-signed certificate',
    'sim.ups.one-session': 'one session at a time, and a page that says so by the element alreadyLoggedOn',
    'sim.ups.idle-limit': 'a session without requests ends after 900 seconds',
    'sim.ups.lock': 'wrong passwords lock the account for a while',
    'sim.ups.languages': 'the language is changed for everybody, with its words, units and decimal mark',
    'sim.ups.open-choices': 'what the product leaves open is chosen by a seed',
    'sim.ups.script': 'measurements change as time passes, as in an outage',
    'sim.ups.faults': 'every fault of the UPS simulator is switched by name and shows',
    'sim.ups.control': 'a control API changes settings, measurements and pages',
    'sim.ups.journal': 'a journal has every request with its headers that matter, secrets masked',
  }),
];
