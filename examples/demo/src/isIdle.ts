import type { App } from '@touchstone402/server'

/** Progress of a crawl, as the service reports it. */
export type Progress = Pick<ReturnType<App['crawl']>, 'due' | 'round' | 'discoveries' | 'directories'>

/** Returns whether a crawl has read every directory and has no endpoint left to probe. */
export function isIdle({ due, round, discoveries, directories }: Progress): boolean {
  return due === 0 && round === null && discoveries > 0 && directories.reading === 0
}
