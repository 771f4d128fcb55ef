// English of the reference of the API. What the API says of itself is English everywhere.
import type { Same } from '../en.ts';
import { many } from '../plural.ts';

export const en = {
  search: 'Find operations by path, word, permission or code',
  found: (count: number, shown: string) => `${shown} ${many(count, 'operation', 'operations')}`,
  none: 'No operation has all of these words.',
  noSuch: 'This hub has no such operation.',
  inFull: 'Show all in full',
  listOnly: 'Show the list',
  file: 'OpenAPI document',
  credentials: 'Credentials, which TOKEN stands for in the examples',
  who: 'Who may',
  rules: {
    open: () => 'Anybody, without a credential',
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
  notAlways: 'not always there',
  where: { path: 'in the path', query: 'in the query' },
  characters: (span: string) => `${span} characters`,
  entries: (span: string) => `${span} entries`,
  body: 'Body',
  fileBody: 'The body is the file itself.',
  noMembers: 'An object without members.',
  noBody: 'Without a body.',
  example: 'Example',
  answer: (status: string) => `Answer ${status}`,
  exampleAnswer: (status: string) => `Example of the answer ${status}`,
  refusals: 'Refusals',
  status: 'Status',
  codes: 'Codes',
};

export type ReferenceDictionary = Same<typeof en>;
