import { listen } from './listen.ts'
import { type AppChanges, createSmallApp } from './smallApp.ts'

/** Serves the small app until the test ends. Returns the origin. */
export function startHttpApp(changes: AppChanges = {}) {
  return listen(createSmallApp(changes))
}
