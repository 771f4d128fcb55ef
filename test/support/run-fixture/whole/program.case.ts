import { withPrograms } from '../../real-programs.ts';
import { verifies } from '../../verifies.ts';

withPrograms('nothing', ['no-such-program'], () => {
  verifies('card.packages.tsx', 'needs a program', () => {});
});
