/** The step to which a duration is rounded when it is shown: one second, one minute or a tenth of an hour. */
export function shownStepMs(ms: number): number {
  const seconds = Math.round(ms / 1000);
  return seconds < 120 ? 1000 : seconds < 7200 ? 60_000 : 360_000;
}
