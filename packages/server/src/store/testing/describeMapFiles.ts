import { describe, expect, test } from 'vitest'
import { LATEST, publishMapFiles, readMapFile } from '../documents.ts'
import { type Home, useStore } from './useStore.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

/** Tests how a store keeps the files of the map. */
export function describeMapFiles(name: string, createHome: () => Promise<Home>): void {
  describe(`${name}: files of the map`, () => {
    const home = useStore(createHome)
    const files = () => home.store

    const textOf = async (name: string) => {
      const file = await readMapFile(files(), name)
      return file && new TextDecoder().decode(file)
    }
    const first = () =>
      publishMapFiles(files(), new Map([['1', bytes('one')]]), { latest: 'header 1', isKept: () => false })

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
      await publishMapFiles(files(), fresh, { latest: 'header 2', isKept: (name) => name === '1' })
      expect([await textOf('1'), await textOf('2'), await textOf('1-2')]).toEqual(['one', 'two', 'diff'])
      await publishMapFiles(files(), new Map(), {
        latest: 'signed again',
        isKept: (name) => name.endsWith('2'),
      })
      expect([await textOf(LATEST), await textOf('1'), await textOf('2')]).toEqual([
        'signed again',
        undefined,
        'two',
      ])
    })

    test('behavior: an open reader sees each new header', async () => {
      const opened = files()
      await first()
      await readMapFile(opened, LATEST)
      await publishMapFiles(opened, new Map(), { latest: 'header 2', isKept: () => true })
      expect(new TextDecoder().decode(await readMapFile(opened, LATEST))).toBe('header 2')
    })
  })
}
