// Takes out of journal entries what a hub chooses at random or by its own clock, so that a seed gives the same journal again.
type Details = Readonly<Record<string, unknown>>;

/** Returns the details of an Agent's entry that a second run repeats; null for an entry that it may not have. */
export function omitHubChoices(event: string, { agentId: _agentId, ack, ...details }: Details): Details | null {
  if (event === 'claimed' && details.answer === 'pending') {
    return null;
  }
  if (typeof ack !== 'object' || ack === null) {
    return ack === undefined ? details : { ...details, ack };
  }
  const { receivedAt: _receivedAt, ...counts } = ack as Details;
  return { ...details, ack: counts };
}
