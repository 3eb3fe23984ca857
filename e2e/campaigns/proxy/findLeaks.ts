import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { ProxyProcess } from '../../support/proxyProcess.ts'

/** A text that leaves the proxy, and its source. */
export type Seen = { where: string; text: string }

/** Reads the page of the operator, what the proxy printed, and its files except those that hold a secret. */
export async function readProxy({
  address,
  pagePassword,
  home,
  folder,
  printed,
}: ProxyProcess): Promise<Seen[]> {
  const authorization = `Basic ${Buffer.from(`operator:${pagePassword}`).toString('base64')}`
  const page = await fetch(address, { headers: { authorization } })
  if (page.status !== 200) throw new Error(`the page answered ${page.status}`)
  const files = await readdir(home, { recursive: true, withFileTypes: true })
  const kept = files
    .filter((file) => file.isFile())
    .map((file) => join(file.parentPath, file.name))
    .filter((path) => path !== join(home, 'key') && path !== join(folder, 'operator'))
    .filter((path) => !path.startsWith(join(folder, 'tokens')))
  const texts = kept.map(async (path) => ({ where: basename(path), text: await readFile(path, 'utf8') }))
  return [
    { where: 'page', text: await page.text() },
    { where: 'output', text: printed() },
    ...(await Promise.all(texts)),
  ]
}

/** Lists where a secret stands, as it is or encoded in Base64. */
export function findLeaks(seen: readonly Seen[], secrets: readonly string[]): string[] {
  return seen.flatMap(({ where, text }) => {
    const encoded = text.match(/[\w+/-]{24,}/g) ?? []
    const decoded = encoded.map((word) => Buffer.from(word, 'base64').toString('latin1'))
    const all = [text, ...decoded].join('\n').toLowerCase()
    return secrets.filter((secret) => all.includes(secret.toLowerCase())).map(() => where)
  })
}
