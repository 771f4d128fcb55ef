// The control surface of the simulated UPS: what a test or an operator can ask it and do to it.
import { z } from 'zod';
import { AppError } from '#kernel/errors.ts';
import { post, put } from '#kernel/http/declare-route.ts';
import { pickDefined } from '../support/change.ts';
import { acknowledge, type ControlRoutes, done, mountControl } from '../support/control-server.ts';
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

const pagePath = z.string().startsWith('/').max(200);

const routes = {
  script: post('/script', 'open', {
    summary: 'Changes measurements as time passes, from now on: steps, or the scenario `outage`.',
    body: z
      .object({
        scenario: z.literal('outage').optional(),
        steps: z
          .array(z.object({ afterMs: z.int().min(0), values: valuesSchema }).strict())
          .max(1000)
          .optional(),
      })
      .strict(),
    reply: { 201: z.object({ stepsLeft: z.number() }) },
  }),
  logOnElsewhere: post('/logons', 'open', {
    summary: 'Somebody logs on at another browser, throwing out who is logged on.',
    reply: { 201: done },
  }),
  setPage: put('/pages', 'open', {
    summary: 'The page at `path` is this one from now on, with live form token; `body` null: as it was.',
    body: z
      .object({
        path: pagePath,
        body: z.string().nullable(),
        status: z.int().min(200).max(599).optional(),
        contentType: z.string().max(200).optional(),
      })
      .strict(),
    reply: { 200: done },
  }),
};

export function upsControlRoutes(control: UpsControl): ControlRoutes {
  return mountControl(routes, {
    script: ({ body: { scenario, steps } }) => {
      const script = scenario ?? steps;
      if (script === undefined || (scenario !== undefined && steps !== undefined)) {
        throw new AppError('invalid_body', 'a script is either `scenario` or `steps`');
      }
      control.play(script);
      return { stepsLeft: Number(control.state().stepsLeft) };
    },
    logOnElsewhere: () => acknowledge(control.logOnElsewhere),
    setPage: ({ body: { path, body, status, contentType } }) =>
      acknowledge(() =>
        control.setPage(path, body === null ? null : { body, ...pickDefined({ status, contentType }) }),
      ),
  });
}
