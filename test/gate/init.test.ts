// `gatehouse gate init` as a program: answers from a pipe and from options, what it writes, and what it leaves alone.
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readGateConfig } from '#gate/config.ts';
import { evidenceTemplate } from '#gate/evidence/template.ts';
import { root, startProgram } from '../support/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const commit = '0123456789abcdef0123456789abcdef01234567';
const endpoint = 'https://mcp.gatehouse.test/mcp';
const issuer = 'https://issuer.gatehouse.test';
const given = ['--endpoint', endpoint, '--issuer', issuer];

function openFolder() {
  const folder = temporaryFolder();
  const file = (name: string) => path.join(folder.path, name);
  return {
    file,
    names: () => readdirSync(folder.path).sort(),
    async init(words: readonly string[], input = '') {
      const program = [path.join(root, 'src/main.ts'), 'gate', 'init', ...words];
      await using running = startProgram(program, { cwd: folder.path, input });
      const { code } = await running.ended;
      return { code, stdout: running.stdout(), stderr: running.stderr() };
    },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

describe('gate init', () => {
  it('asks for each setting, again after a wrong answer, and writes what the gate and its collectors take', async () => {
    using folder = openFolder();
    const answers = [
      '',
      'mcp.gatehouse.test',
      endpoint,
      '',
      issuer,
      '',
      'two words',
      '',
      '',
      'HEAD',
      commit,
      '',
      '',
      "Ada O'Brien",
    ];
    const { code, stdout, stderr } = await folder.init([], `${answers.join('\n')}\n`);
    expect(code, stderr).toBe(0);
    expect(stderr).toContain('endpoint: must be https://NAME/mcp without user, query or fragment');
    expect(stderr).toContain('issuer: is needed');
    expect(stderr).toContain('read-scope: must be one scope');
    expect(stderr).toContain('commit: must be 40 hexadecimal digits');
    expect(stderr).toContain('[http://127.0.0.1:3000]: ');
    expect(folder.names()).toEqual(['evidence.json', 'gate.env']);
    for (const name of folder.names()) {
      expect(statSync(folder.file(name)).mode & 0o777).toBe(0o600);
    }
    expect(readGateConfig(folder.file('gate.env'))).toMatchObject({
      MCP_GATE_PROFILE: 'publication',
      MCP_GATE_RESOURCE: endpoint,
      MCP_GATE_ISSUER: issuer,
      MCP_GATE_OAUTH_COMPATIBILITY_PROFILE: 'strict',
      MCP_GATE_CONNECT_ADDRESS: '127.0.0.1',
      MCP_GATE_READ_SCOPE: 'network.read',
      MCP_GATE_WRITE_SCOPE: 'notes.write',
      MCP_GATE_DEPLOYED_COMMIT: commit,
      MCP_GATE_OPERATOR: "Ada O'Brien",
      MCP_GATE_EVIDENCE_PATH: folder.file('evidence.json'),
      MCP_GATE_REPORT_PATH: folder.file('report.json'),
    });
    expect(JSON.parse(readFileSync(folder.file('evidence.json'), 'utf8'))).toEqual(evidenceTemplate('strict', commit));
    expect(stdout).toContain(`gatehouse gate run --env ${folder.file('gate.env')}`);
  });

  it('asks nothing with --yes, and takes a profile and a provider by their own rules', async () => {
    using folder = openFolder();
    const pool = 'https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_Example';
    const cloud = await folder.init([
      '--yes',
      '--endpoint',
      endpoint,
      '--issuer',
      pool,
      '--commit',
      commit,
      '--out',
      'a b.env',
    ]);
    expect(cloud).toMatchObject({
      code: 0,
      stderr: '',
      stdout: expect.stringContaining(`--env '${folder.file('a b.env')}'`),
    });
    expect(readGateConfig(folder.file('a b.env')).MCP_GATE_OAUTH_COMPATIBILITY_PROFILE).toBe('cloud_idp');
    expect(JSON.parse(readFileSync(folder.file('evidence.json'), 'utf8'))).toHaveProperty('idpCompatibility');
    const other = ['--profile', 'resource-server', '--endpoint', 'https://mcp.bookshop.test/api', '--issuer', issuer];
    expect(await folder.init(['--yes', ...other, '--read-scope', 'books'])).toMatchObject({ code: 0, stderr: '' });
    expect(folder.names()).toEqual(['a b.env', 'evidence.json', 'gate.env']);
    expect(readGateConfig(folder.file('gate.env'))).toMatchObject({
      MCP_GATE_PROFILE: 'resource-server',
      MCP_GATE_READ_SCOPE: 'books',
      MCP_GATE_OAUTH_COMPATIBILITY_PROFILE: 'strict',
    });
    const pooled = ['--profile', 'resource-server', '--endpoint', endpoint, '--issuer', pool, '--out', 'pool.env'];
    expect(await folder.init(['--yes', ...pooled, '--read-scope', 'books'])).toMatchObject({ code: 0, stderr: '' });
    expect(readGateConfig(folder.file('pool.env')).MCP_GATE_OAUTH_COMPATIBILITY_PROFILE).toBe('cloud_idp');
  });

  it('proposes no scope for a server that is not Gatehouse’s, and says where it is added', async () => {
    using folder = openFolder();
    const words = ['--profile', 'resource-server', ...given];
    const silent = await folder.init(['--yes', ...words]);
    expect(silent).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(/Add MCP_GATE_READ_SCOPE/) });
    const text = readFileSync(folder.file('gate.env'), 'utf8');
    expect(text).toMatch(/^# MCP_GATE_READ_SCOPE is missing: add .*scopes_supported/m);
    expect(text).not.toContain('network.read');
    expect(() => readGateConfig(folder.file('gate.env'))).toThrow(/MCP_GATE_READ_SCOPE: is not set/);
    writeFileSync(folder.file('gate.env'), `${text}MCP_GATE_READ_SCOPE=books\n`);
    expect(readGateConfig(folder.file('gate.env')).MCP_GATE_READ_SCOPE).toBe('books');

    const asked = await folder.init([...words, '--out', 'asked.env'], '\n\n');
    expect(asked).toMatchObject({ code: 0, stderr: expect.stringMatching(/scope [^[\]]*: $/) });
    expect(readFileSync(folder.file('asked.env'), 'utf8')).toBe(text.replaceAll('gate.env', 'asked.env'));
  });

  it('takes the names of both files from the working directory', async () => {
    using folder = openFolder();
    mkdirSync(folder.file('conf'));
    const files = ['--out', 'conf/gate.env', '--evidence', 'mine.json'];
    expect(await folder.init(['--yes', ...given, '--commit', commit, ...files])).toMatchObject({ code: 0 });
    expect(folder.names()).toEqual(['conf', 'mine.json']);
    expect(readGateConfig(folder.file('conf/gate.env'))).toMatchObject({
      MCP_GATE_EVIDENCE_PATH: folder.file('mine.json'),
      MCP_GATE_REPORT_PATH: folder.file('conf/report.json'),
    });
  });

  it.each<[what: string, words: string[], input: string, says: RegExp]>([
    ['an option that is missing', ['--yes', '--endpoint', endpoint], '', /--issuer is missing: .*\(see --help\)/],
    ['an option that is wrong', ['--yes', ...given, '--commit', 'HEAD'], '', /--commit must be 40 hexadecimal digits/],
    ['an unknown profile', ['--yes', '--profile', 'lax'], '', /--profile must be publication or resource-server/],
    [
      'a folder that is not there',
      ['--yes', ...given, '--commit', commit, '--out', 'no/gate.env'],
      '',
      /does its folder exist/,
    ],
    [
      'evidence in a folder that is not there',
      ['--yes', ...given, '--commit', commit, '--evidence', 'no/evidence.json'],
      '',
      /evidence\.json cannot be written: does its folder exist, and may you write to it\? Nothing was written/,
    ],
    [
      'one name for both files',
      ['--yes', ...given, '--commit', commit, '--evidence', 'gate.env'],
      '',
      /gate\.env is the name of two files/,
    ],
    [
      'evidence with the name of the report',
      ['--yes', ...given, '--commit', commit, '--evidence', 'report.json'],
      '',
      /report\.json is the name of two files: .*--out, --evidence and the report/,
    ],
    [
      'settings with the name of the report',
      ['--yes', '--profile', 'resource-server', ...given, '--out', 'report.json'],
      '',
      /report\.json is the name of two files/,
    ],
    [
      'evidence for a server that needs none',
      ['--yes', '--profile', 'resource-server', ...given, '--evidence', 'mine.json'],
      '',
      /--evidence is about a deployment of Gatehouse, and the profile is resource-server: leave it out/,
    ],
    [
      'an option of the other profile',
      ['--yes', '--profile', 'resource-server', ...given, '--commit', commit],
      '',
      /--commit is about a deployment of Gatehouse/,
    ],
    ['a name that the system refuses', ['--yes', ...given, '--out', 'x'.repeat(300)], '', /ENAMETOOLONG.*x{300}/],
    ['answers that end', [], 'publication\n', /no answer to "address that is to be published.*": nothing was written/],
    [
      'scopes that do not differ',
      ['--yes', ...given, '--commit', commit, '--write-scope', 'network.read'],
      '',
      /must differ: nothing was written/,
    ],
  ])('writes nothing for %s', async (_what, words, input, says) => {
    using folder = openFolder();
    expect(await folder.init(words, input)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(says) });
    expect(folder.names()).toEqual([]);
  });

  it.each(['gate.env', 'evidence.json'])('overwrites no %s, and leaves no other file then', async (name) => {
    using folder = openFolder();
    writeFileSync(folder.file(name), 'mine');
    const words = ['--yes', ...given, '--commit', commit];
    expect(await folder.init(words)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/exists: name another file/),
    });
    expect(folder.names()).toEqual([name]);
    expect(existsSync(folder.file(name)) && readFileSync(folder.file(name), 'utf8')).toBe('mine');
  });
});
