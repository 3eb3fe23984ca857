/** One line for the operator. */
export type OnLine = (line: string) => void

/** Interval of progress lines. */
const EVERY_MS = 5000

/** Creates a counter of work done that says how far it got every 5 s, as `name: 1.2 of 5.1 GB`. */
export function showProgress(name: string, total: number, unit: 'bytes' | 'parts', onLine: OnLine) {
  let done = 0
  let shownAt = performance.now()
  const show = unit === 'bytes' ? describeBytes(total) : (amount: number) => `${amount}`
  return (amount: number): void => {
    done += amount
    if (performance.now() - shownAt < EVERY_MS) return
    shownAt = performance.now()
    onLine(`${name}: ${show(done)} of ${show(total)}${unit === 'bytes' ? '' : ' parts'}`)
  }
}

function describeBytes(total: number): (bytes: number) => string {
  const [unit, size] = total < 1e9 ? (['MB', 1e6] as const) : (['GB', 1e9] as const)
  return (bytes) => `${(bytes / size).toFixed(1)} ${unit}`
}
