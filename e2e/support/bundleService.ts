import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { bundle } from './bundleVictim.ts'

const ENTRY = fileURLToPath(new URL('./serviceProcess.ts', import.meta.url))
/** The built packages are found from here. */
const MODULES = fileURLToPath(new URL('../node_modules/', import.meta.url))

/**
 * Bundles the process of the service, which then runs as an operator's does: a loader of TypeScript would take memory in
 * each of its threads. The bundle goes with this process.
 */
export async function bundleService(): Promise<URL> {
  const folder = join(MODULES, `.service-${randomUUID()}`)
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  await bundle(folder, { entry: { service: ENTRY }, external: [/^@touchstone402\//] })
  return pathToFileURL(join(folder, 'service.js'))
}
