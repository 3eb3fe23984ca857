import { z } from 'zod'
import { REAL_CLIENTS, type RealClientName } from '../facts/clientIdentities.ts'

const NAMES = Object.keys(REAL_CLIENTS)
const isName = (name: string): name is RealClientName => NAMES.includes(name)

/** Setting of the programs that are run as clients. */
export const realClientSettings = {
  REAL_CLIENTS: z
    .string()
    .transform((given, context): readonly RealClientName[] => {
      if (given === 'none') return []
      const names = [...new Set(given.split(',').map((name) => name.trim()))]
      if (names.every(isName)) return names
      context.addIssue(`must be none, or some of ${NAMES.join(', ')}, comma-separated`)
      return z.NEVER
    })
    .optional(),
}
