// Sets the hub of a soak up as an operator would: routers, chat, feeds, mesh, sign-in, AI, backups.
import type { HubLives } from './hub.ts';
import type { Sims } from './sims.ts';

export async function setUpHub({ admin }: HubLives, { lines, control }: Sims): Promise<void> {
  for (const kind of ['vendor_a', 'vendor_b'] as const) {
    const { url: at, user, password, enablePassword, natDescriptor } = lines[kind];
    const { hostname, port } = new URL(at);
    await admin.routers.create({
      body: {
        kind,
        displayName: kind,
        ip: hostname,
        port: Number(port),
        user: String(user),
        pass: String(password),
        ...(kind === 'vendor_a' ? { nat: String(natDescriptor) } : { enablePass: String(enablePassword) }),
      },
    });
  }
  const { token, userId } = lines.chat;
  await admin.chat.saveConfig({ body: { enabled: true, token: String(token), userId: String(userId) } });
  await admin.threat.saveFeedsConfig({ body: { authKey: String(lines.feeds.authKey) } });
  const { user: username, password } = lines.mesh;
  const routerIp = new URL(lines.mesh.url).host;
  await admin.routers.setUp({
    body: { doMesh: true, routerIp, username: String(username), password: String(password) },
  });
  await admin.ai.saveConfig({
    body: { provider: 'local', models: { local: 'qwen3:8b' }, localEndpoint: String(lines.ai.local) },
  });
  const { clientId, clientSecret, url: issuer } = lines.oidc;
  await admin.auth.saveSecurityConfig({
    body: {
      enabled: true,
      issuer,
      clientId: String(clientId),
      clientSecret: String(clientSecret),
      allowedEmails: [],
      allowedDomains: ['example.com'],
    },
  });
  await admin.backup.config({ body: { maxGenerations: 2, autoPrune: true } });
  // The pace of a real console is not what is tried here.
  for (const kind of ['vendor_a', 'vendor_b'] as const) {
    await control(kind, 'PATCH', '/state', { latency: 'none' });
  }
  await admin.config.saveGeneral({ body: { retentionDays: 730, homeCountry: 'JP' } });
}
