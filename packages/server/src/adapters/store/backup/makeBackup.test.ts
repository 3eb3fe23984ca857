import { cp, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { useScratchFolder } from '../testing/scratch.ts'
import { makeBackup } from './makeBackup.ts'
import { requestBackup } from './requestBackup.ts'
import { restoreBackup } from './restoreBackup.ts'
import { serveBackups } from './serveBackups.ts'

const scratch = useScratchFolder()
const data = () => join(scratch(), 'data')
const target = () => join(scratch(), 'copy')

/** Writes a data folder whose store is a folder of files. */
async function writeData() {
  for (const folder of ['store', 'snapshots']) {
    await mkdir(join(data(), folder), { recursive: true })
    await writeFile(join(data(), folder, 'a'), `in ${folder}`)
  }
  await writeFile(join(data(), 'signing-keys.json'), 'secret', { mode: 0o600 })
  await writeFile(join(data(), 'half.tmp'), '')
}

const copyTo = (directory: string) => cp(join(data(), 'store'), join(directory, 'store'), { recursive: true })

test('default: copies the store and all else that a server needs', async () => {
  await writeData()
  const { bytes } = await makeBackup({ directory: data(), target: target(), copyTo })
  expect((await readdir(target())).sort()).toEqual(['signing-keys.json', 'snapshots', 'store'])
  expect(await readFile(join(target(), 'snapshots', 'a'), 'utf8')).toBe('in snapshots')
  expect((await stat(join(target(), 'signing-keys.json'))).mode & 0o777).toBe(0o600)
  expect((await stat(target())).mode & 0o777).toBe(0o700)
  expect(bytes).toBe(26)
  expect((await readdir(scratch())).sort()).toEqual(['copy', 'data'])
})

test('behavior: an empty folder is filled', async () => {
  await writeData()
  await mkdir(target())
  await makeBackup({ directory: data(), target: target(), copyTo })
  expect(await readdir(target())).toContain('store')
})

test('error: refuses a folder with files, one inside the data folder, and one whose parent is missing', async () => {
  await writeData()
  const backUp = (to: string) => makeBackup({ directory: data(), target: to, copyTo })
  await expect(backUp(join(data(), 'store'))).rejects.toThrow(/store is not empty$/)
  await expect(backUp(join(data(), 'copy'))).rejects.toThrow(/copy is inside the data folder$/)
  await expect(backUp(join(data(), 'signing-keys.json'))).rejects.toThrow(/it is not a folder$/)
  await expect(backUp(join(scratch(), 'no', 'copy'))).rejects.toThrow(/there is no such folder$/)
})

test('error: a back-up that fails leaves nothing', async () => {
  await writeData()
  const full = async (directory: string) => {
    await copyTo(directory)
    throw Object.assign(new Error('ENOSPC: write'), { code: 'ENOSPC' })
  }
  await expect(makeBackup({ directory: data(), target: target(), copyTo: full })).rejects.toThrow(
    `Cannot back up to ${target()}: the disk is full`,
  )
  expect(await readdir(scratch())).toEqual(['data'])
})

test('behavior: the process that has the folder open makes the back-up on request', async () => {
  await writeData()
  const errors: unknown[] = []
  const onError = (error: unknown) => errors.push(error)
  const ask = (to: string) => requestBackup(data(), to, () => {})
  expect(await ask(target())).toBeUndefined()
  const stop = await serveBackups({ directory: data(), copyTo, onError })
  const socket = join(data(), 'backup.sock')
  expect((await stat(socket)).mode & 0o777).toBe(0o600)
  expect(await ask(target())).toMatchObject({ bytes: 26 })
  await expect(ask(target())).rejects.toThrow(/is not empty/)
  const two = await Promise.allSettled([ask(join(scratch(), 'b')), ask(join(scratch(), 'c'))])
  expect(two.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  await stop()
  await expect(stat(socket)).rejects.toThrow('ENOENT')
  expect(await ask(join(scratch(), 'd'))).toBeUndefined()
  expect(errors).toEqual([])
})

test('behavior: replaces the socket of a dead process, and stops with clients that ask nothing', async () => {
  await writeData()
  await writeFile(join(data(), 'backup.sock'), '')
  const stop = await serveBackups({ directory: data(), copyTo, onError: () => {} })
  const idle = connect(join(data(), 'backup.sock'))
  await new Promise((resolve) => idle.once('connect', resolve))
  expect(await requestBackup(data(), target(), () => {})).toMatchObject({ bytes: 26 })
  await stop()
})

test('error: says that the server ended', async () => {
  await mkdir(data())
  const server = createServer((socket) => socket.once('data', () => socket.destroy()))
  await new Promise<void>((resolve) => server.listen(join(data(), 'backup.sock'), resolve))
  await expect(requestBackup(data(), target(), () => {})).rejects.toThrow(/ended before/)
  server.close()
})

test('behavior: restores a back-up whose store opens into an empty folder', async () => {
  await writeData()
  await makeBackup({ directory: data(), target: target(), copyTo })
  const check = async (directory: string) => void (await stat(join(directory, 'store', 'a')))
  const restore = () => restoreBackup({ directory: data(), source: target(), check })
  await expect(restore()).rejects.toThrow(/data is not empty: move its files away first$/)
  await rm(data(), { recursive: true })
  expect(await restore()).toMatchObject({ bytes: 26 })
  expect((await readdir(data())).sort()).toEqual(['signing-keys.json', 'snapshots', 'store'])
  expect((await stat(join(data(), 'signing-keys.json'))).mode & 0o777).toBe(0o600)
})

test('error: does not restore a store that does not open', async () => {
  await writeData()
  await makeBackup({ directory: data(), target: target(), copyTo })
  await rm(data(), { recursive: true })
  const check = () => Promise.reject(new Error('bad checksum'))
  await expect(restoreBackup({ directory: data(), source: target(), check })).rejects.toThrow(
    /copy holds no store that can be opened: bad checksum$/,
  )
  expect(await readdir(data())).toEqual([])
})
