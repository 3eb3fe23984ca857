/** What a facilitator answered: its status, and its body as the JSON that it should be. */
export type FacilitatorReply = { readonly status: number; readonly body: unknown }

/** One call to a facilitator. */
export type FacilitatorAsk = {
  readonly url: string
  /** Sent as JSON by POST; a GET without it. */
  readonly body?: unknown
  readonly headers: Readonly<Record<string, string>>
  /** For the whole answer, to its last byte. */
  readonly timeoutMs: number
}

/** An honest answer takes a few hundred bytes, the longest list of what is supported some ten thousand. */
const MAX_ANSWER_BYTES = 256 * 1024

/**
 * Asks a facilitator, within a time and a size, and believes nothing of what comes back but that it is JSON.
 * @throws Error where there is no answer in time, or it is above 256 KiB as decoded, or no JSON
 */
export async function askFacilitator(ask: FacilitatorAsk): Promise<FacilitatorReply> {
  const response = await fetch(ask.url, {
    method: ask.body === undefined ? 'GET' : 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json', ...ask.headers },
    ...(ask.body !== undefined && { body: JSON.stringify(ask.body) }),
    signal: AbortSignal.timeout(ask.timeoutMs),
  })
  const text = await readText(response.body)
  try {
    return { status: response.status, body: JSON.parse(text) }
  } catch (cause) {
    throw new Error(`the facilitator answered ${response.status} with what is no JSON`, { cause })
  }
}

async function readText(body: ReadableStream<Uint8Array> | null): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  const reader = body?.getReader()
  for (let read = await reader?.read(); read?.value !== undefined; read = await reader?.read()) {
    size += read.value.length
    if (size > MAX_ANSWER_BYTES) {
      // No more is received.
      await reader?.cancel()
      throw new Error(`the facilitator's answer is above ${MAX_ANSWER_BYTES} bytes`)
    }
    chunks.push(read.value)
  }
  return Buffer.concat(chunks).toString('utf8')
}
