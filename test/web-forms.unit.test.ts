// Forms made from schemas: which field each member gets, and what the fields send.
import { expect, test } from 'vitest';
import { z } from 'zod';
import { createFormSchemas, toGroup } from '../scripts/form-schemas.ts';
import { listLabels, pickFields, readFields, toSetName } from '../src/web/settings/form/read-fields.ts';

const body = z.strictObject({
  enabled: z.boolean().optional(),
  minutes: z.number().gt(0).max(60).optional(),
  least: z.int().gt(1).optional(),
  waitMs: z.int().min(1000).max(60_000),
  days: z.union([z.int().meta({ enum: [7, 30] }), z.string()]),
  level: z.enum(['warn', 'danger']).optional(),
  names: z.array(z.string()).max(3).optional(),
  service: z
    .strictObject({
      url: z.string().max(10),
      token: z.string().meta({ format: 'password' }).optional(),
      clearToken: z.literal(true).optional(),
    })
    .optional(),
});
const group = toGroup(body);

test('each member gets the field of its schema, with its bounds and values', () => {
  expect(group.fields).toEqual({
    enabled: { is: 'switch' },
    minutes: { is: 'number', max: 60, isWhole: false },
    least: { is: 'number', min: 2, isWhole: true },
    waitMs: { is: 'number', min: 1000, max: 60_000, isWhole: true },
    days: { is: 'choice', values: [7, 30] },
    level: { is: 'choice', values: ['warn', 'danger'] },
    names: { is: 'lines' },
    service: { is: 'group', fields: { url: { is: 'text' }, token: { is: 'secret' }, clearToken: { is: 'clear' } } },
  });
  expect(() => toGroup(z.object({ when: z.null() }))).toThrow('when is null: no form has a field for it');
});

test('what the fields say is a body that the schema takes: units are those of the hub, empty secrets stay out', () => {
  const form = new FormData();
  const typed = {
    minutes: '2.5',
    least: '2',
    waitMs: '1.5',
    days: '30',
    level: 'danger',
    names: ' a \n\nb',
    'service.url': ' x ',
  };
  for (const [name, value] of Object.entries({ ...typed, 'service.token': '', enabled: 'on' })) {
    form.set(name, value);
  }
  const read = () => readFields(group, form, { waitMs: 1000 });
  const expected = {
    ...{ enabled: true, minutes: 2.5, least: 2, waitMs: 1500, days: 30, level: 'danger', names: ['a', 'b'] },
    service: { url: 'x' },
  };
  expect(read()).toEqual(expected);
  expect(body.parse(read())).toEqual(expected);
  form.delete('enabled');
  form.set('service.token', ' secret ');
  form.set('service.clearToken', 'on');
  expect(read()).toMatchObject({ enabled: false, service: { token: ' secret ', clearToken: true } });
});

test('a form may show some of the members, in another order', () => {
  expect(Object.keys(pickFields(group, ['names', 'enabled']).fields)).toEqual(['names', 'enabled']);
});

test('labels are those of the fields, behind the title of their group; a group without one is none', () => {
  const words = {
    days: 'Days',
    level: 'Level',
    service: { title: 'Service', url: 'Address', token: 'Token', clearToken: '' },
  };
  const some = pickFields(group, ['days', 'level', 'service']);
  expect(listLabels(some, words)).toEqual(['Days', 'Level', 'Service', 'Service: Address', 'Service: Token']);
  expect(listLabels(pickFields(group, ['service']), { service: { ...words.service, title: '' } })).toEqual([
    'Address',
    'Token',
  ]);
});

test('whether a secret is stored has the name of the secret', () => {
  expect(['token', 'clearToken', 'clearAuthKey', 'clear'].map(toSetName)).toEqual([
    ...['tokenSet', 'tokenSet', 'authKeySet', 'clearSet'],
  ]);
});

test('every form of the settings has a field for each member of its route', () => {
  const forms = createFormSchemas();
  expect(Object.keys(forms)).toHaveLength(10);
  expect(forms['POST /api/config/general'].fields).toMatchObject({
    retentionDays: { is: 'choice', values: [7, 30, 90, 180, 365, 730] },
  });
  expect(forms['POST /api/login'].fields).toEqual({
    ...{ routerIp: { is: 'text' }, username: { is: 'text' }, password: { is: 'secret' } },
  });
});
