// The probes of both protocol eras against an endpoint that answers as the test says.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pass } from '#gate/check.ts';
import { toolNames } from '#gate/mcp-messages.ts';
import { protocolChecks } from '#gate/probes/protocol.ts';
import { type Answered, type Asked, type ProbeLab, startProbeLab } from '../support/probe-lab.ts';

let lab: ProbeLab;
beforeAll(async () => {
  lab = await startProbeLab();
});
afterAll(() => lab[Symbol.asyncDispose]());

type Answers = (era: 'modern' | 'legacy', asked: Asked) => Answered;
const judge = (id: string, answers: Answers, settings: Record<string, string> = {}) => {
  lab.answers((_at, asked) => {
    const isLegacy = asked.headers['mcp-method'] === undefined;
    return answers(isLegacy ? 'legacy' : 'modern', asked);
  });
  return protocolChecks.find((check) => check.id === id)?.judge(lab.context(settings));
};
const result = (members: unknown, status = 200): Answered => ({
  status,
  body: { jsonrpc: '2.0', id: 1, result: members },
});
const failed = (because: string) => ({ outcome: 'fail', because });
const [modern, legacy] = ['era 2026-07-28', 'era 2025-11-25'];
const said = { content: [{ type: 'text', text: 'one device' }] };

describe('a read tool', () => {
  test.each<[string, unknown, string]>([
    ['an error, whatever it says', { ...said, isError: true }, 'the tool failed'],
    ['no content', {}, 'the tool failed'],
    ['content that is no list', { content: 'one device' }, 'the tool failed'],
    ['an empty list', { content: [] }, 'the tool answers with nothing'],
    ['blanks', { content: [{ type: 'text', text: ' \n' }] }, 'the tool answers with nothing'],
    ['no text', { content: [null, { type: 'image' }] }, 'the tool answers with nothing'],
  ])('that answers with %s, in one era', async (_how, wrong, because) => {
    const right = result({ ...said, isError: false });
    expect(await judge('scope.read', (era) => (era === 'modern' ? result(wrong) : right))).toEqual(
      failed(`${modern}: ${because}`),
    );
    expect(await judge('scope.read', (era) => (era === 'legacy' ? result(wrong) : right))).toEqual(
      failed(`${legacy}: ${because}`),
    );
  });

  test('passes with one text among others, and is called with the read token in both eras', async () => {
    const right = result({ content: [null, { type: 'image' }, ...said.content] });
    expect(await judge('scope.read', () => right)).toEqual(pass);
    expect(lab.asked.map(({ headers }) => headers.authorization)).toEqual(['Bearer read-token', 'Bearer read-token']);
    expect(await judge('scope.read', () => ({ ...right, status: 202 }))).toMatchObject({ outcome: 'fail' });
  });
});

describe('the tools of both eras', () => {
  const tools = (names: readonly string[]) => result({ tools: names.map((name) => ({ name })) });
  const all = tools(toolNames);

  test.each<[string, readonly string[], string]>([
    ['one is missing', toolNames.slice(1), '1 of the 11 tools is not listed'],
    ['two are missing', toolNames.slice(2), '2 of the 11 tools are not listed'],
    ['one is unknown', [...toolNames, 'erase'], '1 tool is unknown'],
    ['two are unknown', [...toolNames, 'erase', 'format'], '2 tools are unknown'],
    ['one is listed twice', [...toolNames, 'get_devices'], 'a tool is listed twice'],
  ])('%s', async (_how, names, because) => {
    expect(await judge('era.sameTools', (era) => (era === 'modern' ? tools(names) : all))).toEqual(
      failed(`${modern}: ${because}`),
    );
    expect(await judge('era.sameTools', (era) => (era === 'legacy' ? tools(names) : all))).toEqual(
      failed(`${legacy}: ${because}`),
    );
  });

  test('in any order they pass', async () => {
    expect(await judge('era.sameTools', () => tools([...toolNames].reverse()))).toEqual(pass);
  });

  test.each([
    ['scope.write-visible', true],
    ['scope.write-hidden', false],
  ])('%s: the tool that writes is listed: %s', async (id, isListed) => {
    const shown = tools(isListed ? toolNames : toolNames.filter((name) => name !== 'set_device_note'));
    const other = tools(isListed ? ['get_devices'] : toolNames);
    expect(await judge(id, () => shown)).toEqual(pass);
    const wrong = `set_device_note is ${isListed ? 'not ' : ''}listed`;
    expect(await judge(id, (era) => (era === 'legacy' ? other : shown))).toEqual(failed(`${legacy}: ${wrong}`));
    expect(await judge(id, (era) => (era === 'modern' ? other : shown))).toEqual(failed(`${modern}: ${wrong}`));
    for (const none of [{ ...shown, status: 403 }, tools([]), result({ tools: 'all' })]) {
      expect(await judge(id, (era) => (era === 'modern' ? none : shown))).toMatchObject({
        because: expect.stringMatching(/^era 2026-07-28: the list is answered with (?:403 and 1[01]|200 and 0) tools$/),
      });
    }
  });
});

describe('a token that lacks a scope', () => {
  const refused = (scope: string, error = 'insufficient_scope', status = 403): Answered => ({
    status,
    headers: { 'www-authenticate': `Bearer error="${error}", scope="${scope}"` },
  });
  const both = 'network.read notes.write';
  const lacks = 'the challenge lacks a scope';
  const silent = 'the challenge does not say insufficient_scope';

  test.each<[string, Answered, ...string[]]>([
    ['names the other scope only', refused('network.read'), lacks],
    ['names a scope that only begins so', refused('network.read notes.writer'), lacks],
    ['says another error', refused(both, 'invalid_token'), silent],
    ['has no challenge', { status: 403 }, silent, lacks],
  ])('to write: a refusal that %s', async (_how, wrong, ...reasons) => {
    expect(await judge('scope.write-denied', () => refused(both))).toEqual(pass);
    for (const [era, text] of [
      ['modern', modern],
      ['legacy', legacy],
    ] as const) {
      expect(await judge('scope.write-denied', (one) => (one === era ? wrong : refused(both)))).toEqual(
        failed(reasons.map((because) => `${text}: ${because}`).join('; ')),
      );
    }
  });

  test('to read: it is tried with that token, where there is one', async () => {
    const given = { MCP_GATE_WRITE_ONLY_TOKEN: 'write-only-token' };
    expect(await judge('scope.read-required', () => refused('network.read'), given)).toEqual(pass);
    expect(lab.asked.map(({ headers }) => headers.authorization)).toEqual(['Bearer write-only-token']);
    expect(await judge('scope.read-required', () => refused('notes.write'), given)).toEqual(failed(lacks));
    expect(await judge('scope.read-required', () => result(said))).toMatchObject({ outcome: 'not-required' });
    expect(lab.asked).toEqual([]);
  });
});

test('each era says its own version', async () => {
  expect(await judge('era.legacy', () => result({ protocolVersion: '2025-11-25' }))).toEqual(pass);
  expect(await judge('era.legacy', () => result({ protocolVersion: '2025-06-18' }))).toEqual(
    failed('it is another protocol version'),
  );
  expect(await judge('era.modern', () => result({ supportedVersions: ['2025-11-25', '2026-07-28'] }))).toEqual(pass);
  for (const supportedVersions of [['2025-11-25'], '2026-07-28', undefined]) {
    expect(await judge('era.modern', () => result({ supportedVersions }))).toEqual(
      failed('the version is not supported'),
    );
  }
});
