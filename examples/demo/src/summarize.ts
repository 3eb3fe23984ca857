import type { DemoResult } from './runDemo.ts'

/** Returns the outcome of the demonstration in one sentence, followed by the expectations that were not met. */
export function summarize({ paid, refused, expectations, failures }: DemoResult): string[] {
  if (failures.length === 0)
    return [
      `${paid.length} calls to honest sellers paid, ${refused.length} unsafe or unknown offers refused, all ${expectations} expectations met.`,
    ]
  return [
    `${paid.length} calls paid, ${refused.length} refused, ${failures.length} of ${expectations} expectations not met:`,
    ...failures.map((failure) => `  ${failure}`),
  ]
}
