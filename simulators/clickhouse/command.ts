// `gatehouse sim clickhouse`.
import { type SimulatorCommand, serveControl } from '../command.ts';
import { startClickHouse } from './clickhouse.ts';
import { clickHouseFaults, requireFaultOptions } from './faults.ts';

export const clickHouseCommand: SimulatorCommand = {
  kind: 'clickhouse',
  ports: { port: 8123, control: 2942 },
  help: {
    title: 'Server of ClickHouse',
    more: '  It keeps the rows of inserts in memory and knows the questions of the sink alone.\n',
  },
  options: {},
  faults: clickHouseFaults,
  checkFault: requireFaultOptions,
  plan() {
    return async (starting) => {
      const server = starting.stack.use(await startClickHouse(starting.options));
      const control = await serveControl(starting, { title: 'Simulated ClickHouse', control: server });
      const { writer, reader } = server.settings;
      return { url: server.url.origin, control, writer, reader };
    };
  },
};
