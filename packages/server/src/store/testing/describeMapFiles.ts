import { describe, expect, test } from 'vitest'
import { LATEST } from '../../ports/mapFiles.ts'
import { type Home, useStore } from './useStore.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

/** Tests how a store keeps the files of the map. */
export function describeMapFiles(name: string, createHome: () => Promise<Home>): void {
  describe(`${name}: files of the map`, () => {
    const home = useStore(createHome)
    const files = () => home.store.mapFiles

    const textOf = async (name: string) => {
      const file = await files().read(name)
      return file && new TextDecoder().decode(file)
    }
    const first = () =>
      files().publish(new Map([['1', bytes('one')]]), { latest: 'header 1', isKept: () => false })

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
      await files().publish(fresh, { latest: 'header 2', isKept: (name) => name === '1' })
      expect([await textOf('1'), await textOf('2'), await textOf('1-2')]).toEqual(['one', 'two', 'diff'])
      await files().publish(new Map(), { latest: 'signed again', isKept: (name) => name.endsWith('2') })
      expect([await textOf(LATEST), await textOf('1'), await textOf('2')]).toEqual([
        'signed again',
        undefined,
        'two',
      ])
    })

    test('behavior: an open reader sees each new header', async () => {
      const opened = files()
      await first()
      await opened.read(LATEST)
      await opened.publish(new Map(), { latest: 'header 2', isKept: () => true })
      expect(new TextDecoder().decode(await opened.read(LATEST))).toBe('header 2')
    })
  })
}
