// Each reason of a refusal reaches the page as a code that it has Japanese words for.
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type CauseCode, causeCodes } from '#contract/facts.ts';
import { describeCause } from '#hub/base/refusals.ts';
import { failurePhrases, toFailureFact } from '#hub/identify/threat/feed-failure.ts';
import { AppError } from '#kernel/errors.ts';
import { ja } from './support/japanese.ts';

/** What is between the brackets of each call of `name`, by file below `src`. */
function listCalls(folder: string, name: RegExp): [file: string, inside: string][] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  return files.flatMap((file) => {
    const source = readFileSync(`${folder}/${file}`, 'utf8');
    const starts = [...source.matchAll(new RegExp(`(?<!function )(?:${name.source})\\(`, 'g'))];
    return starts.map(({ index, 0: { length } }) => [file, readBrackets(source.slice(index + length))] as const);
  }) as [string, string][];
}

function readBrackets(source: string): string {
  let depth = 1;
  let at = 0;
  for (; depth > 0 && at < source.length; at += 1) {
    depth += source[at] === '(' ? 1 : source[at] === ')' ? -1 : 0;
  }
  return source.slice(0, at - 1);
}

/** Refusals of AI providers, of which the page says the facts in place of the sentence (src/web/ai/failure.ts). */
const ofProviders = ['ai_failed', 'ai_limited', 'ai_key_rejected', 'ai_endpoint_rejected'];

