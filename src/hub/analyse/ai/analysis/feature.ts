// Analyses as a feature: previews, the analysis of a period, and `compose`, with which other features make their requests.
import type { Base, Feature, RouteHandlers } from '../../../base/feature.ts';
import type { Contexts } from '../../insights/contexts.ts';
import { createDraftWriter, type DraftWriter } from '../drafts/writer.ts';
import type { Generations } from '../generations.ts';
import type { PriceList } from '../pricing/price.ts';
import { type AnalysisRoutes, createAnalysisHandlers, type ReadHistory } from './handlers.ts';
import { createPreviews } from './previews.ts';
import { createQuestions, type Questions } from './questions.ts';

interface Peers {
  contexts: Contexts;
  generations: Generations;
  prices: PriceList;
  readHistory: ReadHistory;
}

export interface AnalysisFeature extends Feature<{ ai: RouteHandlers<'ai', AnalysisRoutes> }> {
  readonly compose: Questions['compose'];
  readonly draftWriter: DraftWriter;
}

/** Sends nothing by itself. */
export function startAnalysisFeature({ clock, settings }: Base, { contexts, ...peers }: Peers): AnalysisFeature {
  const previews = createPreviews(clock);
  const language = () => settings.current().general.language;
  const questions = createQuestions({ contexts, previews, defaultLanguage: language });
  const shared = { ...peers, questions, previews, now: clock.now, settings: () => settings.current().ai };
  return {
    compose: questions.compose,
    draftWriter: createDraftWriter({ ...shared, language }),
    handlers: { ai: createAnalysisHandlers({ ...shared, checkPeriod: contexts.resolvePeriod }) },
  };
}
