// Faults that answer in place of the simulated service, as a table.

/** Faults with what each answers for its `value`, in the order in which they are looked for. */
export type FaultAnswers<Fault extends string, Answer, Context = undefined> = readonly (readonly [
  Fault,
  (value: number | string | undefined, context: Context) => Answer,
])[];

/** The answer of the first fault that is armed, of which it uses up one occasion; null when none is. */
export function answerFirst<Fault extends string, Answer, Context = undefined>(
  answers: FaultAnswers<Fault, Answer, Context>,
  take: (fault: Fault) => { value?: number | string } | null,
  context?: Context,
): Answer | null {
  for (const [fault, answer] of answers) {
    const armed = take(fault);
    if (armed) {
      return answer(armed.value, context as Context);
    }
  }
  return null;
}
