// The legacy set-up flow: one router of each kind and one mesh access point, with fields named by kind.
import type { z } from 'zod';
import type { routerRoutes } from '#contract/routers.ts';
import { AppError, refuseField } from '#kernel/errors.ts';
import type { Handlers } from '#kernel/http/route.ts';
import type { Principal } from '../../base/auth/principal.ts';
import type { SettingsDocument } from '../../base/settings/document.ts';
import type { RouterRecord, Settings } from '../../base/settings/schema.ts';
import type { Mesh } from '../mesh/mesh.ts';
import type { Detect } from './detect.ts';
import type { RouterKind } from './driver.ts';
import type { Poller } from './poller.ts';
import { type Registry, type RouterInput, targetAddress } from './registry.ts';

type SetUp = z.output<typeof routerRoutes.setUp.body>;
type LegacyRoutes = Pick<typeof routerRoutes, 'nonce' | 'detectVendorA' | 'detectVendorB' | 'setUp'>;

/** The fields of one kind, under one set of names. */
interface Wanted {
  kind: RouterKind;
  ip: string | undefined;
  user: string | undefined;
  pass: string | undefined;
  nat: string | undefined;
  enablePass: string | undefined;
}

export interface LegacyOptions {
  registry: Registry;
  poller: Pick<Poller, 'apply'>;
  detect: Detect;
  document: SettingsDocument;
  mesh: Mesh;
  /** Loopback router targets are accepted. */
  allowLoopback: boolean;
}

export function legacyHandlers(options: LegacyOptions): Handlers<LegacyRoutes, Principal> {
  const { detect } = options;
  return {
    async nonce({ body, signal }) {
      const ip = body.routerIp || options.document.current().mesh?.ip;
      if (!ip) {
        throw refuseField('invalid_body', 'routerIp', 'is missing: no mesh access point is set up', 'missing');
      }
      checkMeshAddress(ip, options.allowLoopback);
      return options.mesh.nonce(ip, body.id ?? '', signal);
    },
    detectVendorA: ({ body, signal }) =>
      detect(definition(options, wantedA(body), 'vendorADetectMissing'), 'vendorADetectFailed', signal),
    detectVendorB: ({ body, signal }) =>
      detect(definition(options, wantedB(body), 'vendorBDetectMissing'), 'vendorBDetectFailed', signal),
    setUp: ({ body, signal }) => setUp(options, body, signal),
  };
}

async function setUp(options: LegacyOptions, body: SetUp, signal: AbortSignal) {
  if (body.doMesh === undefined && body.doVendorA === undefined && body.doVendorB === undefined) {
    throw new AppError('invalid_body', 'doMesh, doVendorA or doVendorB must say what to set up');
  }
  // Everything is checked before the login, so that a refused request has tried no password.
  const before = options.document.current();
  const { mesh } = withSetUp(options, before, body);
  if (body.doMesh && mesh) {
    await options.mesh.logIn(mesh.ip, mesh.user, mesh.pass, signal);
  }
  const after = options.document.update((all) => {
    requireSameBasis(body, before, all);
    return withSetUp(options, all, body);
  });
  if (body.doMesh !== undefined) {
    options.mesh.apply();
  }
  const routers = listKinds(body).flatMap((kind) => findStored(after, kind) ?? []);
  await Promise.all(routers.map(({ id }) => options.poller.apply(id)));
  return { success: true as const, ...(after.mesh?.ip ? { routerIp: after.mesh.ip } : {}) };
}

/** Throws AppError `settings_changed` when what the request was checked against is gone, or is another one. */
function requireSameBasis(body: SetUp, before: Settings, now: Settings): void {
  const takesStored = body.doMesh && !(body.routerIp && body.username && body.password);
  const isSame =
    listKinds(body).every((kind) => findStored(before, kind)?.id === findStored(now, kind)?.id) &&
    (!takesStored || before.mesh === now.mesh);
  if (!isSame) {
    throw new AppError(
      'settings_changed',
      'the router or access point to set up was added, replaced or removed meanwhile, so nothing was saved: look at the settings and send the request again',
    );
  }
}

/** The kinds of router the request is about. */
function listKinds({ doVendorA, doVendorB }: SetUp): RouterKind[] {
  return [
    ...(doVendorA === undefined ? [] : ['vendor_a' as const]),
    ...(doVendorB === undefined ? [] : ['vendor_b' as const]),
  ];
}

