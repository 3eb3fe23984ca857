import { nearestName } from '@touchstone402/shared'
import { SETTINGS } from './config.ts'
import type { Environment } from './storageSettings.ts'

/** Length of a setting's name from which others are compared: other programs have names like our shortest ones. */
const SHORTEST = 5
/** Letters by which a name may differ from a setting's. */
const mostLetters = (name: string) => (name.length < 8 ? 1 : 2)

/** Returns a line for each variable that is no setting but nearly one that is not set: a default would go unnoticed. */
export function findMisspelt(environment: Environment): string[] {
  const free = Object.keys(SETTINGS).filter(
    (name) => name.length >= SHORTEST && environment[name] === undefined,
  )
  if (free.length === 0) return []
  return Object.keys(environment)
    .filter((name) => SETTINGS[name] === undefined)
    .flatMap((given) => {
      const { name, distance } = nearestName(given.toUpperCase(), free)
      return distance <= mostLetters(name) ? [`${given} is no setting; nearest: ${name}`] : []
    })
}
