import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'

test('behavior: the chain exits when a signal ends the process', async () => {
  const anvil = new URL('./anvil.ts', import.meta.url).href
  const script = `const { startAnvil } = await import('${anvil}')
    console.log((await startAnvil({ chainId: 8453, genesisTimestamp: 1_700_000_000 })).rpcUrl)`
  const args = ['--import', 'tsx', '--input-type=module', '--eval', script]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const url = String((await once(child.stdout, 'data'))[0]).trim()
  expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBeGreaterThan(0)
  child.kill('SIGHUP')
  expect(await once(child, 'exit')).toEqual([null, 'SIGHUP'])
  await expect.poll(() => fetch(url).catch(() => 'gone')).toBe('gone')
})
