// English of the reference of the API. What the API says of itself is English everywhere.
import type { Same } from '../en.ts';
import { many } from '../plural.ts';

export const en = {
  search: 'Find operations by path, word, permission or code',
  found: (count: number, shown: string) => `${shown} ${many(count, 'operation', 'operations')}`,
  none: 'No operation contains all of these words.',
  noSuch: 'This operation does not exist on this hub.',
  inFull: 'Show all details',
  listOnly: 'Show the list',
  file: 'OpenAPI document',
  credentials: 'Credentials (TOKEN in the examples)',
  who: 'Who can call it',
  rules: {
    open: () => 'Everybody, without a credential',
    'signed-in': () => 'Any valid credential',
    can: (permission: string) => `A credential with the permission ${permission}`,
    identity: (permission: string) => `An API identity with the permission ${permission}`,
    agent: () => 'An Agent',
  },
  credential: 'Credential',
  or: ', or ',
  id: 'Operation',
  parameters: 'Parameters',
  name: 'Name',
  type: 'Type',
  meaning: 'Meaning',
  required: 'required',
  notAlways: 'not always present',
  where: { path: 'in the path', query: 'in the query' },
  characters: (span: string) => `${span} characters`,
  entries: (span: string) => `${span} entries`,
  body: 'Body',
  fileBody: 'The body is the file itself.',
  noMembers: 'An object without members.',
  noBody: 'No body.',
  example: 'Example',
  answer: (status: string) => `Answer ${status}`,
  exampleAnswer: (status: string) => `Example of the answer ${status}`,
  refusals: 'Errors',
  status: 'Status',
  codes: 'Codes',
};

export type ReferenceDictionary = Same<typeof en>;
