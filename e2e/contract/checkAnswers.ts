import { readFile } from 'node:fs/promises'
import { createChecker, type Received } from './createChecker.ts'
import { readAnswers } from './readAnswers.ts'

/** What came of holding recorded answers against the interface document. */
export type Checked = {
  readonly answers: number
  /** Operation, status and what is wrong, one line each. */
  readonly violations: readonly string[]
}

// Drift of this file from what is served fails a test of the server; only addresses and prices differ at run time.
const DOCUMENT = new URL('../../docs/openapi.json', import.meta.url)

/** Checks every answer that was recorded in a folder. */
export async function checkAnswers(folder: string): Promise<Checked> {
  const check = createChecker(JSON.parse(await readFile(DOCUMENT, 'utf8')))
  // Most answers are repetitions; each is counted, and checked where it differs in any way.
  const known = new Map<string, readonly string[]>()
  const violations: string[] = []
  let answers = 0
  for await (const received of readAnswers(folder)) {
    answers += 1
    const key = received.body.length > MEMO_LENGTH ? undefined : keyOf(received)
    const faults = known.get(key ?? '') ?? check(received)
    if (key !== undefined) known.set(key, faults)
    const what = `${received.method ?? 'unreadable'} ${received.path ?? ''} ${received.status}`
    violations.push(...faults.map((fault) => `${what}: ${fault}`))
  }
  return { answers, violations }
}

const MEMO_LENGTH = 4096

function keyOf({ method, path, status, headers, body }: Received): string {
  // Whether a header is there is looked at, and of one alone what it says.
  const named = [...headers].flatMap(([name, value]) => (value === '' ? [] : [name]))
  return JSON.stringify([method, path, status, headers.get('content-type'), named, body])
}
