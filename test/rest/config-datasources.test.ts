// Data sources: which logs are followed, what is refused, and what their lines bring into the connection log.
import { appendFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { type Lab, startLab } from '../support/lab.ts';
import { makeFolder } from '../support/temporary-folder.ts';
import { verifies } from '../support/verifies.ts';

let folder: string;
const logOf = (name: string) => path.join(folder, `${name}.log`);

beforeEach(() => {
  folder = makeFolder('logs');
  for (const name of ['dns', 'dhcp', 'inspect']) {
    writeFileSync(logOf(name), 'a line from before\n');
  }
});
afterEach(() => rmSync(folder, { recursive: true }));

const labWithLogs = () =>
  startLab({
    routers: { a: 'vendor_a' },
    hub: { logPathPrefixes: [folder] },
    enrichment: { vendors: { '00005e': 'Maker' } },
  });
type LogLab = Awaited<ReturnType<typeof labWithLogs>>;

const off = {
  enabled: false,
  logFile: '',
  state: 'off',
  message: '',
  messageFacts: [],
  lines: 0,
  understood: 0,
  lastLineAt: null,
};

/** Follows a log and waits until lines that come now will be read. */
async function follow(lab: Lab<'a'>, name: 'dns' | 'dhcp' | 'inspect') {
  await lab.as.admin.config.saveDataSources({ body: { [name]: { enabled: true, logFile: logOf(name) } } });
  await eventually(
    () => lab.as.admin.config.dataSources({}),
    (all) => (all[name].state === 'following' ? true : undefined),
  );
}

function connectionOf(lab: LogLab, dst: string) {
  return lab.as.admin.connections.list({ query: { limit: '1', fDst: dst, fDstMode: 'exact' } });
}

verifies(
  'rest.settings.datasources-read rest.settings.datasources-write',
  'a log is chosen, followed, and shown with how that goes; the others stay',
  async () => {
    await using lab = await labWithLogs();
    expect(await lab.as.admin.config.dataSources({})).toEqual({ dns: off, inspect: off, dhcp: off });
    const saved = await lab.as.admin.config.saveDataSources({
      body: { dns: { enabled: true, logFile: logOf('dns') } },
    });
    expect(saved).toMatchObject({
      success: true,
      dns: { enabled: true, logFile: logOf('dns') },
      inspect: off,
      dhcp: off,
    });
    await follow(lab, 'dns');
    appendFileSync(logOf('dns'), 'dnsmasq[1]: query[A] a.example from 192.168.1.2\nsomething else\n');
    const read = await eventually(
      () => lab.as.admin.config.dataSources({}),
      ({ dns }) => (dns.lines === 2 ? dns : undefined),
    );
    expect(read).toMatchObject({ state: 'following', message: '', understood: 1, lastLineAt: lab.clock.now() });
    expect((await lab.as.admin.config.saveDataSources({ body: { dns: { enabled: false } } })).dns).toEqual({
      ...off,
      logFile: logOf('dns'),
    });
  },
);

describe('a data source', () => {
  it.each([
    [{ dns: { enabled: true, logFile: '/etc/passwd' } }, 'log_path_rejected', 'dns.logFile', 'not_log_folder'],
    [{ dns: { logFile: '/var/log/../../etc/passwd' } }, 'log_path_rejected', 'dns.logFile', 'not_log_folder'],
    [{ dhcp: { enabled: true } }, 'log_path_rejected', 'dhcp.logFile is missing', 'missing'],
    [{ dhcp: { enabled: 'yes' } }, 'invalid_body', 'dhcp.enabled'],
    [{ dhcp: { file: 'x' } }, 'invalid_body', 'file'],
    [{ other: {} }, 'invalid_body', 'other'],
    [{ dns: { logFile: `/var/log/${'x'.repeat(4096)}` } }, 'invalid_body', 'dns.logFile'],
  ])('is refused as %j', async (body, code, message, problem?: string) => {
    await using lab = await labWithLogs();
    await expect(lab.as.admin.config.saveDataSources({ body: body as object })).rejects.toMatchObject({
      status: 400,
      code,
      message: expect.stringContaining(message),
      ...(problem && { body: { problem: { code: problem } } }),
    });
    expect(await lab.as.admin.config.dataSources({})).toEqual({ dns: off, inspect: off, dhcp: off });
  });

  it('changes nothing when one of several is refused', async () => {
    await using lab = await labWithLogs();
    const body = { dns: { enabled: true, logFile: logOf('dns') }, dhcp: { enabled: true, logFile: '/etc/passwd' } };
    await expect(lab.as.admin.config.saveDataSources({ body })).rejects.toMatchObject({ status: 400 });
    expect(await lab.as.admin.config.dataSources({})).toEqual({ dns: off, inspect: off, dhcp: off });
  });

  it('is followed again after a restart', async () => {
    await using lab = await labWithLogs();
    await follow(lab, 'dns');
    await lab.restart();
    await eventually(
      () => lab.as.admin.config.dataSources({}),
      ({ dns }) => (dns.state === 'following' ? true : undefined),
    );
  });
});

describe('what logs tell', () => {
  it('names destinations: those that are known, and those that come later, over a rotation', async () => {
    await using lab = await labWithLogs();
    lab.routers.a.flow({ src: '192.168.100.23', dst: '203.0.113.80', dport: 443 });
    await lab.poll();
    await follow(lab, 'dns');
    appendFileSync(logOf('dns'), 'dnsmasq[1]: reply known.example is 203.0.113.80\n');
    renameSync(logOf('dns'), `${logOf('dns')}.1`);
    writeFileSync(logOf('dns'), 'dnsmasq[1]: reply later.example is 203.0.113.81\n');
    await eventually(
      () => lab.as.admin.config.dataSources({}),
      ({ dns }) => (dns.lines === 2 ? true : undefined),
    );
    lab.routers.a.flow({ src: '192.168.100.23', dst: '203.0.113.81', dport: 443 });
    await lab.poll();
    expect((await connectionOf(lab, '203.0.113.80')).connections).toMatchObject([{ dstHost: 'known.example' }]);
    expect((await connectionOf(lab, '203.0.113.81')).connections).toMatchObject([{ dstHost: 'later.example' }]);
  });

  it('tells card and name of hosts from their leases, also before their first connection', async () => {
    await using lab = await labWithLogs();
    await follow(lab, 'dhcp');
    appendFileSync(logOf('dhcp'), 'dnsmasq-dhcp[1]: DHCPACK(br0) 192.168.100.77 00:00:5e:00:53:0c Tablet\n');
    await eventually(
      () => lab.as.admin.config.dataSources({}),
      ({ dhcp }) => (dhcp.understood === 1 ? true : undefined),
    );
    lab.routers.a.flow({ src: '192.168.100.77', dst: '203.0.113.80', dport: 443 });
    await lab.poll();
    const lease = { srcMac: '00:00:5e:00:53:0c', srcVendor: 'Maker', srcDnsName: 'tablet' };
    expect((await connectionOf(lab, '203.0.113.80')).connections).toMatchObject([lease]);
    appendFileSync(logOf('dhcp'), 'dnsmasq-dhcp[1]: DHCPACK(br0) 192.168.100.77 00:00:5e:00:53:0c renamed\n');
    await eventually(
      () => connectionOf(lab, '203.0.113.80'),
      ({ connections }) => (connections[0]?.srcDnsName === 'renamed' ? true : undefined),
    );
  });

  it('brings short sessions that no poll would see, under the router that wrote them', async () => {
    await using lab = await labWithLogs();
    await follow(lab, 'inspect');
    const line = '[INSPECT] LAN2[out][1] TCP 192.168.100.3:5 > 203.0.113.99:443 (2026/03/01 11:58:42)';
    appendFileSync(logOf('inspect'), `Mar  1 11:58:52 rtx ${line}\n`);
    const [connection] = await eventually(
      () => connectionOf(lab, '203.0.113.99').then(({ connections }) => connections),
      (found) => (found.length === 1 ? found : undefined),
    );
    expect(connection).toMatchObject({
      src: '192.168.100.3',
      dport: 443,
      proto: 'TCP',
      observedBy: [lab.routers.a.id],
      firstSeen: lab.clock.now() - 10_000,
      lastSeen: lab.clock.now(),
    });
  });
});
