import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { ROOT } from '../docs/shellLines.ts'
import { checkDemonstration } from './checkDemonstration.mjs'

/** Makes a folder for an agent, with settings if given. */
function openFolder(settings?: Readonly<Record<string, string>>) {
  const folder = mkdtempSync(join(tmpdir(), 'touchstone-agent-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const lines = Object.entries(settings ?? {}).map(([name, value]) => `${name}=${value}\n`)
  if (settings !== undefined) writeFileSync(join(folder, '.env'), lines.join(''))
  return folder
}

/** Starts a server that answers every request with a status, and stops it with the test. */
async function startServer(status: number) {
  const server = createServer((_, response) => response.writeHead(status).end('{}'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const stop = () => new Promise((resolve) => server.close(resolve))
  onTestFinished(async () => void (await stop()))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop }
}

/** Runs `npm run agent` as npm does from a folder. */
function runAgent(folder: string) {
  const { TOUCHSTONE_URL: _, ENDPOINT_URL: __, ...env } = process.env
  const ended = spawnSync(process.execPath, [join(ROOT, 'scripts/run.mjs'), 'agent', 'script.mjs'], {
    cwd: ROOT,
    env: { ...env, INIT_CWD: folder },
    encoding: 'utf8',
  })
  return { code: ended.status, output: ended.stdout + ended.stderr }
}

const ONE_LINE = /^.*start the demonstration first: npm run demo, .*\n$/

test('error: without .env the command asks for the demonstration in one line, with exit code 2', () => {
  const { code, output } = runAgent(openFolder())
  expect([code, output]).toEqual([2, expect.stringMatching(ONE_LINE)])
  expect(output).toContain('There is no .env')
})

test('error: with the settings of a stopped demonstration the command names what does not answer', async () => {
  const stopped = await startServer(200)
  await stopped.stop()
  const { code, output } = runAgent(openFolder({ TOUCHSTONE_URL: stopped.url }))
  expect([code, output]).toEqual([2, expect.stringMatching(ONE_LINE)])
  expect(output).toContain(`${stopped.url} in .env does not answer`)
})

test('default: an agent may run while the service and the seller answer, whatever they say', async () => {
  const [service, seller] = [await startServer(200), await startServer(402)]
  const folder = openFolder({ TOUCHSTONE_URL: service.url, ENDPOINT_URL: `${seller.url}/weather` })
  expect(await checkDemonstration(folder, {})).toBeUndefined()
})

test('behavior: the settings of an earlier demonstration are found out by their seller', async () => {
  const [service, seller] = [await startServer(200), await startServer(402)]
  await seller.stop()
  const folder = openFolder({ TOUCHSTONE_URL: service.url, ENDPOINT_URL: `${seller.url}/weather` })
  expect(await checkDemonstration(folder, {})).toContain(`${seller.url}/weather in .env does not answer`)
})

test('behavior: the environment overrides the file, as Node does it', async () => {
  const service = await startServer(200)
  const folder = openFolder({ TOUCHSTONE_URL: 'http://127.0.0.1:1' })
  expect(await checkDemonstration(folder, { TOUCHSTONE_URL: service.url })).toBeUndefined()
})

test('error: settings without the service are not those of a demonstration', async () => {
  expect(await checkDemonstration(openFolder({ PORT: '1' }), {})).toContain('.env has no TOUCHSTONE_URL')
})

test('behavior: the host of a seller may be a name below localhost, even if the system does not resolve it', async () => {
  const [service, seller] = [await startServer(200), await startServer(402)]
  const named = seller.url.replace('127.0.0.1', 'weather.localhost')
  const folder = openFolder({ TOUCHSTONE_URL: service.url, ENDPOINT_URL: named })
  expect(await checkDemonstration(folder, {})).toBeUndefined()
  await seller.stop()
  expect(await checkDemonstration(folder, {})).toContain(`${named} in .env does not answer`)
})
