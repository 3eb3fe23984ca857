let isWithout = false

/**
 * Says that a test file has no answers of a Touchstone server to check. Without this a file with 0 checked answers fails;
 * with it, a file with any.
 * @param _reason why there are none
 */
export function checksNoAnswers(_reason: string): void {
  isWithout = true
}

/** Returns whether the current test file said so, and forgets it for the next file of this thread. */
export function takeNoAnswers(): boolean {
  const taken = isWithout
  isWithout = false
  return taken
}
