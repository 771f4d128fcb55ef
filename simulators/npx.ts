// The program behind `npx gatehouse-simulators`: what `gatehouse sim` is in the repository.
import { runSimulator } from './main.ts';

process.exitCode = await runSimulator(process.argv.slice(2), 'gatehouse-simulators');
