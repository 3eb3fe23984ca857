let isWithout = false

/**
 * Declares that a test file has no answers of a Touchstone server to check. Without this a file with 0 checked answers fails;
 * with it, a file with any.
 * @param _reason why there are none
 */
export function checksNoAnswers(_reason: string): void {
  isWithout = true
}

/** Returns and resets the declaration of the current test file. */
export function takeNoAnswers(): boolean {
  const taken = isWithout
  isWithout = false
  return taken
}
