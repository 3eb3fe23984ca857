import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import type { Listing, Observation } from '../../facts/facts.ts'
import { writeRecipe } from './recipe.tsx'

const HOSTILE = `https://a.example/'$(touch pwned)\`id\`"\n;[1-9]{a,b}%00\\u202e?q='\\''`

const state = (endpoint: string, method = 'GET', own: Partial<Listing> = {}) => ({
  endpoint,
  method,
  payTo: null,
  network: null,
  priceUsd: 0.02,
  listings:
    own.url === undefined ? [] : [{ endpoint, method, ownClaim: true, body: null, ...own } as Listing],
})

/** Returns the words that a shell makes of a command, with `curl`, `npx` and the filters behind it replaced. */
function wordsOf(command: string): string[] {
  const script = `say() { printf '%s\\0' "$@"; }; curl() { say "$@"; }; npx() { say "$@"; }; awk() { cat; }; cat() { command cat; }; ${command}`
  return execFileSync('sh', ['-c', script], { encoding: 'utf8' }).split('\0').slice(0, -1)
}

test('default: the terms are asked by the method and body that the host declares', () => {
  const listed = { url: 'https://a.example/ask?city=Bern', body: '{"text":"hi"}' }
  const { commands } = writeRecipe({ state: state('https://a.example/ask', 'POST', listed) })
  expect(commands.map(wordsOf)).toEqual([
    [
      ...['-sig', '-m', '30', '-X', 'POST', '-H', 'content-type: application/json'],
      ...['--data-raw', '{"text":"hi"}', 'https://a.example/ask?city=Bern'],
    ],
  ])
})

test('behavior: a finding about clients is shown by the identities that saw it', () => {
  const observations = ['0', '2', '0', '2'].map((client) => ({ client }) as Observation)
  const { commands } = writeRecipe({ code: 'cloaked', state: state('https://a.example/'), observations })
  expect(commands.map((command) => wordsOf(command).find((word) => word.startsWith('user-agent')))).toEqual([
    expect.stringMatching(/^user-agent: Touchstone/),
    expect.stringMatching(/^user-agent: python-httpx/),
  ])
})

test.each([undefined, 'cloaked', 'price_bait', 'no_delivery', 'slow', 'payto_rotates'])(
  'error: no text of a seller leaves its quotes or names a file (%s)',
  (code) => {
    const given = state(HOSTILE, "POST'; touch pwned", { url: HOSTILE, body: "@/etc/passwd' | sh #" })
    for (const state of [given, { ...given, method: 'POST' }])
      for (const command of writeRecipe({ ...(code && { code }), state, contact: "'; id" }).commands) {
        const words = wordsOf(command)
        expect(command).not.toMatch(/[\n\u202e]/)
        const isOfDocuments = command.includes('/.well-known/x402')
        expect(words.some((word) => word.startsWith("https://a.example/'$(touch pwned)`id`"))).toBe(
          !isOfDocuments,
        )
        expect(words).not.toContain('pwned')
        const raw = words.indexOf("@/etc/passwd' | sh #")
        if (raw >= 0) expect(['--data-raw', '--data']).toContain(words[raw - 1])
      }
  },
)
