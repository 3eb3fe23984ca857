import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import * as verifying from './index.ts'
import * as publisher from './publisher/index.ts'
import { publishLog } from './testing/publishLog.ts'
import * as witness from './witness/index.ts'

const ENTRIES: Readonly<Record<string, object>> = {
  '@touchstone402/transparency': verifying,
  '@touchstone402/transparency/publisher': publisher,
  '@touchstone402/transparency/witness': witness,
}
const page = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
const [example = '', reading = ''] = [...page.matchAll(/^```js\n([\s\S]*?)^```$/gm)].map(
  ([, text = '']) => text,
)

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0)
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

test('default: the example of the README runs as it stands, but for its port', async () => {
  const printed: unknown[] = []
  const console = {
    log: (...words: unknown[]) => printed.push(words.join(' ')),
    error: (error: unknown) => printed.push(`${error}`),
  }
  const program = example
    .replaceAll('8403', `${await findFreePort()}`)
    .replaceAll(/^import (\{.+\}) from '(.+)'$/gm, "const $1 = entries['$2']")
  const run = new Function('entries', 'console', `return (async () => {${program}})()`)
  await run(ENTRIES, console)
  expect(printed).toEqual([/console\.log\(.*\) \/\/ (.+)$/m.exec(example)?.[1]])
})

test('behavior: the example has about twenty lines, without its imports and comments', () => {
  const lines = example.split('\n').filter((line) => line !== '' && !/^(import|\/\/) /.test(line))
  expect(lines.length).toBeLessThanOrEqual(20)
})

test('default: the lines that read a log run as they stand', async () => {
  const { log, policy } = await publishLog([Uint8Array.of(1, 2)])
  const given = {
    ...verifying,
    policy,
    lastSeen: { size: 0, root: verifying.EMPTY_ROOT },
    fetch: async (url: string) => {
      const file = await publisher.readLogFile(log, url.replace('https://log.example/', ''))
      return new Response(new Uint8Array(file ?? []))
    },
  }
  const run = new Function(...Object.keys(given), `return (async () => {${reading}; return entries })()`)
  expect(await run(...Object.values(given))).toEqual([Uint8Array.of(1, 2)])
})

test('behavior: every function that the README names is exported', () => {
  const exported = new Set(Object.values(ENTRIES).flatMap((entry) => Object.keys(entry)))
  const named = [...page.matchAll(/`(create\w+|check\w+|read\w+|list\w+|grow\w+)(?:\(.*?\))?`/g)].map(
    ([, name = '']) => name,
  )
  expect(named.length).toBeGreaterThan(5)
  expect(named.filter((name) => !exported.has(name))).toEqual([])
})