/** `all` as the request wants it. Throws what is wrong with the request. */
function withSetUp(options: LegacyOptions, all: Settings, body: SetUp): Settings {
  const withA = withRouter(options, all, body.doVendorA, wantedA(body));
  const withBoth = withRouter(options, withA, body.doVendorB, wantedB(body));
  const mesh = changeMesh(options, all, body);
  return mesh === undefined ? withBoth : { ...withBoth, mesh };
}

function withRouter(options: LegacyOptions, all: Settings, wanted: boolean | undefined, fields: Wanted): Settings {
  const stored = findStored(all, fields.kind);
  if (!wanted) {
    return wanted === false && stored ? options.registry.edited(all, stored.id, { enabled: false }) : all;
  }
  const input = { ...toRouterInput(fields, stored, 'invalid_body', options.allowLoopback), enabled: true };
  return stored ? options.registry.edited(all, stored.id, input) : options.registry.added(all, input);
}

function changeMesh(options: LegacyOptions, all: Settings, body: SetUp): Settings['mesh'] | undefined {
  if (!body.doMesh) {
    return body.doMesh === false ? null : undefined;
  }
  const stored = all.mesh;
  const ip = body.routerIp || stored?.ip;
  const user = body.username || stored?.user || 'admin';
  const pass = body.password || (ip === stored?.ip ? stored?.pass : undefined);
  if (!ip || !pass) {
    throw refuseField('invalid_body', ip ? 'password' : 'routerIp', 'is missing for the mesh access point', 'missing');
  }
  checkMeshAddress(ip, options.allowLoopback);
  return { ip, user, pass };
}

function definition(options: LegacyOptions, fields: Wanted, missing: 'vendorADetectMissing' | 'vendorBDetectMissing') {
  const stored = findStored(options.document.current(), fields.kind);
  return options.registry.draft(toRouterInput(fields, stored, missing, options.allowLoopback));
}

/** Blanks fall back to what is stored; the stored password is never used for another address. */
function toRouterInput(
  fields: Wanted,
  stored: RouterRecord | undefined,
  missing: 'invalid_body' | 'vendorADetectMissing' | 'vendorBDetectMissing',
  allowLoopback: boolean,
): RouterInput {
  const { kind } = fields;
  const ip = fields.ip || stored?.ip;
  const user = fields.user || stored?.user;
  const sameHost = stored !== undefined && ip === stored.ip;
  const pass = fields.pass || (sameHost ? stored.pass : undefined);
  if (!ip || !user || !pass) {
    throw new AppError(missing, `address, user and password of the ${kind} router are needed`);
  }
  checkPrivate(ip, allowLoopback);
  return {
    kind,
    ip,
    user,
    pass,
    ...(sameHost ? { port: stored.port, legacyAlgorithms: stored.legacyAlgorithms } : {}),
    ...(kind === 'vendor_a' ? { nat: fields.nat || stored?.nat || '100' } : {}),
    ...(kind === 'vendor_b' ? { enablePass: fields.enablePass || (sameHost ? stored.enablePass : null) } : {}),
  };
}

function checkPrivate(ip: string, allowLoopback: boolean): void {
  try {
    targetAddress(ip, allowLoopback);
  } catch (cause) {
    throw new AppError('routerIpPrivate', 'the router address must be a private IPv4 or unique-local IPv6 address', {
      cause,
    });
  }
}

/** `address` or `address:port`; whatever else stands behind the address would lead elsewhere. */
export function checkMeshAddress(text: string, allowLoopback: boolean): void {
  const [address = '', port = '80'] = text.split(':').length === 2 ? text.split(':') : [text];
  if (!/^[1-9]\d{0,4}$/.test(port) || Number(port) > 65_535) {
    throw new AppError('routerIpPrivate', 'the port of the mesh access point must be a number from 1 to 65535');
  }
  checkPrivate(address, allowLoopback);
}

function findStored({ routers }: Settings, kind: RouterKind): RouterRecord | undefined {
  return routers.find((router) => router.kind === kind);
}

function wantedA(body: Pick<SetUp, 'vendorAIp' | 'vendorAUser' | 'vendorAPass' | 'vendorANat'>): Wanted {
  const { vendorAIp: ip, vendorAUser: user, vendorAPass: pass, vendorANat: nat } = body;
  return { kind: 'vendor_a', ip, user, pass, nat, enablePass: undefined };
}

function wantedB(body: Pick<SetUp, 'vendorBIp' | 'vendorBUser' | 'vendorBPass' | 'vendorBEnablePass'>): Wanted {
  const { vendorBIp: ip, vendorBUser: user, vendorBPass: pass, vendorBEnablePass: enablePass } = body;
  return { kind: 'vendor_b', ip, user, pass, nat: undefined, enablePass };
}
