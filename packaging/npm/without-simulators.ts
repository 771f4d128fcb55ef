// Stands where the simulators are in the repository: the npm package has none, as they need packages for development.

/** Says where they run; resolves to the exit code. */
export async function runSimulator(): Promise<number> {
  process.stderr.write(
    'gatehouse sim: the simulators are not in the npm package, because they need packages for development: clone the repository, and run "node bin/gatehouse.js sim" there (or "npm run demo": hub and simulators together)\n',
  );
  return 1;
}
