import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { ROOT } from '../docs/shellLines.ts'

/** Opens a folder with a script, from which the command is run. */
function openFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'touchstone-agent-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'agent.mjs'), `console.log('key', process.env.PRIVATE_KEY)`)
  return {
    writeSettings: (url: string) =>
      writeFileSync(join(folder, '.env'), `TOUCHSTONE_URL=${url}\nPRIVATE_KEY=0x1\n`),
    /** Runs `npm run agent -- agent.mjs` without npm's own lines. */
    runAgent: () =>
      new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
        const { TOUCHSTONE_URL: _, ...own } = process.env
        const env = { ...own, INIT_CWD: folder }
        const args = [join(ROOT, 'scripts/run.mjs'), 'agent', 'agent.mjs']
        execFile(process.execPath, args, { env }, (error, stdout, stderr) =>
          resolve({ code: error?.code ?? 0, stdout, stderr }),
        )
      }),
  }
}

/** Starts a service of which only the health check answers. */
async function startService(status: number): Promise<string> {
  const server = createServer(({ url }, response) =>
    response.writeHead(url === '/healthz' ? status : 404).end(),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const REFUSED = { code: 2, stdout: '', stderr: 'start the demonstration first: npm run demo\n' }

test('default: runs the script with the settings of the demonstration', async () => {
  const { writeSettings, runAgent } = openFolder()
  writeSettings(await startService(200))
  expect(await runAgent()).toMatchObject({ code: 0, stdout: 'key 0x1\n' })
})

test('error: without settings it asks to start the demonstration', async () => {
  expect(await openFolder().runAgent()).toEqual(REFUSED)
})

test('error: without a service at the address of the settings it asks to start the demonstration', async () => {
  const { writeSettings, runAgent } = openFolder()
  // Nothing listens on port 1.
  for (const url of ['http://127.0.0.1:1', 'nowhere', await startService(503)]) {
    writeSettings(url)
    expect(await runAgent(), url).toEqual(REFUSED)
  }
})
