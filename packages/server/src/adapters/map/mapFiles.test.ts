import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { LATEST, type MapFiles } from '../../ports/mapFiles.ts'
import { createMapTable } from '../store/createMapTable.ts'
import { type Database, openDatabase } from '../store/postgres/database.ts'
import { openPostgresStore } from '../store/postgres/openPostgresStore.ts'
import { useScratchFolder } from '../store/testing/scratch.ts'
import { usePostgres } from '../store/testing/usePostgres.ts'
import { createMapFolder } from './createMapFolder.ts'

const scratch = useScratchFolder()
const emptyDatabase = usePostgres()
const bytes = (text: string) => new TextEncoder().encode(text)

let database: Database | undefined
afterEach(async () => {
  await database?.close()
  database = undefined
})

const homes: readonly (readonly [string, () => Promise<() => MapFiles>])[] = [
  [
    'in a folder',
    async () => {
      const directory = scratch()
      return () => createMapFolder(`${directory}/map`)
    },
  ],
  [
    'in a database',
    async () => {
      const place = emptyDatabase()
      await (await openPostgresStore({ ...place, now: Date.now })).close()
      const opened = openDatabase({ ...place, connections: 1 })
      database = opened
      return () => createMapTable(opened)
    },
  ],
]

describe.each(homes)('map files %s', (_, make) => {
  let open: () => MapFiles
  beforeEach(async () => {
    open = await make()
  })

  const textOf = async (name: string) => {
    const file = await open().read(name)
    return file && new TextDecoder().decode(file)
  }
  const first = () =>
    open().publish(new Map([['1', bytes('one')]]), { latest: 'header 1', isKept: () => false })

  test('default', async () => {
    expect(await textOf(LATEST)).toBeUndefined()
    await first()
    expect([await textOf(LATEST), await textOf('1'), await textOf('2')]).toEqual([
      'header 1',
      'one',
      undefined,
    ])
  })

  test('behavior: publishing removes the files that are not kept, and a new header alone removes none', async () => {
    await first()
    const fresh = new Map([
      ['2', bytes('two')],
      ['1-2', bytes('diff')],
    ])
    await open().publish(fresh, { latest: 'header 2', isKept: (name) => name === '1' })
    expect([await textOf('1'), await textOf('2'), await textOf('1-2')]).toEqual(['one', 'two', 'diff'])
    await open().publish(new Map(), { latest: 'signed again', isKept: (name) => name.endsWith('2') })
    expect([await textOf(LATEST), await textOf('1'), await textOf('2')]).toEqual([
      'signed again',
      undefined,
      'two',
    ])
  })

  test('behavior: an open reader sees each new header', async () => {
    const files = open()
    await first()
    await files.read(LATEST)
    await files.publish(new Map(), { latest: 'header 2', isKept: () => true })
    expect(new TextDecoder().decode(await files.read(LATEST))).toBe('header 2')
  })
})
