import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { readShopperKey } from './readShopperKey.ts'

const KEY = `0x${'11'.repeat(32)}`

let path = ''
beforeEach(async () => {
  const directory = await mkdtemp(join(tmpdir(), 'touchstone-key-'))
  path = join(directory, 'key')
  return () => rm(directory, { recursive: true })
})

test('default', async () => {
  await writeFile(path, `${KEY}\n`, { mode: 0o600 })
  expect(await readShopperKey(path)).toBe(KEY)
})

test('error: rejects a key file that others may read', async () => {
  await writeFile(path, KEY)
  for (const mode of [0o640, 0o604, 0o660]) {
    await chmod(path, mode)
    await expect(readShopperKey(path)).rejects.toThrow('must be readable by its owner alone')
  }
})

test('error: rejects an invalid key without showing it', async () => {
  await writeFile(path, 'correct horse battery staple', { mode: 0o600 })
  await expect(readShopperKey(path)).rejects.toThrow(
    `SHOPPER_KEY_FILE: ${path} must hold 0x and 64 hexadecimal digits`,
  )
  await expect(readShopperKey(join(path, 'nowhere'))).rejects.toThrow('cannot be read')
})