/** Refusals of requests that the page does not send. */
const notOfPage =
  /^(?:'invalid_body', '(?:deviceId, ip or mac must name|send at least one field|doMesh, doVendorA or doVendorB)|missing, )/;

test('a refusal with several reasons says which one as a code: none has a sentence alone', () => {
  const calls = listCalls('src/hub', /new AppError/).map(([file, inside]) => [file, inside.trim()] as const);
  const codes = [...Object.keys(ja.explained), ...ofProviders];
  const plain = calls.filter(([, inside]) => codes.some((code) => inside.startsWith(`'${code}'`)));
  const left = plain.filter(([, inside]) => !/problem|errorFacts/.test(inside) && !notOfPage.test(inside));
  expect(calls.length).toBeGreaterThan(100);
  expect(codes.length).toBeGreaterThan(10);
  expect(left).toEqual([]);
});

test('each problem of a field has Japanese words, of refinements of the contract too', () => {
  const ofHub = listCalls('src/hub', /refuseField/).map(([, inside]) => inside.trim().replace(/,$/, ''));
  const named = ofHub.map((inside) => /'(\w+)'$/.exec(inside)?.[1] ?? inside);
  const known = Object.keys(ja.problems);
  const computed = named.filter((one) => !known.includes(one));
  expect(ofHub.length).toBeGreaterThan(15);
  expect(computed.filter((one) => !/(?:, problem|checked\.problem)$/.test(one))).toEqual([]);
  // Agents send observations, the page does not.
  const ofContract = listCalls('src/contract', /\.refine|addIssue/).filter(([file]) => file !== 'agent-ingest.ts');
  const explained = ofContract.map(
    ([file, inside]) =>
      /(?:explain\((?:.*?[`']|\w+),\s*|params: \{ code: )'(\w+)'/s.exec(inside)?.[1] ?? `${file}: ${inside}`,
  );
  expect(explained.length).toBeGreaterThan(10);
  expect(explained.filter((code) => !known.includes(code))).toEqual([]);
});

test('each kind of issue of a schema that the hub words has Japanese words', () => {
  const cases = [...String(readFileSync('src/kernel/text/problem.ts')).matchAll(/^ {4}case '(\w+)':/gm)];
  const codes = cases
    .map(([, code = '']) => code)
    .filter((code) => !/^(?:regex|starts_with|ends_with|includes)$/.test(code));
  expect(codes.length).toBeGreaterThan(8);
  expect(codes.filter((code) => !(code in ja.problems))).toEqual([]);
});

test.each([
  ['ENOSPC', 'no_space'],
  ['EACCES', 'not_permitted'],
  ['EROFS', 'read_only'],
  ['EEXIST', 'not_opened'],
  ['EMFILE', 'too_many_files'],
  ['SQLITE_IOERR_WRITE', 'disk_fault'],
  ['SQLITE_CORRUPT_VTAB', 'damaged'],
  ['ECONNREFUSED', 'refused'],
  ['UND_ERR_CONNECT_TIMEOUT', 'timed_out'],
  ['EHOSTUNREACH', 'no_way'],
  ['ENOTFOUND', 'name_unknown'],
  ['ECONNRESET', 'cut'],
  ['CERT_HAS_EXPIRED', 'certificate_expired'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'certificate_other_name'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'certificate_unknown'],
  ['EPROTO', 'tls_failed'],
] as const)('%s is said in Japanese, also where another error hides it', (code, cause) => {
  const error = new Error('it failed', { cause: Object.assign(new Error(`${code}: as the system says it`), { code }) });
  expect(describeCause(error)).toEqual({ detail: 'it failed', cause });
  const [said] = ja.describeFacts([{ code: 'backup_not_written', values: { ...describeCause(error) } }]);
  expect(said).toEqual({
    sentence: expect.stringMatching(/^何も保存していません。[^A-Za-z]*(?:TLS)?.+。$/),
    detail: '',
  });
});

test('each problem of a threat list is said in Japanese alone', () => {
  const folder = 'src/hub/identify/threat';
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const sources = files.map((file) => readFileSync(`${folder}/${file}`, 'utf8')).join();
  const problems = [...sources.matchAll(/problem: (?:'([^']+)'|`([^`]+)`)/g)].map(([, text = '', pattern = '']) =>
    (text || pattern).replaceAll(/\$\{[^}]+\}/g, '7'),
  );
  expect(problems.length).toBeGreaterThan(12);
  for (const problem of problems) {
    const [said] = ja.describeFacts([toFailureFact(failurePhrases.notList(problem))]);
    expect(said).toEqual({ sentence: expect.stringMatching(/^配布元が送った[^A-Za-z]+。$/), detail: '' });
  }
  const shrank = toFailureFact(failurePhrases.notList('it has 19 entries, and had 100 before'));
  expect(ja.describeFacts([shrank])[0]?.sentence).toMatch(/ 19 .* 100 /);
});

test('every cause is one that an error can have', () => {
  const files = readdirSync('src/hub', { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const source = files.map((file) => readFileSync(`src/hub/${file}`, 'utf8')).join();
  const reached = new Set([...source.matchAll(/[:?,] '(\w+)'/g)].map(([, cause]) => cause as CauseCode));
  expect(causeCodes.filter((cause) => !reached.has(cause))).toEqual([]);
});

test('the words of another program stand in quotation marks, and only where the cause is not known', () => {
  const code = 'restore_not_done';
  const strange = describeCause(new AppError('internal', 'gremlins'));
  expect(ja.describeFacts([{ code, values: strange }])).toEqual([
    { sentence: 'データベースを置き換えられませんでした。', detail: '「gremlins」' },
  ]);
  expect(ja.describeFacts([{ code: 'of_a_later_version', values: {} } as never, { code, values: {} }])).toEqual([]);
  expect(ja.describeFacts([])).toEqual([]);
});

test('a problem is said with the member that it is of, and facts without one', () => {
  const problem = { code: 'too_big', limit: 20, unit: 'entries' };
  expect(ja.describeDetails({ field: 'src', problem })).toEqual([
    { sentence: 'src: 20 件以下にしてください。', detail: '' },
  ]);
  expect(ja.describeDetails({ problem })).toEqual([{ sentence: '20 件以下にしてください。', detail: '' }]);
  expect(ja.describeDetails({ problem: { code: 'custom' }, errorFacts: [] })).toEqual([]);
  const errorFacts = [{ code: 'password_same', values: {} }];
  expect(ja.describeDetails({ errorFacts })).toEqual([{ sentence: '現在と同じです。', detail: '' }]);
});
