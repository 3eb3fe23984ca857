import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const execute = promisify(execFile)

/** Measures a gzipped bundle of the guard in kB, as the size budget of the package does. @param part of its name there */
export async function measureBundle(part: string): Promise<number> {
  const cwd = fileURLToPath(new URL('../../packages/guard/', import.meta.url))
  const { stdout } = await execute('npx', ['size-limit', '--json'], { cwd }).catch(
    // Fails above the budget, but still prints the figures.
    (error: { stdout: string }) => error,
  )
  const rows: { name: string; size: number }[] = JSON.parse(stdout)
  const row = rows.find(({ name }) => name.includes(part))
  if (row === undefined) throw new Error('the size budget has no such row')
  return row.size / 1000
}
