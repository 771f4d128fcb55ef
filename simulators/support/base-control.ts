// The half of a control surface that is the same in nearly every simulator: its journal, and its faults.
import type { ArmedFaults } from './armed-faults.ts';
import type { Journal } from './journal.ts';
import type { Control, FaultOptions } from './simulator.ts';

/** `requireOptions` throws, naming the fault, when its options cannot be meant; it is not armed then. */
export function baseControl<Fault extends string>(
  faults: ArmedFaults<Fault>,
  journal: Journal,
  requireOptions: (fault: Fault, options: FaultOptions) => void = () => undefined,
): Pick<Control<Fault>, 'journal' | 'clearJournal' | 'fail' | 'clearFaults'> {
  return {
    journal: journal.entries,
    clearJournal: journal.clear,
    fail(fault, options = {}) {
      requireOptions(fault, options);
      journal.add('fault-armed', { fault, ...options });
      faults.arm(fault, options);
    },
    clearFaults: faults.clear,
  };
}
