import { withBody } from '../readBody.ts'

/**
 * How a paid response ended: `failed` is a status other than 2xx and 304, `empty` has no content. A body that breaks off is
 * `broken`, or `silent` if none of it came.
 */
export type DeliveryEnd = 'delivered' | 'empty' | 'failed' | 'broken' | 'silent'

/** Receives what becomes of a paid response. */
export type DeliveryListener = {
  /** Called once, unless the caller stops reading or the seller stops sending before the end. */
  ended(end: DeliveryEnd, cause?: unknown): Promise<void>
  /** Returns the error for a body that breaks off. */
  lost(cause: unknown): Promise<Error>
}

/** Watches a paid response. Returns an equal response without waiting for the body. */
export async function watchDelivery(
  response: Response,
  method: string,
  { ended, lost }: DeliveryListener,
): Promise<Response> {
  const { status, body, ok, headers } = response
  const length = headers.get('content-length')
  if (!ok && status !== 304) {
    await ended('failed')
    // Its end changes nothing, but a break of its body must be reported with the payment too.
    return body === null
      ? response
      : watchBody(response, body.getReader(), length, { ended: async () => {}, lost })
  }
  if (method === 'HEAD') await ended('delivered')
  else if (body === null || length === '0') await ended('empty')
  else return watchBody(response, body.getReader(), length, { ended, lost })
  return response
}

const PARTS_AHEAD = 2
const SHORT_BYTES = 64 * 1024

function watchBody(
  response: Response,
  reader: ReadableStreamDefaultReader<Uint8Array>,
  length: string | null,
  { ended, lost }: DeliveryListener,
): Response {
  let received = 0
  let isWhole = false
  let isEnded = false
  const end = async (how: DeliveryEnd, cause?: unknown) => {
    if (!isEnded) await ended(how, cause)
    isEnded = true
  }
  const stream: UnderlyingDefaultSource<Uint8Array> = {
    async pull(controller) {
      if (!isWhole) {
        const { done, value } = await reader.read().catch(async (error: unknown) => {
          await end(received > 0 ? 'broken' : 'silent', error)
          throw await lost(error)
        })
        if (value !== undefined) received += value.byteLength
        isWhole = done
        // A caller may stop reading at the declared length.
        if (received <= SHORT_BYTES && String(received) === length)
          await end(received > 0 ? 'delivered' : 'empty')
        if (value !== undefined) return controller.enqueue(value)
      }
      if (received > SHORT_BYTES) {
        // The caller has to take a long body, and may still leave it at its last part. Called again when he reads.
        if (controller.desiredSize !== PARTS_AHEAD) return
        await new Promise((resolve) => setTimeout(resolve))
      }
      await end(received > 0 ? 'delivered' : 'empty')
      controller.close()
    },
    cancel(reason) {
      // It ends a read that is under way, which is not the end of the body.
      isEnded = true
      // Not awaited: a copy for equal calls may still be read.
      reader.cancel(reason).catch(() => {})
    },
  }
  // Reads ahead, so that the end of a short body is seen even if the caller does not read it.
  return withBody(response, new ReadableStream(stream, { highWaterMark: PARTS_AHEAD }))
}
