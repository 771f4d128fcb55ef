// What a simulator holds at the end of a scenario, for the journal: nothing of it depends on ports or on the wall clock.
import { createHash } from 'node:crypto';
import type { BrokerControl } from '../mqtt/control.ts';
import type { RouterControl } from '../router/control.ts';
import type { Control } from '../support/simulator.ts';
import type { UpsControl } from '../ups/control.ts';

/** The digest is that of the whole NAT table with the instants of its entries. */
export function describeEnd(kind: string, control: Control<string>): Readonly<Record<string, unknown>> {
  switch (kind) {
    case 'vendor_a':
    case 'vendor_b': {
      const router = control as unknown as RouterControl;
      const truth = router.truth();
      const digest = createHash('sha256').update(JSON.stringify(truth)).digest('hex');
      const { refused } = router.state();
      return { sessions: truth.length, refused, violations: router.violations.length, table: digest };
    }
    case 'ups':
      return { values: (control as unknown as UpsControl).values };
    case 'mqtt':
      return { messages: (control as unknown as BrokerControl).messages.length };
    case 'feeds':
      return { rows: control.state().rows };
    default:
      return {};
  }
}
