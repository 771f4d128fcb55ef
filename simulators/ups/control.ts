// The control surface of the simulated UPS: what a test or an operator can ask it and do to it.
import { z } from 'zod';
import type { Control } from '../support/simulator.ts';
import type { UpsFault } from './faults.ts';
import type { Step } from './readings.ts';
import { settingsSchema, type UpsSettings } from './settings.ts';
import { type Values, type ValuesChange, valuesSchema } from './values.ts';

/** A page that stands instead of what the web UI would write; `null` as a body takes it away again. */
export interface FixedPage {
  body: string;
  /** 200 when absent. */
  status?: number;
  contentType?: string;
  /** Name of the encoding it is sent in; UTF-8 when absent. */
  characters?: string;
}

export interface UpsControl extends Control<UpsFault> {
  readonly settings: Readonly<UpsSettings>;
  /** What it measures now. */
  readonly values: Readonly<Values>;
  /** Sets measurements for good; a script that runs ends. */
  set(change: ValuesChange): void;
  /** Changes measurements as time passes, from now on. */
  play(script: 'outage' | readonly Step[]): void;
  /** Somebody logs on at another browser, throwing out who is logged on, and stays until logged off. */
  logOnElsewhere(): void;
  /** The page at a path is this one from now on, with live form token and session; null: as it was. */
  setPage(path: string, page: FixedPage | null): void;
}

export const patchSchema = z
  .object({ ...settingsSchema.shape, values: valuesSchema })
  .partial()
  .strict();
