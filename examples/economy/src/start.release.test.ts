import { request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { type Economy, lookup, start } from './index.ts'
import { honestBoth } from './sellers/honest/honest-both.ts'
import { honestV2 } from './sellers/honest/honest-v2.ts'

const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

async function gone(pid: number): Promise<boolean> {
  for (let tries = 0; tries < 100 && isAlive(pid); tries++) await delay(20)
  return !isAlive(pid)
}

/** Sends a raw request target, which fetch would normalise. */
const rawStatus = (port: number, path: string, host: string) =>
  new Promise((resolve, reject) => {
    request({ port, path, headers: { host } }, (response) => resolve(response.resume().statusCode))
      .once('error', reject)
      .end()
  })

describe('start', () => {
  test('default: starts every part, and stop closes them all', async () => {
    const lines: string[] = []
    const economy: Economy = await start({ onProgress: (line) => lines.push(line) })
    expect(lines).toHaveLength(5)
    const url = economy.sellers['honest-v2']?.url ?? ''
    const port = Number(new URL(url).port)
    expect(economy.allowedHosts).toEqual([`127.0.0.1:${port}`])
    expect(economy.allowedOrigins).toContain(`http://honest-v2.localhost:${port}`)
    for (const { address } of economy.wallets.bots) {
      expect(await economy.chain.usdcBalanceOf(address)).toBe(100_000_000n)
    }
    expect(await economy.chain.usdcBalanceOf(economy.wallets.service.address)).toBe(0n)
    expect((await economy.fetch(new Request(url))).status).toBe(402)
    expect(await rawStatus(port, '//', 'honest-both.localhost')).toBe(404)
    expect(await rawStatus(port, '/?', '')).toBe(421)
    expect((await economy.fetch(`http://nobody.localhost:${port}/`)).status).toBe(421)
    expect(isAlive(economy.chain.pid)).toBe(true)

    await Promise.all([economy.stop(), economy.stop()])
    expect(await gone(economy.chain.pid)).toBe(true)
    await expect(fetch(economy.facilitator.url)).rejects.toThrow()
    await expect(fetch(economy.chain.rpcUrl)).rejects.toThrow()
  })

  test('behavior: starts selected sellers in real time', async () => {
    const economy = await start({ sellers: [honestV2], clock: 'real', historyBlocks: 90 })
    expect(Object.keys(economy.sellers)).toEqual(['honest-v2'])
    expect(Math.abs(economy.clock.now() - Date.now())).toBeLessThan(1_000)
    await economy.stop()
  })

  test('behavior: sellers with a port each are reached without resolving a name', async () => {
    const economy = await start({
      sellers: [honestV2, honestBoth],
      hosts: 'ports',
      clock: 'real',
      historyBlocks: 90,
    })
    const urls = Object.values(economy.sellers).map(({ url }) => url)
    expect(new Set(urls.map((url) => new URL(url).host))).toEqual(new Set(economy.allowedHosts))
    for (const url of urls) {
      expect(new URL(url).hostname).toBe('127.0.0.1')
      expect((await fetch(url)).status).toBe(402)
    }
    await economy.stop()
    await expect(fetch(urls[0] ?? '')).rejects.toThrow()
  })

  test('error: refuses a duplicate seller id and stops the parts that had started', async () => {
    const lines: string[] = []
    await expect(
      start({ sellers: [honestV2, honestV2], historyBlocks: 90, onProgress: (line) => lines.push(line) }),
    ).rejects.toThrow('duplicate seller id honest-v2')
    const rpcUrl = /http:\S+\d/.exec(lines[0] ?? '')?.[0] ?? ''
    await expect(fetch(rpcUrl)).rejects.toThrow()
  })
})

describe('lookup', () => {
  const resolve = (name: string, options: { all?: boolean }) =>
    new Promise((done, fail) =>
      lookup(name, options, (error, address) => (error ? fail(error) : done(address))),
    )

  test('default: resolves localhost and its subdomains to the loopback address', async () => {
    expect(await resolve('honest-v2.localhost', {})).toBe('127.0.0.1')
    expect(await resolve('LOCALHOST', {})).toBe('127.0.0.1')
    expect(await resolve('a.b.localhost.', { all: true })).toEqual([{ address: '127.0.0.1', family: 4 }])
  })

  test("error: leaves other names to the system's resolver", async () => {
    await expect(resolve('notlocalhost.invalid', {})).rejects.toMatchObject({ syscall: 'getaddrinfo' })
  })
})
