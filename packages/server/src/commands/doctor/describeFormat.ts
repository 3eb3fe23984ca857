import { describeNewer, FORMAT } from '../../store/migrations.ts'
import { fail, type Verdict, warn } from './finding.ts'

/** Judges the format of a store. Returns null if it is that of this version, or there is none. @param place that holds it */
export function describeFormat(place: string, format: number | null): Verdict | null {
  if (format === null || format === FORMAT) return null
  if (format > FORMAT) return fail(describeNewer(place, format))
  return warn(
    `${place} has format ${format}; the start changes it to ${FORMAT}, which the version before it refuses: make a back-up first`,
  )
}
