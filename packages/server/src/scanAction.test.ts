import { execFile } from 'node:child_process'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseYaml } from '@redocly/openapi-core'
import { encodeBase64Json } from '@touchstone402/shared'
import { beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import { listen } from './http/testing/listen.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
const RECEIVER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'

// The parts of the syntax of composite actions in use, strictly: a misspelled or misplaced key fails.
// Source: https://docs.github.com/en/actions/reference/workflows-and-actions/metadata-syntax
const ActionSchema = z.strictObject({
  name: z.string(),
  description: z.string().max(125),
  branding: z.strictObject({ icon: z.string(), color: z.string() }),
  inputs: z.record(
    z.string(),
    z.strictObject({
      description: z.string(),
      required: z.boolean().optional(),
      default: z.string().optional(),
    }),
  ),
  outputs: z.record(z.string(), z.strictObject({ description: z.string(), value: z.string() })),
  runs: z.strictObject({
    using: z.literal('composite'),
    steps: z.array(
      z.strictObject({
        name: z.string(),
        id: z.string(),
        shell: z.literal('bash'),
        env: z.record(z.string(), z.string()),
        run: z.string(),
      }),
    ),
  }),
})

const action = ActionSchema.parse(parseYaml(await readFile(join(ROOT, 'action.yml'), 'utf8')))
let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'scan action-'))
  // Stands for npx, which would fetch the published package: the built command of this checkout.
  const cli = `node '${ROOT}packages/guard/bin/touchstone.js'`
  const npx = `#!/bin/bash\n[ "$1 $2" = "--yes @touchstone402/guard@latest" ] || exit 99\nshift 2\ncd '${ROOT}' && exec ${cli} "$@"\n`
  await writeFile(join(folder, 'npx'), npx)
  await chmod(join(folder, 'npx'), 0o755)
  return () => rm(folder, { recursive: true })
})

/** Serves a seller whose offer has these changes. Returns the URL of its endpoint. */
async function serveSeller(change: object = {}): Promise<string> {
  const origin = await listen((request, response) => {
    const offer = {
      ...{ scheme: 'exact', network: 'eip155:8453', asset: USDC, amount: '10000', payTo: RECEIVER },
      ...{ maxTimeoutSeconds: 60, extra: { name: 'USD Coin', version: '2' } },
    }
    const challenge = {
      x402Version: 2,
      resource: { url: `http://${request.headers.host}/paid` },
      accepts: [{ ...offer, ...change }],
      extensions: { bazaar: { info: { input: { type: 'http' }, output: { example: {} } } } },
    }
    response.writeHead(402, { 'payment-required': encodeBase64Json(challenge) }).end('{}')
  })
  return `${origin}/paid`
}

/** Runs the steps as a runner does: one after the other, until one fails. */
async function runAction(given: Record<string, string>) {
  const inputs: Record<string, string> = { ...given }
  for (const [name, { default: value = '' }] of Object.entries(action.inputs)) inputs[name] ??= value
  let log = ''
  for (const { run, env } of action.runs.steps) {
    const filled = Object.entries(env).map(([name, text]) => [
      name,
      text.replace(/\$\{\{ inputs\.([\w-]+) \}\}/, (_, input: string) => inputs[input] ?? ''),
    ])
    const step = await runStep(run, Object.fromEntries(filled))
    log += step.log
    if (step.code !== 0) return { code: step.code, log }
  }
  return { code: 0, log }
}

function runStep(script: string, env: Record<string, string>): Promise<{ code: number; log: string }> {
  const all = {
    ...{ PATH: `${folder}${delimiter}${process.env.PATH}`, HOME: folder },
    ...{ GITHUB_ACTION_PATH: ROOT, GITHUB_OUTPUT: join(folder, 'output'), ...env },
  }
  // As GitHub runs `shell: bash`.
  const args = ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script]
  return new Promise((resolve) => {
    execFile('bash', args, { cwd: folder, env: all }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), log: stdout + stderr })
    })
  })
}

test('default: an endpoint without faults passes, and SARIF is written', async () => {
  const url = await serveSeller()
  expect(await runAction({ url, 'fail-on': 'info' })).toEqual({ code: 0, log: '' })
  const sarif = JSON.parse(await readFile(join(folder, 'touchstone-scan.sarif'), 'utf8'))
  expect([sarif.version, sarif.runs[0].results]).toEqual(['2.1.0', []])
  expect(await readFile(join(folder, 'output'), 'utf8')).toBe('sarif=touchstone-scan.sarif\nfindings=0\n')
})

test('behavior: findings are annotated, and fail the step from their severity on', async () => {
  const url = await serveSeller({ payTo: USDC, maxTimeoutSeconds: 86_400 })
  const failed = await runAction({ url })
  expect(failed.code).toBe(1)
  expect(failed.log).toMatch(
    /^::error file=README\.md,line=1,title=receiver_unverified::http.* cannot be paid\. /m,
  )
  expect(failed.log).toMatch(/^::warning file=README\.md,line=1,title=timeout_strange::/m)
  expect((await runAction({ url, 'fail-on': 'never' })).code).toBe(0)

  const slow = await serveSeller({ maxTimeoutSeconds: 86_400 })
  expect((await runAction({ url: slow })).code).toBe(0)
  const strict = await runAction({ url: slow, 'fail-on': 'warn', file: 'a:b,c.md' })
  expect([strict.code, strict.log]).toEqual([1, expect.stringContaining('file=a%3Ab%2Cc.md,')])
})

test('error: inputs are no shell, and a scan that did not run fails', async () => {
  const harmless = await runAction({ url: 'https://$(touch pwned)"; touch pwned; echo "' })
  expect(harmless).toMatchObject({ code: 1, log: expect.stringContaining('::error::The scan did not run') })
  await expect(readFile(join(folder, 'pwned'))).rejects.toThrow('ENOENT')
  expect(await runAction({ url: '--version' })).toMatchObject({ code: 1 })
  const url = await serveSeller()
  expect(await runAction({ url, version: '0.0.1' })).toMatchObject({ code: 1 })
  const wrong = await runAction({ url, 'fail-on': 'sometimes' })
  expect(wrong).toEqual({ code: 1, log: '::error::fail-on: expected critical, warn, info or never.\n' })
})

test('behavior: every input is described, and used by a step through its environment alone', () => {
  const used = action.runs.steps.flatMap(({ env }) => Object.values(env)).join(' ')
  for (const name of Object.keys(action.inputs)) expect(used).toContain(`inputs.${name} `)
  for (const { run } of action.runs.steps) expect(run).not.toContain('${{')
})
