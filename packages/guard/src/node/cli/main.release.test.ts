import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

test('behavior: ends quietly when its reader has read enough', async () => {
  const bin = fileURLToPath(new URL('../../../bin/touchstone.js', import.meta.url))
  const child = spawn(process.execPath, [bin, 'policy', 'explain'], { stdio: ['ignore', 'pipe', 'pipe'] })
  // Closed before the command prints, so that each of its lines meets a pipe without a reader.
  child.stdout.destroy()
  let errors = ''
  child.stderr.on('data', (chunk) => {
    errors += chunk
  })
  const [code] = await once(child, 'close')
  expect({ code, errors }).toEqual({ code: 0, errors: '' })
})
