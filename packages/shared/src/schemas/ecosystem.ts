import * as z from 'zod/mini'
import * as common from './common.ts'
import * as f from './fields.ts'

/** Number of endpoints by status. */
export const ecosystemShape = {
  tracked: f.whole('Endpoints known.'),
  live: f.whole('Endpoints that answer with valid payment terms.'),
  dead: f.whole('Endpoints confirmed dark.'),
  invalid: f.whole('Endpoints that answer without valid payment terms.'),
  unmeasured: f.whole('Endpoints that were not measured lately.'),
  deadPct: f.percent('Share of dead endpoints in percent.'),
}

export const EcosystemSchema = f.model('Ecosystem', 'Number of endpoints by status.', ecosystemShape)

/** How many of the endpoints that a directory lists work. */
export const DirectoryAccuracySchema = z.object({
  directory: common.directory,
  listed: f.whole('Endpoints that the directory lists.'),
  claimedHealthy: f.whole('Endpoints that it claims to be healthy.'),
  working: f.whole('Listed endpoints that were measured as live.'),
  accuracyPct: z.nullable(f.percent('Share of working endpoints in percent; null if none was measured.')),
})

export type Ecosystem = z.infer<typeof EcosystemSchema>
