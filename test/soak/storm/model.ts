// What the clients of a storm asked for and what they were answered, as far as it must be found again.
import { Register } from '../register.ts';

export interface RouterModel {
  id: string;
  exists: Register<boolean>;
  name: Register<string>;
  enabled: Register<boolean>;
  /** Port of the simulator it names. */
  port: Register<number>;
  /** Whether the stored password is the right one. */
  isRight: Register<boolean>;
}

export interface SessionModel {
  token: string;
  password: string;
  begunAt: number;
  endedAt: number;
  /** Its own logout. */
  active: Register<boolean>;
}

/** Every session, or every one but the caller's, was to end. */
export interface Sweep {
  begunAt: number;
  endedAt: number;
  /** The password that no longer opens sessions; null when only sessions were revoked. */
  oldPassword: string | null;
}

export interface Model {
  routers: Map<string, RouterModel>;
  /** Names of routers whose creation was never answered. */
  perhapsCreated: Set<string>;
  password: Register<string>;
  sessions: SessionModel[];
  sweeps: Sweep[];
  /** A revocation of all sessions was not acknowledged, and may have happened. */
  perhapsSwept: boolean;
  identities: Map<string, { token: string; active: Register<boolean> }>;
  /** By key: the id of a device, or an address. */
  notes: Map<string, Register<string>>;
  archived: Map<string, Register<boolean>>;
  /** By the device that is merged into another one. */
  merged: Map<string, Register<boolean>>;
  /** Settings by `section.field`. */
  settings: Map<string, Register<unknown>>;
}

export function createModel(password: string): Model {
  return {
    routers: new Map(),
    perhapsCreated: new Set(),
    password: new Register('the password', password),
    sessions: [],
    sweeps: [],
    perhapsSwept: false,
    identities: new Map(),
    notes: new Map(),
    archived: new Map(),
    merged: new Map(),
    settings: new Map(),
  };
}

/** The register of `key`, made with `initial` when there is none. */
export function findRegister<T>(map: Map<string, Register<T>>, what: string, key: string, initial: T): Register<T> {
  const known = map.get(key) ?? new Register<T>(`${what} ${key}`, initial);
  map.set(key, known);
  return known;
}
