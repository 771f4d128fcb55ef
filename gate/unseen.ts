// What no run of the gate can find, so that nobody takes a passing report for more than it is.

export const unseen: readonly string[] = [
  'a sentence that a person attests and that is not true: the report shows the name of who said it',
  'a release that says it is the deployed commit and is another program: the gate compares what the endpoint says',
  'a change made after the run: settings, certificates, routes and releases are judged as they were at that minute',
  'what a hub or an endpoint does for other tokens, addresses or times than those of the probes',
  'an authorization server that is honest to the gate and not to others, or that is broken into',
  'weak passwords, lost devices and consent given by mistake at the authorization server',
  'ports and addresses that no collector was given, and ways in that do not lead over the network',
  'who reads the data of the hub on its own machine: files, backups and the memory of its processes',
];
