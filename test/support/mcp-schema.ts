// Whether a message is one of MCP: against the official JSON Schema of its protocol revision.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv, addFormats } from '@modelcontextprotocol/client/validators/ajv';
import { root } from './program.ts';

export type Era = '2025-11-25' | '2026-07-28';

/** The revision that a request names; before 2026-07-28 none did. Pure. */
export function findEra(request: unknown, header?: string): Era {
  const { params } = (request ?? {}) as { params?: { _meta?: Record<string, unknown> } };
  const version = params?._meta?.['io.modelcontextprotocol/protocolVersion'] ?? header;
  return version === '2026-07-28' ? version : '2025-11-25';
}

type Schema = Record<string, unknown> & {
  properties?: Record<string, { const?: unknown; allOf?: { properties?: { code?: { const?: unknown } } }[] }>;
};

interface Definitions {
  /** What is wrong with `value` as `name` of the schema; empty when nothing is. */
  faults(name: string, value: unknown): string[];
  /** Names of definitions: by method of a request or notification, and by code of an error. */
  readonly byMethod: ReadonlyMap<unknown, string>;
  readonly byCode: ReadonlyMap<unknown, string>;
  has(name: string): boolean;
}

const loaded = new Map<Era, Definitions>();

/** `request`: the method that a result answers; its shape is not known without. Empty when the message is right. */
export function mcpFaults(era: Era, message: unknown, request?: string): string[] {
  const schema = loaded.get(era) ?? load(era);
  loaded.set(era, schema);
  const { method, id, error, result } = (message ?? {}) as Record<string, unknown>;
  if (typeof method === 'string') {
    return schema.faults(
      schema.byMethod.get(method) ?? (id === undefined ? 'JSONRPCNotification' : 'JSONRPCRequest'),
      message,
    );
  }
  if (error !== undefined) {
    const { code } = (error ?? {}) as { code?: unknown };
    return schema.faults(schema.byCode.get(code) ?? 'JSONRPCErrorResponse', message);
  }
  if (result === undefined) {
    return ['is no request, notification or response of JSON-RPC'];
  }
  const envelope = schema.faults('JSONRPCResultResponse', message);
  const { resultType } = result as { resultType?: unknown };
  const name = resultType === 'input_required' ? 'InputRequiredResult' : findResultType(schema, request);
  return envelope.length > 0 || name === undefined
    ? envelope
    : schema.faults(name, result).map((fault) => `result${fault}`);
}

/** `ListToolsRequest` is answered by `ListToolsResult`; what has no result of its own by an empty one. */
function findResultType(schema: Definitions, method: string | undefined): string | undefined {
  const name = schema.byMethod.get(method)?.replace(/Request$/, 'Result');
  return name !== undefined && schema.has(name) ? name : undefined;
}

function load(era: Era): Definitions {
  const file = path.join(root, 'fixtures/mcp', `${era}.schema.json`);
  const schema = JSON.parse(readFileSync(file, 'utf8')) as { $defs: Record<string, Schema> };
  const ajv = new Ajv({ strict: false, allErrors: true, validateSchema: false });
  addFormats(ajv);
  // Bytes in base64, which the set of formats does not have.
  ajv.addFormat('byte', true);
  ajv.addSchema(schema, era);
  const names = Object.keys(schema.$defs);
  const byMethod = new Map(names.map((name) => [schema.$defs[name]?.properties?.method?.const, name]));
  const byCode = new Map(
    names.map((name) => {
      const parts = schema.$defs[name]?.properties?.error?.allOf ?? [];
      return [parts.map(({ properties }) => properties?.code?.const).find((code) => code !== undefined), name];
    }),
  );
  byMethod.delete(undefined);
  byCode.delete(undefined);
  return {
    byMethod,
    byCode,
    has: (name) => Object.hasOwn(schema.$defs, name),
    faults(name, value) {
      const validate = ajv.getSchema(`${era}#/$defs/${name}`);
      if (!validate) {
        throw new Error(`the schema of ${era} has no ${name}`);
      }
      validate(value);
      return (validate.errors ?? []).map(
        ({ instancePath, message, params }) =>
          `${instancePath} ${message} ${JSON.stringify(params)} (${name} of ${era})`,
      );
    },
  };
}
