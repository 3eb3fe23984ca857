/** Time of the examples in the OpenAPI document. */
const ANCHOR = Date.parse('2026-01-31T12:00:00.000Z')
const STEP_MS = 20 * 60_000

/**
 * Shifts every timestamp in a value, so that the same events always have the same times. Times up to `anchorMs` keep
 * their distance from it. Later ones, which depend on the machine's speed, are rounded down to steps of 20 minutes.
 */
export function settleTimes(value: unknown, anchorMs: number): unknown {
  const text = JSON.stringify(value).replace(/"(\d{4}-\d\d-\d\dT[\d:.]+Z)"/g, (_, time: string) => {
    const after = Date.parse(time) - anchorMs
    const kept = after <= 0 ? after : Math.floor(after / STEP_MS) * STEP_MS
    return `"${new Date(ANCHOR + kept).toISOString()}"`
  })
  return JSON.parse(text)
}
