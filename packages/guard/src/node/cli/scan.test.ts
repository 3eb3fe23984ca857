import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { NO_STREAMS } from '../../testing/noStreams.ts'
import { startSeller, type TestSeller } from '../../testing/seller.ts'
import { run } from './run.ts'

const TOKEN = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
let seller: TestSeller
let url: string

beforeAll(async () => {
  seller = await startSeller()
  url = `${seller.url}/weather`
})
afterAll(() => seller.stop())
beforeEach(() => {
  seller.character = {}
})

async function cli(line: string) {
  const out: string[] = []
  const err: string[] = []
  /** Both, in the order of printing. */
  const lines: string[] = []
  const into = (texts: string[]) => (text: string) => [texts, lines].map((list) => list.push(text))
  const code = await run(line.split(' '), { ...NO_STREAMS, out: into(out), err: into(err), env: {}, fetch })
  return { code, out: out.join('\n'), err: err.join('\n'), lines }
}

describe('touchstone scan', () => {
  test('default: checks an honest seller without a service, a key or a payment', async () => {
    const { code, out, err } = await cli(`scan ${url}?secret=1`)
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toMatch(/^2 things to fix: /)
    expect(out).toContain(`2 things to fix: ${url}\ninfo `)
    expect(out).not.toMatch(/\d+ of \d+|not tested/i)
    expect(out).toMatch(/^ok +receiver_unverified +The receiver is a valid address$/m)
    expect(out).toMatch(/^info +input_undeclared +The input is not declared$/m)
    expect(out).toContain('Fix of input_undeclared, output_undeclared (any stack):')
    expect(out).not.toContain('secret')
    expect(seller.payments).toEqual([])
  })

  test.each([[[1]], [[2]]] as const)('behavior: reads a challenge of x402 v%s alone', async (versions) => {
    seller.character = { versions: [...versions] }
    expect((await cli(`scan ${url}`)).code).toBe(0)
  })

  test('behavior: fails for a critical fault, and shows the fix for the stack of the seller', async () => {
    seller.character = {
      terms: [{ payTo: TOKEN, maxTimeoutSeconds: 86_400 }],
      before: (_, response) => {
        response.setHeader('X-Powered-By', 'Express')
        return false
      },
    }
    const { code, out } = await cli(`scan ${url} --json`)
    const { ok, stack, checks } = JSON.parse(out)
    expect([code, ok, stack]).toEqual([1, false, 'express'])
    const of = (id: string) => checks.find((check: { id: string }) => check.id === id)
    expect(of('receiver_unverified')).toMatchObject({
      outcome: 'fail',
      severity: 'critical',
      detail: `Tokens sent to ${TOKEN} are lost.`,
    })
    expect(of('timeout_strange').recipe).toContain('maxTimeoutSeconds: 60')
    expect(of('insecure_http')).not.toHaveProperty('fix')
  })

  test('behavior: writes SARIF 2.1.0 at the URL, or at a file of the repository', async () => {
    seller.character = { terms: [{ payTo: TOKEN }] }
    const { version, runs } = JSON.parse((await cli(`scan ${url} --sarif`)).out)
    const [{ tool, results }] = runs
    expect(version).toBe('2.1.0')
    expect(results.map(({ ruleId, level }: Record<string, string>) => [ruleId, level])).toEqual([
      ['receiver_unverified', 'error'],
      ['input_undeclared', 'note'],
      ['output_undeclared', 'note'],
    ])
    for (const { ruleId, ruleIndex } of results) expect(tool.driver.rules[ruleIndex].id).toBe(ruleId)
    const placeIn = (text: string) =>
      JSON.parse(text).runs[0].results[0].locations[0].physicalLocation.artifactLocation.uri
    expect(results[0].locations[0].physicalLocation.artifactLocation.uri).toBe(url)
    expect(placeIn((await cli(`scan ${url} --sarif --file README.md`)).out)).toBe('README.md')
  })

  test('error: says why an endpoint gave no answer', async () => {
    const { code, out, err } = await cli('scan http://127.0.0.1:9/ --json')
    expect([code, JSON.parse(out).failure]).toEqual([1, err])
    expect(err).toMatch(/^No answer: /)
    const text = await cli('scan http://127.0.0.1:9/')
    expect([text.err, text.lines[0]]).toEqual([err, err])
    expect(text.out).toContain('The endpoint did not answer.')
    expect(text.out).toMatch(/^Not tested: 19, because the endpoint did not answer$/m)
    expect(text.out).not.toMatch(/Fix of/)
  })

  test('behavior: failed checks come first, and what could not be tested is counted with its reason', async () => {
    seller.character = { before: (_, response) => Boolean(response.end('free')) || true }
    const { lines } = await cli(`scan ${url}`)
    expect(lines[0]).toBe(`1 thing to fix: ${url}`)
    expect(lines[1]).toMatch(/^critical no_challenge +No readable challenge$/)
    expect(lines[2]?.trim()).toBe('The answer to an unpaid GET has status 200 instead of 402.')
    expect(lines[4]).toMatch(/^ok +insecure_http /)
    expect(lines[5]).toBe('Not tested: 19, because no terms were read')
    const { checks } = JSON.parse((await cli(`scan ${url} --json`)).out)
    expect(checks[0]).toMatchObject({ id: 'no_challenge', outcome: 'fail' })
    expect(checks.at(-1)).toMatchObject({ outcome: 'unknown', detail: 'not tested: no terms were read' })
    const [{ results, invocations }] = JSON.parse((await cli(`scan ${url} --sarif`)).out).runs
    expect(results).toHaveLength(1)
    expect(invocations[0].toolExecutionNotifications).toEqual([
      { level: 'note', message: { text: `${url}: Not tested: 19, because no terms were read` } },
    ])
  })

  test('error: rejects invalid command lines', async () => {
    expect((await cli('scan')).err).toBe(
      'scan needs <url>: the endpoint, such as https://api.example.com/weather',
    )
    expect((await cli('scan ftp://x')).code).toBe(64)
    expect((await cli(`scan ${url} --json --sarif`)).code).toBe(64)
    expect((await cli(`scan ${url} --file README.md`)).err).toBe('--file goes with --sarif.')
  })
})
