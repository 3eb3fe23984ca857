import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { privateKeyToAccount } from 'viem/accounts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { readAccount } from './readAccount.ts'

const KEY = `0x${'5e'.repeat(32)}` as const
const { address } = privateKeyToAccount(KEY)

let file: string
beforeEach(async () => {
  file = join(await mkdtemp(join(tmpdir(), 'touchstone-key-')), 'key')
})
afterEach(() => rm(join(file, '..'), { recursive: true }))

const refusal = (env: Record<string, string>) =>
  readAccount(env).then(
    () => 'read',
    (error) => error.details,
  )

describe('readAccount', () => {
  test('default: reads the variable, with or without 0x, or the file', async () => {
    await writeFile(file, `${KEY}\n`, { mode: 0o600 })
    const environments = [
      { PRIVATE_KEY: KEY },
      { PRIVATE_KEY: KEY.slice(2) },
      { PRIVATE_KEY_FILE: file },
      { PRIVATE_KEY: KEY, PRIVATE_KEY_FILE: 'elsewhere' },
    ]
    for (const env of environments) expect((await readAccount(env)).address).toBe(address)
  })

  test.each([
    [
      'no variable',
      {},
      'PRIVATE_KEY: expected 64 hexadecimal digits, with or without 0x; or set PRIVATE_KEY_FILE to a file of mode 600',
    ],
    [
      'an empty key',
      { PRIVATE_KEY: '' },
      'PRIVATE_KEY: expected 64 hexadecimal digits, with or without 0x, got 0 characters',
    ],
    [
      'a short key',
      { PRIVATE_KEY: KEY.slice(0, 20) },
      'PRIVATE_KEY: expected 64 hexadecimal digits, with or without 0x, got 20 characters',
    ],
    [
      'zero',
      { PRIVATE_KEY: '0'.repeat(64) },
      'PRIVATE_KEY: expected 64 hexadecimal digits, with or without 0x, got a number that is no key',
    ],
    [
      'a number above the order',
      { PRIVATE_KEY: 'f'.repeat(64) },
      'PRIVATE_KEY: expected 64 hexadecimal digits, with or without 0x, got a number that is no key',
    ],
    ['a missing file', { PRIVATE_KEY_FILE: '/nowhere/key' }, 'PRIVATE_KEY_FILE: cannot read the file'],
    ['a folder', { PRIVATE_KEY_FILE: '/' }, expect.stringContaining('PRIVATE_KEY_FILE: ')],
  ])('error: %s is named by its variable, with what would be right', async (_, env, details) => {
    expect(await refusal(env)).toEqual(details)
  })

  test('error: a file without a key, or that others can read, is refused', async () => {
    await writeFile(file, '\n', { mode: 0o600 })
    expect(await refusal({ PRIVATE_KEY_FILE: file })).toBe(
      'PRIVATE_KEY_FILE: expected a file with 64 hexadecimal digits, with or without 0x, got 0 characters',
    )
    if (process.platform === 'win32') return
    await chmod(file, 0o644)
    expect(await refusal({ PRIVATE_KEY_FILE: file })).toBe(
      'PRIVATE_KEY_FILE: other users can read the file; set its mode to 600',
    )
  })

  test('error: no error contains a part of the key', async () => {
    const secret = `${'ab12'.repeat(15)}zz`
    const above = 'f'.repeat(64)
    for (const PRIVATE_KEY of [secret, above]) {
      const error = await readAccount({ PRIVATE_KEY }).catch((thrown) => thrown)
      expect(error.cause).toBeUndefined()
      expect(`${error.stack} ${JSON.stringify(error)}`).not.toContain(PRIVATE_KEY.slice(0, 12))
    }
  })
})
