import { createBodyCollector } from './collectBody.ts'

/** Reads a body as text. Returns null, and cancels the body, above a number of bytes. */
export async function readBounded(response: Response, maxBytes: number): Promise<string | null> {
  return (await readBoundedBytes(response, maxBytes))?.toString() ?? null
}

/** Reads a body. Returns null, and cancels it, above a number of bytes. */
export async function readBoundedBytes({ body }: Response, maxBytes: number): Promise<Buffer | null> {
  const collected = createBodyCollector(maxBytes)
  const reader = body?.getReader()
  for (let part = await reader?.read(); part?.value !== undefined; part = await reader?.read()) {
    if (collected.add(part.value)) continue
    await reader?.cancel()
    return null
  }
  return collected.read()
}
