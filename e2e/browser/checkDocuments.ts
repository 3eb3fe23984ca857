import type { Browser } from 'playwright-core'
import { SURFACE } from '../contract/surface.ts'

/** Opens documents that are no pages in the browser. Returns one line for each that is not what the contract says. */
export async function checkDocuments(
  browser: Browser,
  origin: string,
  paths: readonly string[],
): Promise<string[]> {
  const context = await browser.newContext({ acceptDownloads: false })
  const faults: string[] = []
  try {
    for (const path of paths) {
      const response = await context.request.get(origin + path)
      const type = response.headers()['content-type']?.split(';')[0] ?? 'none'
      const body = await response.text()
      const surface = SURFACE.find(
        (one) => one.path.test(path.split('?')[0] ?? '') && one.types.includes(type),
      )
      if (!response.ok()) faults.push(`${path} is ${response.status()}`)
      else if (surface === undefined) faults.push(`${path} is of type ${type}`)
      else if (typeof surface.body === 'function')
        faults.push(...surface.body(body).map((fault) => `${path}: ${fault}`))
    }
    return faults
  } finally {
    await context.close()
  }
}
