import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Whether the script of a thread is there: the built package has them, the sources have none. */
export const isBuilt = (script: URL): boolean => existsSync(fileURLToPath(script))
