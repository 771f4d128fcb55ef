// The prompts of an analysis and of a conversation: the facts between two lines, the rest around them.
import { limits } from '#contract/limits.ts';
import type { Context } from '../../insights/context-shape.ts';
import { countPromptBytes, type Prompt, type Turn } from '../prompt.ts';
import { buildSystemText, type Language } from './system-text.ts';

/** A question of a conversation and its answer. */
export interface PastTurn {
  question: string;
  answer: string;
}

export interface ChatQuestion {
  language: Language;
  /** In order; the last `limits.aiTurns` at most are sent. */
  history: readonly PastTurn[];
  message: string;
  /** The analysis that the conversation is about; cut when it does not fit. */
  priorAnalysis?: string | undefined;
}

const analysisTask = 'Explain this period.';

/** The facts as they stand in a prompt: JSON in one line, so that no text of them makes a line of its own. */
export function formatFacts(context: Context): string {
  return JSON.stringify(context);
}

/** At most `limits.aiPromptBytes` as `countPromptBytes`, of a context that `buildContext` made. */
export function buildAnalysisPrompt(context: Context, { language }: Pick<ChatQuestion, 'language'>): Prompt {
  return { system: buildSystemText(language), turns: [{ role: 'user', text: withFacts(context, analysisTask) }] };
}

/**
 * At most `limits.aiPromptBytes`, of such a context and a message of at most `limits.aiMessage` characters: the oldest turns
 * are left out first, then the analysis is cut.
 */
export function buildChatPrompt(context: Context, question: ChatQuestion): Prompt {
  const prior = question.priorAnalysis ?? '';
  const turns = question.history.slice(-limits.aiTurns);
  const build = (past: readonly PastTurn[], analysis: string) =>
    toChatPrompt(context, { ...question, history: past, priorAnalysis: analysis });
  for (let first = 0; first < turns.length; first += 1) {
    const prompt = build(turns.slice(first), prior);
    if (countPromptBytes(prompt) <= limits.aiPromptBytes) {
      return prompt;
    }
  }
  const whole = build([], prior);
  const excess = countPromptBytes(whole) - limits.aiPromptBytes;
  return excess <= 0 ? whole : build([], cutBytes(escapeFactsMarks(prior), excess));
}

function toChatPrompt(context: Context, { language, history, message, priorAnalysis }: ChatQuestion): Prompt {
  const past = [...(priorAnalysis ? [{ question: analysisTask, answer: priorAnalysis }] : []), ...history];
  const pastTurns = past.flatMap(({ question, answer }): Turn[] => [
    { role: 'user', text: escapeFactsMarks(question) },
    { role: 'assistant', text: escapeFactsMarks(answer) },
  ]);
  const [first, ...rest] = [...pastTurns, { role: 'user' as const, text: escapeFactsMarks(message) }];
  return {
    system: buildSystemText(language),
    turns: [{ role: 'user', text: withFacts(context, first?.text ?? '') }, ...rest],
  };
}

function withFacts(context: Context, task: string): string {
  return `<facts>\n${formatFacts(context)}\n</facts>\n\n${task}`;
}

/** Replaces the marks of the facts in other texts: none of them can pass as facts. */
function escapeFactsMarks(text: string): string {
  return text.toWellFormed().replace(/<(\/?)facts>/gi, '‹$1facts›');
}

/** Without at least `excess` bytes at its end; whole characters. */
function cutBytes(text: string, excess: number): string {
  const bytes = new TextEncoder().encode(text);
  const kept = bytes.subarray(0, Math.max(0, bytes.length - excess));
  return new TextDecoder().decode(kept).replace(/\ufffd+$/, '');
}
