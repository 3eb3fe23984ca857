import { createHash } from 'node:crypto'
import { LogError } from '@touchstone402/transparency'
import type { Observation } from '../../facts/facts.ts'
import { type InputLine, readInputs, readObservations } from './publishedLines.ts'
import type { DayLeaf } from './readLoggedPast.ts'

/** A host's day whose probes and inputs are those of its leaf. */
export type CheckedDay = {
  readonly leaf: DayLeaf
  readonly observations: readonly Observation[]
  readonly inputs: readonly InputLine[]
}

/** Returns a file of the service; undefined for 404. */
export type GetFile = (path: string) => Promise<Buffer | undefined>

const NOTHING = createHash('sha256').digest('base64')

/**
 * Fetches days and checks each against its leaf. Days at the beginning may be gone, since probes are not kept for ever.
 * @param leaves by date
 * @throws LogError `not_included` if a file is not the one of its leaf, or missing between others
 */
export async function fetchDays(
  get: GetFile,
  host: string,
  leaves: readonly DayLeaf[],
): Promise<CheckedDay[]> {
  const days: CheckedDay[] = []
  const read = async (folder: string, { date, index }: DayLeaf, digest: string) => {
    if (digest === NOTHING) return ''
    const path = `/log/${folder}/${date}/${encodeURIComponent(host)}`
    const body = await get(path)
    if (body !== undefined && createHash('sha256').update(body).digest('base64') !== digest)
      throw new LogError('not_included', `${path} is not what leaf ${index} of the log commits to`)
    return body?.toString()
  }
  for (const leaf of leaves) {
    const observations = await read('days', leaf, leaf.looks)
    const inputs = observations === undefined ? undefined : await read('inputs', leaf, leaf.inputs)
    if (observations !== undefined && inputs !== undefined) {
      const { date } = leaf
      days.push({
        leaf,
        observations: readObservations(observations, date),
        inputs: readInputs(inputs, date),
      })
    } else if (days.length > 0 || observations !== undefined) {
      throw new LogError(
        'not_included',
        `the service withholds ${leaf.date}, to which leaf ${leaf.index} commits`,
      )
    }
  }
  return days
}
