// What a form can set: one field for each member of the body that saves it. scripts/form-schemas.ts makes these of the contract.

export type LeafSchema =
  | { is: 'switch' | 'lines' | 'secret' | 'text' }
  /** A member that deletes a stored secret, as `clearToken` does for `token`. */
  | { is: 'clear' }
  | { is: 'number'; min?: number; max?: number; isWhole: boolean }
  | { is: 'choice'; values: readonly (string | number)[] };

export type FieldSchema = LeafSchema | GroupSchema;

export interface GroupSchema {
  is: 'group';
  fields: Readonly<Record<string, FieldSchema>>;
}

/** The routes that save what a form made of its schema shows. */
export type FormRoute =
  | 'POST /api/auth/security-config'
  | 'POST /api/backup/config'
  | 'POST /api/beacons/config'
  | 'POST /api/config/chat'
  | 'POST /api/config/datasources'
  | 'POST /api/config/detection-notifications'
  | 'POST /api/config/enrichment'
  | 'POST /api/config/general'
  | 'POST /api/config/threat-feeds'
  | 'POST /api/login';
