// What is said of an answer with another status than is due.
import type { Answer } from '../target.ts';

export function statusIs(answer: Answer, status: number): string[] {
  return answer.status === status ? [] : [`it answers ${answer.status}`];
}
