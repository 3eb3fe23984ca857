import { readFileSync } from 'node:fs'
import { listCommandFaults } from '@touchstone402/shared/testing'
import { expect, test } from 'vitest'
import { NO_STREAMS } from '../../testing/noStreams.ts'
import { COMMANDS, run } from './run.ts'

const DOCS = [
  'packages/guard/README.md',
  ...['commands', 'ledger', 'proxy', 'transparency'].map((name) => `docs/${name}.md`),
]
  .map((path) => readFileSync(new URL(`../../../../../${path}`, import.meta.url), 'utf8'))
  .join('\n')

async function helpOf(name: string): Promise<string> {
  let text = ''
  const io = {
    ...NO_STREAMS,
    out: (line: string) => {
      text += `${line}\n`
    },
    err: (line: string) => expect.unreachable(line),
    env: {},
    fetch,
  }
  expect(await run([...name.split(' '), '--help'], io)).toBe(0)
  return text
}

test('default: help and docs show what each command takes, and its faults are named', async () => {
  expect(await listCommandFaults(COMMANDS, helpOf, DOCS)).toEqual([])
})
