// What routers cannot see of the traffic of a network, each statement once.
import type { Reply } from '../api/client.ts';
import { describeBlindSpots } from '../text/hub/words.ts';

type Subjects = Reply<'GET /api/coverage'>['subjects'];

export const listBlindSpots = (subjects: Subjects) => [...new Set(subjects.flatMap(describeBlindSpots))];

export function BlindSpots({ spots }: { spots: readonly string[] }) {
  return (
    <ul>
      {spots.map((spot) => (
        <li key={spot}>
          <bdi>{spot}</bdi>
        </li>
      ))}
    </ul>
  );
}
