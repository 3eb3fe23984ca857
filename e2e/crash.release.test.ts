import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { allSellers, type Economy } from '@touchstone402/economy'
import type { Change, Verdict } from '@touchstone402/shared'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningLine, startLine, WITH_LOCAL_NAMES } from '../scripts/docs/startLine.ts'
import { startEconomy } from './support/economy.ts'
import { economySettings } from './support/settings.ts'

const WHOLE_CRAWL = { timeout: 120_000, interval: 500 }

let economy: Economy
let dataDir: string
let service: RunningLine | undefined

/** Starts the service as its operators do. Returns its URL. */
async function startProcess(): Promise<string> {
  service = startLine('exec node packages/server/bin/touchstone-server.js', {
    env: {
      ...economySettings(economy),
      DIRECTORIES: `bazaar=${economy.directories.bazaarUrl},402index=${economy.directories.index402Url}`,
      DEVELOPMENT_ALLOW_HOSTS: economy.allowedHosts.join(','),
      DATA_DIR: dataDir,
      ...WITH_LOCAL_NAMES,
    },
  })
  const [, url = ''] = await service.said(/listening at (http:[^,\s]+)/)
  return url
}

const kill = async () => service?.interrupt('SIGKILL')

/** Reads every verdict and every change that the service serves. */
async function readAll(url: string): Promise<{ verdicts: Verdict[]; changes: Change[] }> {
  const verdicts: Verdict[] = []
  for (const seller of Object.values(economy.sellers)) {
    const response = await fetch(`${url}/verify?endpoint=${encodeURIComponent(seller.url)}`)
    expect(response.status).toBe(200)
    const verdict = (await response.json()) as Verdict
    if (verdict.known) verdicts.push(verdict)
  }
  const response = await fetch(`${url}/changes.json?limit=1000`)
  const { changes } = (await response.json()) as { changes: Change[] }
  return { verdicts, changes }
}

beforeAll(async () => {
  economy = await startEconomy({ clock: 'real', sellers: allSellers.slice(0, 8) })
  dataDir = await mkdtemp(join(tmpdir(), 'touchstone-crash-'))
})

afterAll(async () => {
  await kill()
  await economy?.stop()
  await rm(dataDir, { recursive: true, force: true })
})

describe('a service that is killed', () => {
  it('behavior: keeps every served verdict and change after SIGKILL during a crawl', async () => {
    const sellers = Object.keys(economy.sellers).length
    let url = await startProcess()
    for (const waitMs of [400, null]) {
      // The last round waits until the crawl is complete, however slow the machine is.
      if (waitMs === null)
        await expect.poll(async () => (await readAll(url)).verdicts.length, WHOLE_CRAWL).toBe(sellers)
      else await new Promise((resolve) => setTimeout(resolve, waitMs))
      const acknowledged = await readAll(url)
      await kill()
      url = await startProcess()
      const after = await readAll(url)
      for (const verdict of acknowledged.verdicts) {
        const again = after.verdicts.find(({ endpoint }) => endpoint === verdict.endpoint)
        expect(again, verdict.endpoint).toMatchObject({ known: true, firstSeen: verdict.firstSeen })
        expect(again?.probes).toBeGreaterThanOrEqual(verdict.probes)
      }
      const ids = new Set(after.changes.map(({ id }) => id))
      for (const { id } of acknowledged.changes) expect(ids).toContain(id)
    }
  })
})
