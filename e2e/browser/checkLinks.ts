import { nameClient } from './nameClient.ts'

const AT_ONCE = 4

/**
 * Follows the links within a site, each once.
 * @param links URLs with a page that leads there
 * @returns one line for each that leads nowhere. A page that asks for payment is no dead end.
 */
export async function checkLinks(origin: string, links: ReadonlyMap<string, string>): Promise<string[]> {
  const targets = new Map<string, { fragments: Set<string>; from: string }>()
  for (const [link, from] of links) {
    const url = new URL(link)
    if (url.origin !== origin) continue
    const target = targets.get(url.pathname + url.search) ?? { fragments: new Set(), from }
    if (url.hash.length > 1) target.fragments.add(decodeURIComponent(url.hash.slice(1)))
    targets.set(url.pathname + url.search, target)
  }
  const queue = [...targets]
  const dead: string[] = []
  const follow = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const [path, { fragments, from }] = next
      // A person does not follow all links within a minute.
      const headers = { Accept: 'text/html', 'X-Forwarded-For': nameClient() }
      const response = await fetch(origin + path, { headers })
      const body = await response.text()
      // A refusal has links into itself.
      if (path !== from && response.status >= 400 && response.status !== 402) {
        dead.push(`${path} is ${response.status}, linked from ${from}`)
      }
      for (const fragment of fragments) {
        if (!body.includes(`id="${fragment}"`)) dead.push(`${path} has no #${fragment}, linked from ${from}`)
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, follow))
  return dead
}
