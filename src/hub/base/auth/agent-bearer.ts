// An Agent as authentication sees it: found by the bearer that it presents.
import type { Agent } from '#contract/agents.ts';

/** An Agent and its number in the database. */
export interface StoredAgent extends Agent {
  id: number;
}

export interface PresentedBearer {
  hash: string;
  /** Hash of the bearer that is valid: `hash` itself, or that of the one that replaced it and was not used yet. */
  current: string;
  /** Hash of the bearer before, while it still opens something. */
  before: string | null;
  /** Replaced so long ago that it opens the rotation alone. */
  rotatesOnly: boolean;
}

export interface FoundAgent {
  agent: StoredAgent;
  presented: PresentedBearer;
}

/** Finds Agents by their bearers. */
export interface AgentBearers {
  /** The active Agent of this bearer; null when there is none. */
  find(token: string): FoundAgent | null;
  /**
   * Stores that the Agent called, at most once a minute, and ends its former bearer when it uses the new one. Returns null
   * when nothing was due.
   */
  noteUse(found: FoundAgent): Promise<void> | null;
}
