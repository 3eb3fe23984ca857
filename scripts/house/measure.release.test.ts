import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { countText, listUnset } from './measure.ts'

async function fileOf(text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'measure-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const path = join(folder, 'a.ts')
  await writeFile(path, text)
  return path
}

const OPTIONS = `
type Options = { readonly named?: number; short?: number; spread?: number; handed?: number; never?: number }
declare function open(options?: Options): void
declare const short: number
declare const rest: { spread: number }
declare const other: { handed: number }
open({ named: 1, short, ...rest })
open(other)
`

test('default: names the optional fields that nothing sets', async () => {
  expect(listUnset([await fileOf(OPTIONS)])).toEqual([expect.stringMatching(/a\.ts: Options\.never$/)])
})

test('behavior: a value of the type that is handed on sets nothing', async () => {
  const text = `type StoreOptions = { a?: 1 }\ndeclare function open(options: StoreOptions): void\nexport const again = (options: StoreOptions) => open(options)\n`
  expect(listUnset([await fileOf(text)])).toHaveLength(1)
})

test('default: counts factories, types of dependencies, callbacks and packed literals', async () => {
  const text = `import a from 'a'\ntype StoreDeps = {\n  readonly onError?: () => void\n}\nexport function createStore() {\n  return { ...{ a } }\n}\n`
  expect(countText([await fileOf(text)])).toEqual({
    files: 1,
    lines: 7,
    imports: 1,
    'factories, createX': 1,
    'types called …Deps or …Options': 1,
    'callbacks called on…': 1,
    'packed literals': 1,
  })
})
