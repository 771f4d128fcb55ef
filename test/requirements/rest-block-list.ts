// REST API: the block list, as the wire contract has it (docs/reference/wire-contract/4-endpoints.md#block-list).
import { type Requirement, stated } from './requirement.ts';

export const restBlockList: readonly Requirement[] = stated(1, '4.9 Block list', {
  'rest.blocklist.confirmed':
    'the block list has what an acknowledged alert of a threat names, while a feed lists it and nothing keeps it quiet',
  'rest.blocklist.added': 'people add and remove addresses, networks and names, each with a note and who added it when',
  'rest.blocklist.refused':
    'what would cut the network off, what cannot be blocked and what the allow list has is refused, and never given out',
  'rest.blocklist.etag': 'the list has a strong ETag by its content, and If-None-Match is answered with 304',
  'rest.blocklist.formats': 'the list is the same text for the same entries, in five formats with comments',
  'rest.blocklist.rpz': 'a real resolver loads the zone and blocks a listed name and answers with a listed address',
  'rest.blocklist.routers': 'routers understand each line of the Yamaha and Cisco lists',
});
