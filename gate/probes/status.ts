// The reason for a response with an unexpected status.
import type { Answer } from '../target.ts';

export function findStatusFault(answer: Answer, status: number): string[] {
  return answer.status === status ? [] : [`it answers ${answer.status}`];
}
