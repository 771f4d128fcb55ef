// An evidence file in which every item fails, to be filled by collectors and by hand.
import type { Profile } from './context.ts';
import { items } from './items.ts';

/** Initial values: valid in form, never passing. */
const values: Readonly<Record<string, unknown>> = {
  mode: '',
  tokenJti: '',
  accessTokenLifetimeSeconds: 0,
  clientAProtocolVersion: '',
  clientBProtocolVersion: '',
  clientBStatus: '',
  legacyProtocolVersion: '',
  issuer: '',
  resource: '',
  pkceMethod: '',
  inspectorVersion: '',
  clientAVersion: '',
  clientBVersion: '',
  clientBCallbackStatus: '',
};

/** Without `commit`, its member stays empty. */
export function evidenceTemplate(profile: Profile, commit = ''): Record<string, unknown> {
  const required = items.filter(({ requiredBy }) => requiredBy.includes(profile));
  const of = (name: string) => (Object.hasOwn(values, name) ? values[name] : false);
  const blocks = required.map(({ name, fields }) => [
    name,
    {
      passed: false,
      testedAt: '',
      commit,
      ...Object.fromEntries(Object.keys(fields).map((field) => [field, of(field)])),
    },
  ]);
  return { schemaVersion: 3, deployedCommit: commit, publishDns: false, ...Object.fromEntries(blocks) };
}
