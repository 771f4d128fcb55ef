// What authentication needs to know of Agents: it finds them by the bearer that they present.
import type { Agent } from '#contract/agents.ts';

/** An Agent and its number in the database. */
export interface StoredAgent extends Agent {
  id: number;
}

export interface PresentedBearer {
  hash: string;
  /** Hash of the valid bearer: `hash`, or the one that replaced it and was not used yet. */
  current: string;
  /** Hash of the previous bearer, while it is still accepted. */
  before: string | null;
  /** Replaced so long ago that only the rotation accepts it. */
  rotatesOnly: boolean;
}

export interface FoundAgent {
  agent: StoredAgent;
  presented: PresentedBearer;
}

export interface AgentBearers {
  /** The active Agent of this bearer; null when there is none. */
  find(token: string): FoundAgent | null;
  /**
   * Stores that the Agent called, at most once a minute. Ends the previous bearer when the Agent uses the new one. Returns
   * null when there is nothing to store.
   */
  noteUse(found: FoundAgent): Promise<void> | null;
}
