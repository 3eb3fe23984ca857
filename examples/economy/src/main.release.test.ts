import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

describe('main', () => {
  const run = async (): Promise<{ child: ChildProcess; output: string }> => {
    const main = fileURLToPath(new URL('./main.ts', import.meta.url))
    const child = spawn(process.execPath, ['--import', 'tsx', main], { stdio: ['ignore', 'pipe', 'inherit'] })
    let output = ''
    for await (const chunk of child.stdout) {
      output += chunk
      if (output.includes('Press Ctrl-C')) break
    }
    return { child, output }
  }
  const rpcOf = (output: string) => /http:\/\/127\.0\.0\.1:\d+/.exec(output)?.[0] ?? ''

  test('default: prints the addresses, keeps running, and stops cleanly on Ctrl-C', async () => {
    const { child, output } = await run()
    expect(output).toMatch(/honest +GET +http:\/\/honest-v2\.localhost:\d+\/weather +0x/)
    expect((await fetch(rpcOf(output), { method: 'POST', body: '{}' })).status).toBeGreaterThan(0)
    child.kill('SIGINT')
    expect(await once(child, 'exit')).toEqual([0, null])
    await expect(fetch(rpcOf(output))).rejects.toThrow()
  })
})
