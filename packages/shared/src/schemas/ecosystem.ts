import * as z from 'zod/mini'
import { CountSchema, named, PercentSchema } from '../primitives.ts'

/** Number of endpoints by status. */
export const ecosystemShape = {
  tracked: CountSchema,
  live: CountSchema,
  dead: CountSchema,
  invalid: CountSchema,
  unmeasured: CountSchema,
  deadPct: PercentSchema,
}

export const EcosystemSchema = named('Ecosystem', 'Number of endpoints by status.', z.object(ecosystemShape))

/** How many of the endpoints that a directory lists work. */
export const DirectoryAccuracySchema = z.object({
  directory: z.string(),
  listed: CountSchema,
  claimedHealthy: CountSchema,
  working: CountSchema,
  accuracyPct: z.nullable(PercentSchema),
})

export type Ecosystem = z.infer<typeof EcosystemSchema>
