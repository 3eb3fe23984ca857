import { execFile } from 'node:child_process'
import { rm, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { usePostgres } from '../../server/src/store/testing/usePostgres.ts'
import { isGuardError } from './errors.ts'
import { createCountingAccount } from './testing/clients.ts'
import { RECIPE_CODE, runRecipe } from './testing/runRecipe.ts'
import { startSeller } from './testing/seller.ts'

const database = usePostgres()

test('One budget for three machines: guards of three processes pay from one', async () => {
  const { url, stop } = await startSeller({ terms: [{ amount: '100000' }] })
  onTestFinished(stop)
  const places = [
    ['postgres://agent@db.example/agents', database().url],
    ["'5.00'", "'0.30'"],
  ] as const
  const machines = await Promise.all(
    Array.from({ length: 3 }, () =>
      runRecipe('One budget for three machines', places, { account: createCountingAccount().account }),
    ),
  )
  onTestFinished(async () => {
    for (const { shared } of machines) await shared.close()
  })
  const outcomes: unknown[] = []
  for (const [index, { payShared }] of [...machines, ...machines].entries())
    outcomes.push(
      await payShared(`${url}/${index}`).then(
        ({ status }: Response) => status,
        (error: unknown) => (isGuardError(error) ? error.code : error),
      ),
    )
  expect(outcomes).toEqual([200, 200, 200, 'OVER_DAY_LIMIT', 'OVER_DAY_LIMIT', 'OVER_DAY_LIMIT'])
})

test('CommonJS: the built package is loaded by require', async () => {
  const program = `${RECIPE_CODE.get('CommonJS')}\nconsole.log(typeof createGuardedFetch)`
  const file = fileURLToPath(new URL('../recipe.cjs', import.meta.url))
  await writeFile(file, program)
  onTestFinished(() => rm(file))
  // Beside the package, whose name it can resolve, and without the sources.
  const { stdout } = await promisify(execFile)(process.execPath, [file], { env: {} })
  expect(stdout).toBe('function\n')
})
