import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { ClaimStateError, StoreUnavailableError } from '../facts/storeError.ts'
import { DERIVATION } from '../publish/derivation.ts'
import type { UnitRunner } from './engine.ts'
import { openSqlite } from './sqlite.ts'
import { STORE_FILE } from './sqliteFile.ts'
import { aState } from './testing/documents.ts'
import { aWantedClaim } from './testing/records.ts'
import { useScratchFolder } from './testing/scratch.ts'
import { createUnitThread } from './unitThread.ts'

// Worker threads run the built script.
const BUILT = new URL('../../dist/unitsThread.js', import.meta.url)
const scratch = useScratchFolder()
const state = aState()

let runner: UnitRunner | undefined
afterEach(() => runner?.close())

/** Opens a store, and a thread that writes into it. */
async function start(script = BUILT) {
  const engine = await openSqlite({ directory: scratch() }, DERIVATION)
  const writer = createUnitThread(script, { path: join(scratch(), STORE_FILE), isCounter: false })
  runner = writer
  return { engine, writer }
}

describe('createUnitThread', () => {
  test('default: units run in sequence, and closing waits for those that are open', async () => {
    const { engine, writer } = await start()
    const open = Array.from({ length: 20 }, () => writer.run('putEndpoint', [state]))
    await writer.close()
    const changed = [{ host: state.host, endpoint: state.endpoint, hasNews: false }]
    expect(await Promise.all(open)).toEqual(open.map(() => ({ result: undefined, changed })))
    expect(await engine.db.selectFrom('endpoint').select('id').execute()).toHaveLength(1)
    await expect(writer.run('putEndpoint', [state])).rejects.toThrow('The store is unavailable')
    await engine.close()
  })

  test('error: a unit that is refused, one of a wrong shape, and one after them', async () => {
    const { engine, writer } = await start()
    const refused = writer.run('advancePayment', [aWantedClaim(), 'settled', { at: 1 }])
    await expect(refused).rejects.toBeInstanceOf(ClaimStateError)
    const wrong = writer.run('append', [null])
    await expect(wrong).rejects.not.toBeInstanceOf(StoreUnavailableError)
    await writer.run('putEndpoint', [state])
    await engine.close()
  })

  test('error: a unit whose thread dies is unavailable and runs once', async () => {
    const script = `import { parentPort } from "node:worker_threads"
      import { appendFileSync } from "node:fs"
      parentPort.on("message", ({ input }) => {
        appendFileSync(${JSON.stringify(join(scratch(), 'ran'))}, input.name + " ")
        throw new Error("out of luck")
      })`
    const { engine, writer } = await start(new URL(`data:text/javascript,${encodeURIComponent(script)}`))
    const died = writer.run('countAll', [0]).catch((error: unknown) => error)
    expect(await died).toBeInstanceOf(StoreUnavailableError)
    expect(await died).toMatchObject({
      message: 'The store is unavailable: The thread ended: out of luck',
    })
    await writer.run('refreshHosts', [0]).catch(() => undefined)
    expect(readFileSync(join(scratch(), 'ran'), 'utf8')).toBe('countAll refreshHosts ')
    await engine.close()
  })
})
