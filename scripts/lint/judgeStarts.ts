import type { Start } from './findStarts.ts'

/** Which files may start something of their own, with a reason each, and how many at most. */
export type Rule = {
  readonly exceptions: Readonly<Record<string, string>>
  readonly mostEndToEnd: number
  readonly mostUnit: number
}

/**
 * Compares what push tests start with the rule.
 * @param starts what each push test starts, by its path
 * @returns a sentence for each violation
 */
export function judgeStarts(starts: ReadonlyMap<string, readonly Start[]>, rule: Rule): string[] {
  const { exceptions, mostEndToEnd, mostUnit } = rule
  const problems: string[] = []
  for (const [file, found] of starts) {
    if (Object.hasOwn(exceptions, file)) continue
    for (const { what, path } of found)
      problems.push(
        `${file} starts ${what} of its own (${path.slice(1).join(' > ')}); use what its worker shares, or name it *.release.test.ts`,
      )
  }
  for (const file of Object.keys(exceptions))
    if ((starts.get(file) ?? []).length === 0) problems.push(`${file} is an exception, but starts nothing`)
  const named = Object.keys(exceptions)
  const endToEnd = named.filter((file) => file.startsWith('e2e/')).length
  const limits = [
    ['end-to-end', endToEnd, mostEndToEnd],
    ['unit', named.length - endToEnd, mostUnit],
  ] as const
  for (const [kind, count, most] of limits)
    if (count > most) problems.push(`${count} ${kind} tests are exceptions; ${most} may be`)
  return problems
}
