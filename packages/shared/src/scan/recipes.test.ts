import { describe, expect, test } from 'vitest'
import { declares } from '../challengeDocument.ts'
import { SCAN_CHECK_IDS, type ScanCheckId } from './checks.ts'
import { detectStack, recipeFor, STACKS, type Stack } from './recipes.ts'

describe('detectStack', () => {
  test.each<[Stack, Record<string, string>]>([
    ['express', { 'x-powered-by': 'Express' }],
    ['next', { 'x-powered-by': 'Next.js' }],
    ['next', { 'x-nextjs-cache': 'MISS', server: 'Vercel' }],
    ['hono', { 'x-powered-by': 'Hono' }],
    ['fastapi', { server: 'uvicorn' }],
    ['x402-rs', { server: 'x402-rs/0.10' }],
    ['unknown', { server: 'cloudflare' }],
    ['unknown', { 'x-powered-by': 'Expressly' }],
    ['unknown', {}],
  ])('default: %s from %o', (stack, headers) => {
    expect(detectStack(headers)).toBe(stack)
  })
})

describe('recipeFor', () => {
  test('default: an Express recipe sets what the check is about', () => {
    expect(recipeFor('timeout_strange', 'express')).toMatchInlineSnapshot(`
      "// before body parsers and validation
      app.use(paymentMiddleware({ 'GET /weather': {
        accepts: {
          scheme: 'exact',
          network: 'eip155:8453',
          price: '$0.01', // a price in dollars: the library fills in USDC and its domain
          payTo: '0xYourAddress',
          maxTimeoutSeconds: 60,
        },
      } }, server))"
    `)
  })

  test('behavior: every check has a recipe for every stack, of one screen at most', () => {
    const stacks = Object.keys(STACKS) as Stack[]
    for (const id of SCAN_CHECK_IDS) {
      for (const stack of stacks) {
        const lines = recipeFor(id, stack).split('\n')
        expect(lines.join('').trim().length, `${id} ${stack}`).toBeGreaterThan(20)
        expect(lines.length, `${id} ${stack}`).toBeLessThan(24)
      }
    }
    expect(recipeFor('output_undeclared', 'fastapi')).toContain(
      '\n        extensions=declare_discovery_extension(',
    )
  })

  test('behavior: the challenge for any stack declares input and output where they are missing', () => {
    const read = (id: ScanCheckId) => JSON.parse(recipeFor(id, 'unknown').split('base64 of')[1] ?? '')
    for (const [id, side] of [
      ['input_undeclared', 'input'],
      ['output_undeclared', 'output'],
    ] as const) {
      expect(declares(side, read(id))).toBe(true)
      expect(declares(side, read('timeout_strange'))).toBe(false)
    }
  })
})
