import * as z from 'zod/mini'
import { about, CountSchema, named, PercentSchema } from '../primitives.ts'
import { COMMON } from './common.ts'

/** Number of endpoints by status. */
export const ecosystemShape = {
  tracked: about('Endpoints known.', CountSchema),
  live: about('Endpoints that answer with valid payment terms.', CountSchema),
  dead: about('Endpoints confirmed dark.', CountSchema),
  invalid: about('Endpoints that answer without valid payment terms.', CountSchema),
  unmeasured: about('Endpoints that were not measured lately.', CountSchema),
  deadPct: about('Share of dead endpoints in percent.', PercentSchema),
}

export const EcosystemSchema = named('Ecosystem', 'Number of endpoints by status.', z.object(ecosystemShape))

/** How many of the endpoints that a directory lists work. */
export const DirectoryAccuracySchema = z.object({
  directory: about(COMMON.directory, z.string()),
  listed: about('Endpoints that the directory lists.', CountSchema),
  claimedHealthy: about('Endpoints that it claims to be healthy.', CountSchema),
  working: about('Listed endpoints that were measured as live.', CountSchema),
  accuracyPct: about(
    'Share of working endpoints in percent; null if none was measured.',
    z.nullable(PercentSchema),
  ),
})

export type Ecosystem = z.infer<typeof EcosystemSchema>
