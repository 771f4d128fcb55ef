// What one entry of the requirement manifest is, and how a section of a specification is written down.

/**
 * Number of the part of the specification (docs/reference/specification.md): 0 shape of the repository, 1 REST API,
 * 2 MCP server, 3 UPS reader.
 */
export type Spec = 0 | 1 | 2 | 3;

/** Who proves what is not proved yet. An area disappears from the manifest when its last `planned` does. */
export type Area =
  | 'connections'
  | 'devices'
  | 'settings'
  | 'enrichment'
  | 'ai'
  | 'mcp'
  | 'gate'
  | 'web'
  | 'mqtt'
  | 'package';

/** One row or sentence of a specification that says what the system does. */
export interface Requirement {
  /** Slug `area.subject.behaviour`; the first segment is one of {@link idPattern}. */
  id: string;
  spec: Spec;
  /** Number of the section and, where it has several tables, the table; several sections when it is said twice. */
  section: string;
  /** The sentence in our own short words, its numbers exact. */
  says: string;
  /** Set while no test proves it: the area whose work will. Absent: a test must cite the id. */
  planned?: Area;
}

/** Three lower-case segments, words joined by hyphens. */
export const idPattern = /^(?:rest|mcp|gate|ups|card|sim)(?:\.[a-z0-9]+(?:-[a-z0-9]+)*){2}$/;

/** Sentences keyed by id. */
type Sentences = Readonly<Record<string, string>>;

/** Requirements of one section that a test must cite. */
export function stated(spec: Spec, section: string, sentences: Sentences): Requirement[] {
  return Object.entries(sentences).map(([id, says]) => ({ id, spec, section, says }));
}

/** Requirements of one section that wait for the work of `area`. */
export function planned(area: Area, spec: Spec, section: string, sentences: Sentences): Requirement[] {
  return Object.entries(sentences).map(([id, says]) => ({ id, spec, section, says, planned: area }));
}
