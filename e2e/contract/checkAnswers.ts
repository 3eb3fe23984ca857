import { readFile } from 'node:fs/promises'
import { createChecker, type Received } from './createChecker.ts'
import { readAnswers } from './readAnswers.ts'

/** Result of checking recorded responses against the OpenAPI document. */
export type Checked = {
  readonly answers: number
  /** One line each: operation, status, violation. */
  readonly violations: readonly string[]
}

// A test of the server checks that this file matches the served document. Only addresses and prices differ at run time.
const DOCUMENT = new URL('../../docs/openapi.json', import.meta.url)

/** Checks every response that was recorded in a folder. */
export async function checkAnswers(folder: string): Promise<Checked> {
  const check = createChecker(JSON.parse(await readFile(DOCUMENT, 'utf8')))
  // Most responses are repeats. All are counted, and each distinct one is checked.
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
  // The checker reads the presence of headers, and the value of one.
  const named = [...headers].flatMap(([name, value]) => (value === '' ? [] : [name]))
  return JSON.stringify([method, path, status, headers.get('content-type'), named, body])
}
