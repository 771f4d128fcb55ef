// What is wrong with input, in words: every kind of problem that the validator knows, and every route of the API.
import { globSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { api } from '#contract/index.ts';
import { AppError } from '#kernel/errors.ts';
import type { RouteDefinition } from '#kernel/http/route.ts';
import { parsePart } from '#kernel/http/validate.ts';
import { explainIssue, findProblem, firstProblem, readInput } from '#kernel/text/problem.ts';

type Case = [schema: z.ZodType, value: unknown, sentence: string];

const choice = z.enum(['vendor_a', 'vendor_b']);
const one = (field: z.ZodType) => z.strictObject({ x: field });

const cases: Record<z.core.$ZodIssue['code'], Case[]> = {
  invalid_type: [
    [one(z.string()), {}, 'x is missing'],
    [one(z.string()), { x: 5 }, 'x must be text, not a number'],
    [one(z.boolean()), { x: 'yes' }, 'x must be true or false, not text'],
    [one(z.int()), { x: 1.5 }, 'x must be a whole number'],
    [one(z.number()), { x: Number.POSITIVE_INFINITY }, 'x must be a number'],
    [one(z.array(z.string())), { x: {} }, 'x must be a list, not an object'],
    [one(z.strictObject({ y: z.string() })), { x: null }, 'x must be an object, not null'],
    [one(z.strictObject({ y: z.string() })), { x: { y: [] } }, 'x.y must be text, not a list'],
    [one(z.string()), [], 'the body must be an object, not a list'],
    [one(z.never()), { x: 1 }, 'x must be left out, not a number'],
    [one(z.record(z.string(), z.int())), { x: new Map() }, 'x must be an object'],
    [one(z.null()), { x: false }, 'x must be null, not true or false'],
    [one(z.date()), { x: 'a' }, 'x must be a date, not text'],
    [one(z.set(z.int())), { x: 'a' }, 'x must be a list, not text'],
    [one(z.tuple([z.int()])), { x: 'a' }, 'x must be a list, not text'],
    [one(z.map(z.string(), z.int())), { x: 'a' }, 'x must be an object, not text'],
    [one(z.bigint()), { x: 'a' }, 'x must be a whole number, not text'],
    [one(z.symbol()), { x: 'a' }, 'x must be symbol, not text'],
    [one(z.string()), { x: Symbol('a') }, 'x must be text'],
  ],
  invalid_value: [
    [one(choice), {}, 'x is missing: vendor_a or vendor_b'],
    [one(choice), { x: 'vendor_c' }, 'x must be vendor_a or vendor_b'],
    [one(z.literal(true)), { x: false }, 'x must be true'],
  ],
  too_big: [
    [one(z.string().max(3)), { x: 'abcd' }, 'x must have at most 3 characters'],
    [one(z.string().length(3)), { x: 'abcd' }, 'x must have exactly 3 characters'],
    [one(z.array(z.int()).max(1)), { x: [1, 2] }, 'x must have at most 1 entries'],
    [one(z.int().max(9)), { x: 10 }, 'x must be at most 9'],
    [one(z.number().lt(9)), { x: 9 }, 'x must be less than 9'],
    [one(z.set(z.int()).max(1)), { x: new Set([1, 2]) }, 'x must have at most 1 entries'],
    [one(z.file().max(1)), { x: new File(['ab'], 'a') }, 'x must have at most 1 bytes'],
  ],
  too_small: [
    [one(z.string().min(1)), { x: '' }, 'x must not be empty'],
    [one(z.array(z.int()).min(1)), { x: [] }, 'x must not be empty'],
    [one(z.string().min(3)), { x: 'ab' }, 'x must have at least 3 characters'],
    [one(z.int().min(1)), { x: 0 }, 'x must be at least 1'],
    [one(z.number().positive()), { x: 0 }, 'x must be more than 0'],
    [one(z.string().length(1)), { x: '' }, 'x must have exactly 1 characters'],
    [one(z.file().min(1)), { x: new File([], 'a') }, 'x must not be empty'],
  ],
  invalid_format: [
    [one(z.string().regex(/^a+$/)), { x: 'b' }, 'x must match the pattern /^a+$/'],
    [one(z.union([z.string().regex(/^a+$/, 'must be digits'), z.int()])), { x: 'b' }, 'x must be digits'],
    [one(z.email()), { x: 'b' }, 'x must be an e-mail address'],
    [one(z.ipv4()), { x: 'b' }, 'x must be an IPv4 address'],
    [one(z.iso.datetime()), { x: 'b' }, 'x must be a date and time such as 2026-01-31T12:30:00Z'],
    [one(z.string().startsWith('svc_')), { x: 'b' }, 'x must begin with svc_'],
    [one(z.string().endsWith('.')), { x: 'b' }, 'x must end with .'],
    [one(z.string().includes('@')), { x: 'b' }, 'x must hold @'],
    [one(z.nanoid()), { x: 'b' }, 'x must be of the form nanoid'],
  ],
  not_multiple_of: [[one(z.number().multipleOf(5)), { x: 7 }, 'x must be a multiple of 5']],
  unrecognized_keys: [
    [one(z.string()), { x: 'a', y: 1 }, 'y is not known here; known: x'],
    [
      one(z.strictObject({ a: z.int(), b: z.int() })),
      { x: { a: 1, b: 2, c: 3 } },
      'x.c is not known here; known: a, b',
    ],
    [z.strictObject({}), { y: 1 }, 'y is not known here; nothing is'],
  ],
  invalid_union: [
    [one(z.union([z.string(), z.int()])), {}, 'x is missing'],
    [one(z.union([z.string(), z.int()])), { x: true }, 'x must be text or a whole number'],
    [
      one(z.union([z.literal(''), z.strictObject({ a: z.int() })])),
      { x: { a: 'b' } },
      'x is not valid: a must be a whole number, not text',
    ],
    [one(z.discriminatedUnion('k', [z.object({ k: z.literal('a') })])), { x: { k: 'b' } }, 'x.k is of no known kind'],
  ],
  invalid_key: [
    [
      one(z.record(z.string().max(2), z.int())),
      { x: { abc: 1 } },
      'x.abc has a name that is not accepted: it must have at most 2 characters',
    ],
  ],
  invalid_element: [
    [
      one(z.map(z.object({}), z.int())),
      { x: new Map([[{}, 'a']]) },
      'x has an entry that is not accepted: it must be a whole number, not text',
    ],
  ],
  custom: [
    [one(z.string().refine(() => false)), { x: 'a' }, 'x is not valid'],
    [one(z.string().refine(() => false, 'must be nicer')), { x: 'a' }, 'x must be nicer'],
  ],
};

test.each(Object.entries(cases))('%s is told in words', (code, rows) => {
  for (const [schema, value, expected] of rows) {
    const { error } = schema.safeParse(value, { error: explainIssue });
    expect({ expected, code: error?.issues[0]?.code }).toEqual({ expected, code });
    expect(error && firstProblem(error, 'the body')).toBe(expected);
  }
});

const routes: readonly RouteDefinition<unknown>[] = Object.values(api).flatMap((table) => Object.values(table));
/** Words of the validator itself. Its sentences with "expected" also begin with one of these, and an alert may be "expected". */
const raw = /Invalid|received|Too (?:big|small)|Unrecognized|[<>]=|\bundefined\b/;

test.each([
  [z.string().max(3), 'four', { code: 'too_big', limit: 3, unit: 'characters' }],
  [z.string().min(3), 'no', { code: 'too_small', limit: 3, unit: 'characters' }],
  [z.array(z.int()).max(1), [1, 2], { code: 'too_big', limit: 1, unit: 'entries' }],
  [z.number().max(3), 4, { code: 'too_big', limit: 3, unit: null }],
])('a limit is told with its unit, for a page in another language: %#', (schema, value, problem) => {
  const { error } = schema.safeParse(value);
  expect(error && findProblem(error).problem).toEqual(problem);
});

test('an object with a length that cannot be compared is a problem as any other', () => {
  for (const length of [{ toString: 1 }, { valueOf: 1, toString: null }]) {
    const parse = () => parsePart('invalid_body', one(z.string().max(5)), { x: { length } });
    const details = { problem: { code: 'invalid_type', limit: null, unit: null } };
    const message = 'the body has an object with a length that is no number';
    expect(parse).toThrow(new AppError('invalid_body', message, { details }));
  }
});

/** What is no input of others: rows that were just made, batches that the Agent stored, the catalog in the package, variables with their own messages, replies. */
const ownData = [
  'src/agent/delivery/observations.ts',
  'src/agent/delivery/spool-files.ts',
  'src/hub/analyse/ai/pricing/catalog.ts',
  'src/kernel/http/bind-route.ts',
  'src/kernel/process/env.ts',
  'src/kernel/text/problem.ts',
];

test.each([new TypeError('another mistake'), new Error('Cannot convert object to primitive value')])(
  'an error of a schema that is no length of an object is not hidden: %s',
  (error) => {
    const schema = z.string().transform(() => {
      throw error;
    });
    expect(() => readInput(schema, 'x')).toThrow(error);
  },
);

test('every document of others is read by readInput', () => {
  const files = globSync('src/**/*.ts').filter((file) => readFileSync(file, 'utf8').includes('.safeParse('));
  expect(files.sort()).toEqual(ownData.toSorted());
});

test('no route of the API answers in the words of the validator', () => {
  const value = fc.oneof(fc.constant(undefined), fc.jsonValue({ maxDepth: 2 }), fc.constant('x'.repeat(5000)));
  for (const { path, body, query } of routes) {
    for (const [code, part] of [
      ['invalid_body', body],
      ['invalid_query', query],
    ] as const) {
      const names = fc.constantFrom(...Object.keys(part?.shape ?? {}), 'unknown');
      fc.assert(
        fc.property(fc.array(fc.tuple(names, value), { maxLength: 6 }), (members) => {
          // A member that is named by such words is named in the message.
          fc.pre(!raw.test(JSON.stringify(members)));
          try {
            parsePart(code, part, Object.fromEntries(members));
          } catch (error) {
            expect(error).toBeInstanceOf(AppError);
            expect({ path, message: (error as AppError).message.replaceAll(/"[^"]*"/g, '') }).not.toMatchObject({
              message: expect.stringMatching(raw),
            });
          }
        }),
        { numRuns: 60 },
      );
    }
  }
});
