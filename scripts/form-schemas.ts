// The fields of the forms of the settings, made of the schemas of the routes that save them: the page holds no schema.
import type { z } from 'zod';
import { authRoutes } from '../src/contract/auth.ts';
import { backupRoutes } from '../src/contract/backup.ts';
import { beaconRoutes } from '../src/contract/beacons.ts';
import { chatRoutes } from '../src/contract/chat.ts';
import { configRoutes } from '../src/contract/config.ts';
import { detectionRoutes } from '../src/contract/detection.ts';
import { routerRoutes } from '../src/contract/routers.ts';
import { threatRoutes } from '../src/contract/threat.ts';
import { jsonSchema } from '../src/kernel/http/describe-schema.ts';
import { type JsonSchema, listTypes } from '../src/kernel/http/json-schema.ts';
import type { FieldSchema, FormRoute, GroupSchema } from '../src/web/settings/form/field-schema.ts';

/** Of the older set-up, the mesh access point alone: routers have a form of their own. */
const meshSetUp = {
  ...routerRoutes.setUp,
  body: routerRoutes.setUp.body.pick({ routerIp: true, username: true, password: true }),
};

const routes = [
  authRoutes.saveSecurityConfig,
  backupRoutes.config,
  beaconRoutes.saveConfig,
  chatRoutes.saveConfig,
  configRoutes.saveDataSources,
  configRoutes.saveGeneral,
  configRoutes.saveLookups,
  detectionRoutes.saveConfig,
  meshSetUp,
  threatRoutes.saveFeedsConfig,
] as const;

export function createFormSchemas(): Record<FormRoute, GroupSchema> {
  const entries = routes.map(({ method, path, body }) => [`${method} ${path}` satisfies FormRoute, toGroup(body)]);
  return Object.fromEntries(entries) as Record<FormRoute, GroupSchema>;
}

/** The fields of a form that sends `body`. Throws for a member that no field can hold. */
export function toGroup(body: z.ZodType): GroupSchema {
  return groupOf(jsonSchema(body, 'input'));
}

function groupOf({ properties = {} }: JsonSchema): GroupSchema {
  const fields = Object.entries(properties).map(([name, schema]) => [name, toField(name, schema)] as const);
  return { is: 'group', fields: Object.fromEntries(fields) };
}

function toField(name: string, schema: JsonSchema): FieldSchema {
  // A member that takes a number or its text has the number as its first alternative.
  const [first] = schema.anyOf ?? [];
  if (first) {
    return toField(name, first);
  }
  if (schema.const === true) {
    return { is: 'clear' };
  }
  if (schema.enum) {
    return { is: 'choice', values: schema.enum as (string | number)[] };
  }
  const [type] = listTypes(schema);
  switch (type) {
    case 'object':
      return groupOf(schema);
    case 'boolean':
      return { is: 'switch' };
    case 'array':
      return { is: 'lines' };
    case 'string':
      return { is: schema.format === 'password' ? 'secret' : 'text' };
    case 'integer':
    case 'number':
      return toNumber(schema, type === 'integer');
    default:
      throw new Error(`${name} is ${type}: no form has a field for it`);
  }
}

function toNumber({ minimum, exclusiveMinimum, maximum }: JsonSchema, isWhole: boolean): FieldSchema {
  const min = minimum ?? (isWhole && exclusiveMinimum !== undefined ? exclusiveMinimum + 1 : undefined);
  return {
    is: 'number',
    ...(min === undefined ? {} : { min }),
    ...(maximum === undefined ? {} : { max: maximum }),
    isWhole,
  };
}
